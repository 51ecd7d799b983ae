// A share of the time of a process.
#pragma once

namespace heed {

// The time that something may take which is done again and again.
class TimeShare {
 public:
  // `share`: of the time, 0.01 for 1 %.
  explicit TimeShare(double share) : share_(share) {}

  // Whether it allows for one more like the last one, after `elapsed` seconds of the process.
  bool allows_one(double elapsed) const { return spent_ + last_ <= share_ * elapsed; }
  void spend(double seconds) { spent_ += last_ = seconds; }

 private:
  double share_, spent_ = 0, last_ = 0;
};

}  // namespace heed
