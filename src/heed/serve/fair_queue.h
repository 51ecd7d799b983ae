// The order of waiting requests: fair by client, then by request.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace heed {
namespace detail {

// Start-time fair queueing (Goyal, Vin and Cheng, 1996): the member with the smallest start tag has
// the next turn, and a turn raises its tag by its cost. A member that joins starts at the present
// virtual time, or where it left, if that is later. Of equal tags the member that joined first is
// first. Virtual time advances with each turn by its cost, divided by the number of members, so
// that members cannot be starved by a stream of new ones.
template <class Key>
class FairTurns {
 public:
  bool empty() const { return order_.empty(); }

  void add(const Key& key) {
    double start = now_;
    if (const auto left = left_.find(key); left != left_.end()) {
      start = std::max(start, left->second);
      left_.erase(left);
    }
    order_.insert({start, insertions_, key});
    members_[key] = {start, insertions_++};
  }
  // When the last member leaves, all tags are forgotten: there is nothing to share.
  void remove(const Key& key) {
    const auto [start, age] = members_.extract(key).mapped();
    order_.erase({start, age, key});
    if (order_.empty()) {
      left_.clear();
      now_ = 0;
    } else {
      if (left_.size() > 2 * order_.size() + kMinRemembered)
        std::erase_if(left_, [&](const auto& one) { return one.second <= now_; });
      if (start > now_ && left_.size() < kMaxRemembered) left_[key] = start;
    }
  }
  // A turn of this cost.
  void charge(const Key& key, double cost) {
    auto& [start, age] = members_.at(key);
    now_ = std::max(now_, start) + cost / double(members_.size());
    order_.erase({start, age, key});
    start += cost;
    order_.insert({start, age, key});
  }
  // Calls f(key) in the order of turns until it returns true.
  template <class F>
  bool find(F&& f) const {
    return std::ranges::any_of(order_, [&](const auto& one) { return f(std::get<2>(one)); });
  }

 private:
  // Bounds for `left_`.
  static constexpr size_t kMinRemembered = 64, kMaxRemembered = 65536;

  double now_ = 0;  // virtual time
  uint64_t insertions_ = 0;
  std::set<std::tuple<double, uint64_t, Key>> order_;
  std::map<Key, std::pair<double, uint64_t>> members_;
  std::map<Key, double> left_;  // start tags, later than now_ when they left, of former members
};

}  // namespace detail

// Requests that have turns left. Clients share the turns by their costs, whatever the number of
// their requests and lines, and so do the requests of one client.
class FairQueue {
 public:
  bool empty() const { return clients_.empty(); }

  void add(const std::string& client, uint64_t request) {
    auto& requests = requests_[client];
    if (requests.empty()) clients_.add(client);
    requests.add(request);
  }
  // A request that has no more turns, or is cancelled.
  void remove(const std::string& client, uint64_t request) {
    auto& requests = requests_.at(client);
    requests.remove(request);
    if (!requests.empty()) return;
    clients_.remove(client);
    requests_.erase(client);
  }
  // The first request, in the order of turns, for which accepts(request) holds.
  template <class F>
  std::optional<uint64_t> next(F&& accepts) const {
    std::optional<uint64_t> found;
    clients_.find([&](const std::string& client) {
      return requests_.at(client).find([&](uint64_t request) {
        if (accepts(request)) found = request;
        return found.has_value();
      });
    });
    return found;
  }
  // The request takes a turn of this cost.
  void charge(const std::string& client, uint64_t request, double cost) {
    clients_.charge(client, cost);
    requests_.at(client).charge(request, cost);
  }

 private:
  detail::FairTurns<std::string> clients_;
  std::map<std::string, detail::FairTurns<uint64_t>> requests_;  // by client
};

}  // namespace heed
