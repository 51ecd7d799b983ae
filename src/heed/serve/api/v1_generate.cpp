#include <algorithm>

#include "heed/pages/translation_json.h"
#include "heed/serve/api/handlers.h"
#include "heed/serve/api/parameters.h"
#include "heed/serve/api/result_list.h"

namespace heed::v1 {
namespace {

using nlohmann::ordered_json;
using ToJson = ordered_json (*)(const Translation&, const SearchOptions&);

// Memory for a byte of text in a result, as pieces, and these as JSON: of a prompt that has more
// tokens than the model has positions, all of which are in its result; and of a sentence, whose
// tree has about four symbols for each word.
constexpr size_t kBytesOfPrompt = 200, kBytesOfSentence = 300;

// The memory of results until they are texts. Many long prompts may be complete at a time; of
// sentences one a thread.
size_t bytes_of_results(const ResultRequest& request, const SearchOptions& search, size_t threads) {
  const auto positions = size_t(request.model->model.config().max_positions);
  size_t of_long = 0, largest = 0;
  for (const std::string& text : request.texts) {
    if (text.size() >= positions) of_long += text.size();
    largest = std::max(largest, text.size());
  }
  if (request.model->task == LearningTask::language_model) return kBytesOfPrompt * of_long;
  return kBytesOfSentence * largest * size_t(search.nbest) *
         std::min(threads, request.texts.size());
}

// Continues prompts, or parses sentences.
class SearchCall : public TranslationObserver {
 public:
  SearchCall(const ApiClient& client, const ResultRequest& request, const SearchOptions& search,
             ToJson to_json)
      : results_(client, request), search_(search), to_json_(to_json) {}

  static void start(const ApiCall& call, const ResultRequest& request, const SearchOptions& search,
                    ToJson to_json) {
    const auto searching = std::make_shared<SearchCall>(call, request, search, to_json);
    if (request.texts.empty()) return searching->finished();
    searching->results_.hold_more(
        bytes_of_results(request, search, size_t(call.api.options.thread_count())));
    DecodeOptions decode;
    decode.search = search;
    const auto setup =
        std::make_shared<const TranslationSetup>(TranslationSetup{request.model, decode});
    TranslationRequest lines;
    for (const std::string& text : request.texts)
      lines.lines.push_back({text, setup, int64_t(lines.lines.size())});
    heed::start(call, std::move(lines), searching);
  }

  void translated(Translation translation) override {
    try {
      results_.set(size_t(translation.line), to_json_(translation, search_));
    } catch (const HttpError&) {
      failed(std::current_exception());
      throw;  // cancels the rest
    }
  }
  void finished() override { results_.respond(); }
  void failed(std::exception_ptr error) override { results_.fail(error); }

 private:
  ResultList results_;
  const SearchOptions search_;
  const ToJson to_json_;
};

void start_search(const ApiCall& call, LearningTask task, const char* field, ToJson to_json) {
  const ResultRequest request(call, task, field);
  const ServeOptions& options = call.api.options;
  const SearchOptions search =
      request.model->search(call.parameters.search(options), options.max_hypotheses);
  SearchCall::start(call, request, search, to_json);
}

}  // namespace

void generate(const ApiCall& call) {
  start_search(call, LearningTask::language_model, "prompt", generation_json);
}

void parse(const ApiCall& call) {
  start_search(call, LearningTask::parse, "text", tree_json);
}

}  // namespace heed::v1
