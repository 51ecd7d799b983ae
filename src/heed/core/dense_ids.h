// A hash table that gives distinct keys the ids 0, 1, 2... in the order of their insertion. Where
// it is cleared for every sentence, that takes time proportional to the number of keys. With
// std::unordered_map instead, which allocates each entry, chrF takes 2.5 times as long and BLEU 1.4
// times (`heed evaluate --threads 1` of 290,000 lines: 3.3 s and 1.3 s of CPU time).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "heed/core/rng.h"

namespace heed::detail {

struct HashOfNumber {
  uint64_t operator()(uint64_t number) const { return mix(number, 0); }
};

// Hash is called as Hash{}(key); all 64 bits of its values must depend on the key.
template <class Key, class Hash>
class DenseIds {
 public:
  size_t size() const { return entries_.size(); }
  const Key& key(uint32_t id) const { return entries_[id].key; }

  void clear() {
    for (const Entry& entry : entries_) slots_[entry.slot] = kEmpty;
    entries_.clear();
  }

  // The id of the key, a new one if it has none.
  uint32_t id_of(const Key& key) {
    if (2 * entries_.size() >= slots_.size()) grow();
    const size_t slot = find_slot(key);
    if (slots_[slot] == kEmpty) {
      slots_[slot] = uint32_t(entries_.size());
      entries_.push_back({key, slot});
    }
    return slots_[slot];
  }

  // The ids of the keys, which replace `ids`.
  void ids_of(const std::vector<Key>& keys, std::vector<uint32_t>& ids) {
    ids.clear();
    for (const Key& key : keys) ids.push_back(id_of(key));
  }

  // The id of the key if it has one.
  std::optional<uint32_t> find(const Key& key) const {
    if (slots_.empty()) return std::nullopt;
    const uint32_t id = slots_[find_slot(key)];
    return id == kEmpty ? std::nullopt : std::optional(id);
  }

 private:
  struct Entry {
    Key key;
    size_t slot;
  };
  static constexpr uint32_t kEmpty = ~uint32_t{0};

  // Where the key is, or the empty slot where it would be.
  size_t find_slot(const Key& key) const {
    const size_t mask = slots_.size() - 1;
    size_t slot = Hash{}(key)&mask;
    while (slots_[slot] != kEmpty && !(entries_[slots_[slot]].key == key)) slot = (slot + 1) & mask;
    return slot;
  }

  void grow() {
    slots_.assign(slots_.empty() ? 256 : 2 * slots_.size(), kEmpty);
    for (size_t i = 0; i < entries_.size(); ++i) {
      entries_[i].slot = find_slot(entries_[i].key);
      slots_[entries_[i].slot] = uint32_t(i);
    }
  }

  std::vector<Entry> entries_;
  std::vector<uint32_t> slots_;  // a power of two of them, at most half in use
};

}  // namespace heed::detail
