#include "heed/serve/fair_queue.h"

#include <gtest/gtest.h>

#include <vector>

namespace heed {
namespace {

// A queue that knows the client of each request.
class TestQueue : public FairQueue {
 public:
  void add(const std::string& client, uint64_t request) {
    FairQueue::add(client, request);
    client_of_[request] = client;
  }
  void remove(uint64_t request) { FairQueue::remove(client_of_.at(request), request); }
  void charge(uint64_t request, double cost) {
    FairQueue::charge(client_of_.at(request), request, cost);
  }

 private:
  std::map<uint64_t, std::string> client_of_;
};

const auto any_request = [](uint64_t) { return true; };

bool contains(const FairQueue& queue, uint64_t request) {
  return queue.next([&](uint64_t one) { return one == request; }).has_value();
}

// The requests of the next turns, each of this cost.
std::vector<uint64_t> next_turns(TestQueue& queue, int count, double cost = 1) {
  std::vector<uint64_t> turns;
  for (int i = 0; i < count; ++i) {
    turns.push_back(queue.next(any_request).value());
    queue.charge(turns.back(), cost);
  }
  return turns;
}

TEST(FairQueue, RequestsOfOneClientTakeTurnsOldestFirst) {
  TestQueue queue;
  EXPECT_TRUE(queue.empty());
  EXPECT_FALSE(queue.next(any_request));
  for (uint64_t id : {7, 3, 5}) queue.add("a", id);
  EXPECT_EQ(next_turns(queue, 5), (std::vector<uint64_t>{7, 3, 5, 7, 3}));
  queue.remove(5);
  EXPECT_FALSE(contains(queue, 5));
  EXPECT_EQ(next_turns(queue, 3), (std::vector<uint64_t>{7, 3, 7}));
}

TEST(FairQueue, ClientsShareTurnsWhateverTheirRequests) {
  TestQueue queue;
  for (uint64_t id = 1; id <= 10; ++id) queue.add("many", id);
  queue.add("one", 99);
  int of_one = 0;
  for (const uint64_t id : next_turns(queue, 40)) of_one += id == 99;
  EXPECT_EQ(of_one, 20);
}

TEST(FairQueue, ATurnCountsByItsCost) {
  TestQueue queue;
  queue.add("long", 1);
  queue.add("short", 2);
  int of_short = 0;
  for (int i = 0; i < 110; ++i) {
    const uint64_t id = queue.next(any_request).value();
    queue.charge(id, id == 1 ? 10 : 1);
    of_short += id == 2;
  }
  EXPECT_EQ(of_short, 100);
}

TEST(FairQueue, WhoJoinsHasATurnSoonButNoMoreThanItsShare) {
  TestQueue queue;
  queue.add("a", 1);
  next_turns(queue, 1000);
  queue.add("b", 2);
  int of_b = 0;
  const std::vector<uint64_t> turns = next_turns(queue, 20);
  for (const uint64_t id : turns) of_b += id == 2;
  EXPECT_TRUE(turns[0] == 2 || turns[1] == 2);
  EXPECT_LE(of_b, 11) << "not for the turns before it came";
}

TEST(FairQueue, WhoLeavesAndReturnsGainsNothing) {
  TestQueue queue;
  queue.add("steady", 1);
  int of_other = 0;
  uint64_t id = 2;
  queue.add("returning", id);
  for (int i = 0; i < 100; ++i) {
    const uint64_t turn = next_turns(queue, 1)[0];
    if (turn == 1) continue;
    ++of_other;
    queue.remove(id);
    queue.add("returning", ++id);
  }
  EXPECT_NEAR(of_other, 50, 1);
}

TEST(FairQueue, RequestsThatAreNotAcceptedKeepTheirTurn) {
  TestQueue queue;
  queue.add("a", 1);
  queue.add("b", 2);
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(queue.next([](uint64_t id) { return id == 2; }), std::optional<uint64_t>(2));
    queue.charge(2, 1);
  }
  EXPECT_FALSE(queue.next([](uint64_t) { return false; }));
  EXPECT_EQ(next_turns(queue, 1)[0], 1u);
}

TEST(FairQueue, NewClientsDoNotStarveAnOldOne) {
  TestQueue queue;
  queue.add("steady", 0);
  int of_steady = 0;
  for (uint64_t id = 1; id < 20000; ++id) {
    queue.add("client " + std::to_string(id), id);
    while (contains(queue, id)) {
      const uint64_t turn = next_turns(queue, 1, 3)[0];
      of_steady += turn == 0;
      if (turn == id) queue.remove(id);
    }
  }
  EXPECT_TRUE(contains(queue, 0));
  EXPECT_GT(of_steady, 9000);
  EXPECT_LT(of_steady, 21000);
}

}  // namespace
}  // namespace heed
