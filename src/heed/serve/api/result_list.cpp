#include "heed/serve/api/result_list.h"

#include "heed/serve/api/parameters.h"

namespace heed {

ResultRequest::ResultRequest(const ApiCall& call, LearningTask task, const char* field) {
  call.parameters.refuse_others();
  auto given = call.parameters.texts(field);
  if (!given) throw HttpError(400, fmt::format("{}: expected a text or an array of texts", field));
  check_characters(call.api.options, given->texts);
  model = choose_model(call, task);
  texts = std::move(given->texts);
}

ResultList::ResultList(const ApiClient& client, const ResultRequest& request)
    : exchange_(client.exchange), model_(request.model->name), results_(request.texts.size()) {
  size_t bytes = 0;
  for (const std::string& text : request.texts) bytes += text.size();
  hold_more(bytes_of_lines(request.texts.size(), bytes));
}

void ResultList::set(size_t text, const nlohmann::ordered_json& result) {
  results_[text] = json_text(result);
  hold_more(2 * results_[text].capacity());  // once more in the answer
}

void ResultList::hold_more(size_t bytes) {
  exchange_->hold(held_ + held_temporarily_ + bytes);
  held_ += bytes;
}

void ResultList::hold_temporarily(size_t bytes) {
  exchange_->hold(held_ + bytes);
  held_temporarily_ = bytes;
}

// Concatenated from texts: as a value of JSON it would take several times as much memory.
void ResultList::respond() {
  std::string all = json_text({{"model", model_}});
  all.back() = ',';
  all += R"("results":[)";
  for (size_t i = 0; i < results_.size(); ++i) {
    if (i > 0) all += ',';
    all += results_[i];
  }
  exchange_->respond({.body = all + "]}"});
}

void ResultList::fail(const std::exception_ptr& error) {
  exchange_->respond(error_response(error));
}

}  // namespace heed
