#include "heed/serve/api/document_call.h"

#include "heed/core/counted.h"
#include "heed/serve/api/api_error.h"

namespace heed {
namespace {

// Each line that waits or is translated takes about a kilobyte.
constexpr size_t kMostLines = 65536;

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
  const auto line = size_t(translation.line);
  translations_[line] = std::move(translation);
}

void DocumentCall::finished() {
  exchange_->respond(answer());
}

void DocumentCall::failed(std::exception_ptr error) {
  exchange_->respond(error_response(error));
}

}  // namespace heed
