#include <atomic>
#include <cstdio>

#include "all_headers.h"

int main() {
  heed::Workers workers(2);
  std::atomic<int> sum = 0;
  workers.run(10, [&](std::int64_t task, int) { sum += static_cast<int>(task); });
  try {
    heed::fail("the sum is {}", sum.load());
  } catch (const heed::Error& error) {
    std::puts(error.what());
  }
  return 0;
}
