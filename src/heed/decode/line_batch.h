// Lines that one thread translates together.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "heed/decode/line_processor.h"
#include "heed/decode/options.h"
#include "heed/decode/search.h"
#include "heed/decode/translation.h"

namespace heed {

struct CompletedLine {
  int64_t id = 0;
  Translation translation;
};

// Lines in a continuous batch: they join at any step, each with its own options. A line that is too
// long for the model is translated in parts; those for which the search has no room wait here, and
// lines that wait take turns. The translation of a line does not depend on the others.
//
// After an exception of step() the batch is unusable.
class LineBatch {
 public:
  // All must outlive this.
  LineBatch(const ModelOnBackend& on, const LineProcessor& processor, const SearchLimits& limits);

  // Adds a line, whose id is that of no other unfinished line. `number`, from 0, is for messages
  // and Translation::line. Only these options are used: `search`, which must be within the limits,
  // `split`, `strict` and `attention`. If it throws (the Error of a line,
  // LineProcessor::preprocess()) the batch is unchanged.
  void add(int64_t id, int64_t number, const TranslationInput& input, const DecodeOptions& options);
  // Whether all parts of all lines are in the search: none waits for room.
  bool has_room() const { return waiting_.empty(); }
  // Whether another line may be added although lines wait: every waiting line has begun, and
  // few wait. So a line of very many parts does not stop other lines.
  bool has_room_beside_long_lines() const;
  // The room that the search has left for the parts of more lines.
  SearchRoom room() const { return search_.room(); }
  // The same of an empty batch.
  SearchRoom all_room() const { return search_.all_room(); }

  // One decoding step; appends the lines that are complete.
  void step(std::vector<CompletedLine>& completed);
  // Removes an unfinished line; false if there is none of this id.
  bool cancel(int64_t id);
  // The stable prefix of an unfinished line's translation, which later steps cannot change, if it
  // has grown since the last call and the line has no protected parts: the translation of its first
  // parts, to the first one that is not finished, as by LineProcessor::postprocess_first().
  std::optional<Translation> progress(int64_t id);

  // Lines that no step has handed over yet, those that are complete from the start included.
  int64_t lines() const { return int64_t(lines_.size() + completed_.size()); }
  // Sentences in the search: parts of lines.
  int64_t sentences() const { return search_.running(); }
  // Tokens of all completed lines, of the best hypotheses on the target side; </s> included.
  int64_t source_tokens() const { return source_tokens_; }
  int64_t target_tokens() const { return target_tokens_; }

 private:
  struct Line {
    EncodedLine encoded;
    SearchOptions options;
    size_t begun = 0;                   // parts that are, or were, in the search
    size_t missing = 0;                 // parts without a result
    std::vector<SearchResult> results;  // of each part; without hypotheses until it has a result
    std::map<size_t, int64_t> running;  // part in the search -> request id
    size_t shown = 0;                   // tokens of all hypotheses at the last progress()
  };
  struct PartOfLine {
    int64_t line;
    size_t part;
  };

  void begin_waiting();
  bool begin_part(int64_t id);
  void collect(SearchResult result);
  void complete(int64_t id);

  const LineProcessor& processor_;
  const SearchLimits limits_;
  Search search_;
  Aligner aligner_;
  std::map<int64_t, Line> lines_;
  std::deque<int64_t> waiting_;             // lines with parts that wait
  std::map<int64_t, PartOfLine> requests_;  // in the search, by request id
  std::vector<CompletedLine> completed_;    // since the last step
  std::vector<SearchResult> results_;       // of a step
  int64_t next_request_id_ = 0;
  int64_t source_tokens_ = 0, target_tokens_ = 0;
};

}  // namespace heed
