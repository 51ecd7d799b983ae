// Values by fingerprint, in bounded memory. With std::unordered_map for its slots, `heed inspect
// data` takes 1.6 times as long (154,711 pairs: 1.1 s of CPU time instead of 0.7 s; 39 MiB instead
// of 48).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace heed::detail {

// A map from fingerprints to values with at most `max_entries` entries. When it is full, it halves
// the set of keys that it accepts, chosen by bits of the key, and removes the others. Its entries
// are a random sample of the keys, with exact values: multiply by period() to estimate totals.
// Grows up to 2 * max_entries slots (a power of two): 64 MiB for 8-byte values by default.
template <class Value>
class SampledMap {
 public:
  explicit SampledMap(int64_t max_entries = int64_t{1} << 21)
      : max_entries_(max_entries), slots_(64) {}

  // The value of a key, `fresh` if it is new; nullptr if the key is not in the sample.
  Value* insert(uint64_t key, const Value& fresh) {
    key |= uint64_t{key == 0};  // 0 marks an empty slot
    if (!sampled(key)) return nullptr;
    Slot& slot = slots_[position(key)];
    if (slot.key == key) return &slot.value;
    slot = {key, fresh};
    if (++size_ > max_entries_) halve_sample();
    if (size_ * 2 > int64_t(slots_.size())) rebuild(slots_.size() * 2);
    return find(key);
  }

  // nullptr if the key is absent or not in the sample.
  const Value* find(uint64_t key) const {
    key |= uint64_t{key == 0};
    if (!sampled(key)) return nullptr;
    const Slot& slot = slots_[position(key)];
    return slot.key == key ? &slot.value : nullptr;
  }
  Value* find(uint64_t key) { return const_cast<Value*>(std::as_const(*this).find(key)); }

  // Whether the key is in the sampled set: then it is absent only if it was never inserted.
  bool sampled(uint64_t key) const { return (key >> 32 & uint64_t(period_ - 1)) == 0; }
  int64_t size() const { return size_; }
  // The sample has one in period() keys: 1 while the table is exact.
  int64_t period() const { return period_; }

  template <class Use>
  void for_each(Use use) const {
    for (const Slot& slot : slots_) {
      if (slot.key != 0) use(slot.key, slot.value);
    }
  }

 private:
  struct Slot {
    uint64_t key = 0;
    Value value{};
  };

  // The slot of the key, or the empty slot where it would be.
  size_t position(uint64_t key) const {
    size_t at = size_t(key) & (slots_.size() - 1);
    while (slots_[at].key != 0 && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  void halve_sample() {
    while (size_ > max_entries_) {
      period_ *= 2;
      rebuild(slots_.size());
    }
  }

  // Moves the entries that are in the sample to `slots` new slots.
  void rebuild(size_t slots) {
    std::vector<Slot> old(slots);
    old.swap(slots_);
    size_ = 0;
    for (const Slot& slot : old) {
      if (slot.key == 0 || !sampled(slot.key)) continue;
      slots_[position(slot.key)] = slot;
      ++size_;
    }
  }

  int64_t max_entries_, size_ = 0, period_ = 1;
  std::vector<Slot> slots_;  // a power of two, at most half of them in use
};

}  // namespace heed::detail
