#include "heed/serve/scheduling.h"

namespace heed {

Overloaded::Overloaded(std::chrono::seconds retry_after)
    : Error(fmt::format("too many requests: expected room in the queue in about {} s",
                        retry_after.count())),
      retry_after(retry_after) {}

DeadlinePassed::DeadlinePassed() : Error("the request was not finished before its deadline") {}

}  // namespace heed
