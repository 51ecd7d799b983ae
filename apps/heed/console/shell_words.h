// Text as one word of a shell.
#pragma once

#include <string>
#include <string_view>

namespace heed {

// In single quotes of any POSIX shell; fish reads this alike.
std::string shell_quoted(std::string_view text);

// The same, without quotes where none are needed, and with control characters as $'\012'.
std::string shell_word(std::string_view text);

}  // namespace heed
