#include "heed/serve/api/document_call.h"

#include <algorithm>

#include "heed/core/counted.h"
#include "heed/core/parallel.h"
#include "heed/decode/decoding_constraints.h"
#include "heed/serve/api/api_error.h"

namespace heed {
namespace {

constexpr size_t kMostLines = 65536;
// What a line takes while it waits and is translated, besides its text; and what a text takes in
// the request, the document and the answer, besides its lines.
constexpr size_t kBytesOfLine = 1024, kBytesOfText = 512;
// How often its text exists: in the document, in the scheduler, in its tokens.
constexpr size_t kCopiesOfText = 8;

// The most that the attention weights of a line may take: all its parts have them at once. A token
// has a byte at least, but those that begin and end the line.
size_t bytes_of_attention(const DocumentOptions& options, size_t bytes_of_line) {
  if (!options.decode.attention) return 0;
  const SearchOptions& search = options.decode.search;
  const int64_t source = int64_t(bytes_of_line) + 2;
  const int64_t positions = options.model->model().transformer().config().max_positions;
  const int64_t target = max_target_length(search, std::min(source, positions), positions);
  return size_t(search.nbest * target * source) * sizeof(float);
}

}  // namespace

DocumentCall::DocumentCall(const ApiCall& call, std::vector<std::string> texts,
                           DocumentOptions options)
    : exchange_(call.exchange),
      options_(std::move(options)),
      document_(std::move(texts), options_.unit),
      translations_(document_.lines().size()) {
  const size_t lines = document_.lines().size();
  if (lines > kMostLines)
    throw ApiError(
        400, fmt::format("{}: expected at most {} in a request",
                         detail::counted(int64_t(lines),
                                         options_.unit == TextUnit::lines ? "line" : "sentence"),
                         kMostLines));
  if (!options_.prefix.empty() && lines != 1)
    throw ApiError(400,
                   fmt::format("prefix: expected a text of one line or sentence, got {} (split: "
                               "lines keeps a line whole)",
                               lines));
  size_t bytes = 0, attention = 0;
  for (const Document::Line& line : document_.lines()) {
    bytes += line.before.size() + line.source.size();
    attention = std::max(attention, bytes_of_attention(options_, line.source.size()));
  }
  for (size_t text = 0; text < document_.texts(); ++text) bytes += document_.after(text).size();
  // Each thread ends a line at a time.
  const auto threads = size_t(call.api.options.threads.value_or(available_threads()));
  hold(kCopiesOfText * bytes + kBytesOfLine * lines + kBytesOfText * document_.texts() +
       attention * std::min(threads, lines));
}

void DocumentCall::hold_for_a_moment(size_t bytes) {
  if (!exchange_->hold(held_ + bytes))
    throw ApiError(503, "the server has no memory left for this request: try again later",
                   {{"Retry-After", "1"}});
}

void DocumentCall::hold(size_t bytes) {
  hold_for_a_moment(bytes);
  held_ += bytes;
}

void DocumentCall::start(const ApiCall& call, const std::shared_ptr<DocumentCall>& document) {
  TranslationRequest request;
  request.model = document->options_.model;
  request.options = document->options_.decode;
  request.client = call.client;
  request.deadline = deadline_of(call.api.options);
  for (const Document::Line& line : document->document_.lines())
    request.lines.emplace_back(std::string(line.source), document->options_.prefix);
  if (request.lines.empty()) {
    document->finished();
    return;
  }
  const uint64_t id = call.api.scheduler->submit(std::move(request), document);
  const std::weak_ptr<Scheduler> scheduler =
      call.api.scheduler;  // it may end before the connection
  call.exchange->on_gone([scheduler, id] {
    if (const auto running = scheduler.lock()) running->cancel(id);
  });
}

void DocumentCall::translated(Translation translation) {
  try {
    hold_for_a_moment(bytes_to_keep(translation));
    size_t bytes = keep(translation);
    std::vector<std::string>& texts = translations_[size_t(translation.line)];
    for (TextHypothesis& hypothesis : translation.hypotheses) {
      texts.push_back(std::move(hypothesis.text));
      bytes += sizeof(std::string) + texts.back().capacity();
    }
    hold(2 * bytes);  // once more in the answer
  } catch (const ApiError&) {
    failed(std::current_exception());
    throw;  // cancels the rest
  }
}

void DocumentCall::finished() {
  exchange_->respond(answer());
}

void DocumentCall::failed(std::exception_ptr error) {
  exchange_->respond(error_response(error));
}

}  // namespace heed
