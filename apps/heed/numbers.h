// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace heed {

// 18944000 as "18,944,000".
std::string grouped(int64_t value);

// The share of `part` in `whole`: "0.04%", "12%", "0%". Of nothing: "0%".
std::string percent(int64_t part, int64_t whole);

}  // namespace heed
