#include "heed/decode/line_batch.h"

#include <algorithm>
#include <iterator>

#include "heed/model/sequence_model.h"

namespace heed {
namespace {

// Maximum number of lines whose parts wait while other lines join.
constexpr size_t kMaxLongLines = 8;

}  // namespace

LineBatch::LineBatch(const ModelOnBackend& on, const LineProcessor& processor,
                     const SearchLimits& limits)
    : processor_(processor),
      limits_(limits),
      search_(make_steps(on), on.backend, limits),
      aligner_(on) {}

void LineBatch::add(int64_t id, int64_t number, const TranslationInput& input,
                    const DecodeOptions& options) {
  check(lines_.count(id) == 0, "two unfinished lines with one id");
  Line line;
  line.encoded = processor_.preprocess(input, number, options);
  line.options = options.search;
  line.missing = line.encoded.parts.size();
  line.results.resize(line.missing);
  const bool has_tokens = line.missing > 0;
  lines_.emplace(id, std::move(line));
  if (!has_tokens) {
    complete(id);
    return;
  }
  waiting_.push_back(id);
  begin_waiting();
}

bool LineBatch::has_room_beside_long_lines() const {
  return waiting_.size() < kMaxLongLines &&
         std::all_of(waiting_.begin(), waiting_.end(),
                     [&](int64_t id) { return lines_.at(id).begun > 0; });
}

// Adds waiting parts to the search while there is room, of each line in turn.
void LineBatch::begin_waiting() {
  while (!waiting_.empty() && begin_part(waiting_.front())) {
    const int64_t id = waiting_.front();
    const Line& line = lines_.at(id);
    waiting_.pop_front();
    if (line.begun < line.encoded.parts.size()) waiting_.push_back(id);
  }
}

// Adds the next part of the line to the search, if there is room.
bool LineBatch::begin_part(int64_t id) {
  Line& line = lines_.at(id);
  const EncodedPart& part = line.encoded.parts[line.begun];
  const SearchOptions options = part.search(line.options, limits_.hypotheses);
  if (!search_.has_room(int64_t(part.source.size()), options, int64_t(part.prefix.size())))
    return false;
  search_.add({.request_id = next_request_id_,
               .source = part.source,
               .prefix = part.prefix,
               .options = options,
               .constraints = part.constraints,
               .target_tokenizer = &processor_.target()});
  requests_[next_request_id_] = {id, line.begun};
  line.running[line.begun++] = next_request_id_++;
  return true;
}

void LineBatch::step(std::vector<CompletedLine>& completed) {
  begin_waiting();
  search_.step(results_);
  for (SearchResult& result : results_) collect(std::move(result));
  results_.clear();
  std::move(completed_.begin(), completed_.end(), std::back_inserter(completed));
  completed_.clear();
  begin_waiting();
}

void LineBatch::collect(SearchResult result) {
  const PartOfLine which = requests_.extract(result.request_id).mapped();
  Line& line = lines_.at(which.line);
  line.running.erase(which.part);
  line.results[which.part] = std::move(result);
  if (--line.missing == 0) complete(which.line);
}

void LineBatch::complete(int64_t id) {
  Line& line = lines_.at(id);
  completed_.push_back({id, processor_.postprocess(line.encoded, line.results, &aligner_)});
  for (const EncodedPart& part : line.encoded.parts) source_tokens_ += int64_t(part.source.size());
  for (const SearchResult& result : line.results) {
    if (result.hypotheses.empty()) continue;
    const Hypothesis& best = result.hypotheses.front();
    target_tokens_ += int64_t(best.ids.size()) + (best.ended ? 1 : 0);
  }
  lines_.erase(id);
}

bool LineBatch::cancel(int64_t id) {
  const auto completed = std::find_if(completed_.begin(), completed_.end(),
                                      [&](const CompletedLine& line) { return line.id == id; });
  if (completed != completed_.end()) {
    completed_.erase(completed);
    return true;
  }
  const auto found = lines_.find(id);
  if (found == lines_.end()) return false;
  for (const auto& [part, request_id] : found->second.running) {
    search_.cancel(request_id);
    requests_.erase(request_id);
  }
  std::erase(waiting_, id);
  lines_.erase(found);
  return true;
}

std::optional<Translation> LineBatch::progress(int64_t id) {
  const auto found = lines_.find(id);
  check(found != lines_.end(), "no unfinished line with this id");
  Line& line = found->second;
  if (line.encoded.has_moving_parts()) return std::nullopt;
  std::vector<SearchResult> parts;
  for (size_t i = 0; i < line.begun; ++i) {
    const auto running = line.running.find(i);
    if (running == line.running.end()) {
      parts.push_back(line.results[i]);
      continue;
    }
    SearchResult so_far = search_.partial(running->second);
    if (!so_far.hypotheses.empty()) parts.push_back(std::move(so_far));
    break;
  }
  size_t tokens = 0;
  for (const SearchResult& part : parts)
    for (const Hypothesis& hypothesis : part.hypotheses) tokens += hypothesis.ids.size();
  if (tokens == line.shown) return std::nullopt;
  line.shown = tokens;
  return processor_.postprocess_first(line.encoded, parts);
}

}  // namespace heed
