// A library that stands before the C library (LD_PRELOAD): the clock on the wall jumps by years,
// back and forth, each time it is read. The steady clock stays as it is.
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

namespace {

time_t jump() {
  static std::atomic<int> calls{0};
  constexpr time_t kTenYears = 315'360'000;
  return calls.fetch_add(1) % 2 == 0 ? kTenYears : -kTenYears;
}

bool is_wall_clock(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* result) noexcept {
  const int status = int(syscall(SYS_clock_gettime, clock, result));
  if (status == 0 && is_wall_clock(clock)) result->tv_sec += jump();
  return status;
}

extern "C" int gettimeofday(timeval* result, void*) noexcept {
  timespec now{};
  const int status = clock_gettime(CLOCK_REALTIME, &now);
  result->tv_sec = now.tv_sec;
  result->tv_usec = now.tv_nsec / 1000;
  return status;
}

extern "C" time_t time(time_t* result) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != nullptr) *result = now.tv_sec;
  return now.tv_sec;
}
