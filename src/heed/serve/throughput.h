// How much waiting work is begun in a second.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>

namespace heed::detail {

// Measured only while work waits: the speed of a server that has little to do says nothing of what
// it can do. Older measurements count less.
class Throughput {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Called when the state changes: whether work waits from now on.
  void update(TimePoint now, bool waits) {
    if (waits_) {
      const double passed = std::chrono::duration<double>(now - updated_).count();
      period_.seconds += passed;
      if (period_.seconds >= kShortestPeriod) {
        const double kept = std::exp2(-period_.seconds / kHalfLife);
        total_ = {kept * total_.cost + period_.cost, kept * total_.seconds + period_.seconds};
        period_ = {};
        // A period goes on as long as work waits: only its beginning may be dropped.
        confirmed_ = true;
      } else if (confirmed_ && !waits) {
        total_ = {total_.cost + period_.cost, total_.seconds + period_.seconds};
      }
    }
    if (!waits) {
      period_ = {};
      confirmed_ = false;
    }
    waits_ = waits;
    updated_ = now;
  }
  // Waiting work of this cost begins.
  void begin(int64_t cost) { period_.cost += double(cost); }

  // Cost per second; none before there is a measurement.
  std::optional<double> per_second() const {
    if (total_.seconds < kLeastMeasured || total_.cost <= 0) return {};
    return total_.cost / total_.seconds;
  }

 private:
  // In seconds. Work that waits for a moment only, because a thread is about to take it, is not
  // counted.
  static constexpr double kShortestPeriod = 0.25, kLeastMeasured = 1, kHalfLife = 10;

  struct Measurement {
    double cost = 0, seconds = 0;
  };
  Measurement total_, period_;
  bool waits_ = false, confirmed_ = false;
  TimePoint updated_{};
};

}  // namespace heed::detail
