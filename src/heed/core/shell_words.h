// Text as one word of a shell.
#pragma once

#include <string>
#include <string_view>

namespace heed {

// In single quotes, as any POSIX shell and fish read them.
std::string shell_quoted(std::string_view text);

// The same, without quotes if none are needed, and with control characters as $'\012'.
std::string shell_word(std::string_view text);

}  // namespace heed
