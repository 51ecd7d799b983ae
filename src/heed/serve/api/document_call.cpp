#include "heed/serve/api/document_call.h"

#include "heed/core/counted.h"
#include "heed/serve/api/api_error.h"

namespace heed {
namespace {

constexpr size_t kMostLines = 65536;
// What a line takes while it waits and is translated, besides its text; and what a text takes in
// the request, the document and the answer, besides its lines.
constexpr size_t kBytesOfLine = 1024, kBytesOfText = 512;
// How often its text exists: in the document, in the scheduler, in its tokens.
constexpr size_t kCopiesOfText = 8;

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
  size_t bytes = 0;
  for (const Document::Line& line : document_.lines())
    bytes += line.before.size() + line.source.size();
  for (size_t text = 0; text < document_.texts(); ++text) bytes += document_.after(text).size();
  hold(kCopiesOfText * bytes + kBytesOfLine * lines + kBytesOfText * document_.texts());
}

void DocumentCall::hold(size_t bytes) {
  if (!exchange_->hold(held_ + bytes))
    throw ApiError(503, "the server has no memory left for this request: try again later",
                   {{"Retry-After", "1"}});
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
  size_t bytes = keep(translation);
  std::vector<std::string>& texts = translations_[size_t(translation.line)];
  for (TextHypothesis& hypothesis : translation.hypotheses) {
    texts.push_back(std::move(hypothesis.text));
    bytes += sizeof(std::string) + texts.back().capacity();
  }
  try {
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
