// The answer of the paths that compute the texts of a request one by one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/serve/api/model_choice.h"

namespace heed {

// The texts of such a request: of its parameter `field`, and the model of a task. HttpError 400
// where they are missing, too many characters, or have no model.
struct ResultRequest {
  ResultRequest(const ApiCall& call, LearningTask task, const char* field);

  std::vector<std::string> texts;
  std::shared_ptr<const ServedModel> model;
};

// Collects the results of texts, and answers when it has all. Its memory counts as
// HttpExchange::hold(). Used by one thread at a time.
class ResultList {
 public:
  // HttpError 503 where there is no memory left for the texts.
  ResultList(const ApiClient& client, const ResultRequest& request);

  // HttpError 503 where there is no memory left.
  void set(size_t text, const nlohmann::ordered_json& result);
  // Holds this much more memory: until the end, or hold_temporarily() until its next call.
  // HttpError 503 as above.
  void hold_more(size_t bytes);
  void hold_temporarily(size_t bytes);

  // The answer, {"model": ..., "results": [...]}, or an error.
  void respond();
  void fail(const std::exception_ptr& error);

 private:
  const std::shared_ptr<HttpExchange> exchange_;
  const std::string model_;
  std::vector<std::string> results_;  // as JSON
  size_t held_ = 0, held_temporarily_ = 0;
};

}  // namespace heed
