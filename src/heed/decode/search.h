// Beam search and sampling over token ids, for many sentences together.
#pragma once

#include <memory>
#include <vector>

#include "heed/decode/constraint.h"
#include "heed/decode/search_options.h"
#include "heed/decode/search_trace.h"
#include "heed/model/step_model.h"
#include "heed/text/tokenizer.h"

namespace heed {

// A translation in a result, without the start token and </s>.
struct Hypothesis {
  std::vector<TokenId> ids;
  // Natural logarithm, by the model, of all tokens and </s>; 0 of those of NextTokens::give().
  double log_probability = 0;
  double score = 0;   // log_probability / ((5 + length) / 6)^length_penalty
  bool ended = true;  // with </s>; false: without it (maximum length, no token allowed, partial())
  // One for each id, those of a forced prefix included, then one for </s> if `ended`; their sum is
  // log_probability.
  std::vector<double> log_probabilities = {};
  int64_t node = -1;  // of the SearchTrace, if there is one: of the last token
};

// ((5 + length) / 6)^alpha.
double length_penalty(int64_t length, double alpha);

struct SearchResult {
  int64_t request_id = 0;
  // Beam search: at most `nbest`, all different, best first; of those with one text
  // (SearchRequest::target_tokenizer) the best; with a source, those without </s> only if none has
  // it. Sampling: `nbest`, possibly equal, in the order of
  // their numbers.
  std::vector<Hypothesis> hypotheses;
};

// A sentence to translate.
struct SearchRequest {
  int64_t request_id = 0;       // unique among unfinished sentences
  std::vector<TokenId> source;  // ends with </s>, at most Search::source_limit() long; or none
  // The beginning of every translation: fewer ids than max_target_length().
  std::vector<TokenId> prefix = {};
  SearchOptions options = {};    // checked by check_options(), within the limits
  Constraints constraints = {};  // besides those of the options
  SearchTrace* trace = nullptr;  // is filled; must outlive the sentence
  // Hypotheses with equal texts by this tokenizer are one; without it, only those with equal ids.
  // Must outlive the sentence.
  const Tokenizer* target_tokenizer = nullptr;
};

// Room for more sentences, or what one needs of it.
struct SearchRoom {
  int64_t source_tokens = 0;
  int64_t target_rows = 0;  // maximum length times hypotheses
  int64_t step_rows = 0;    // of one step: hypotheses, or in the first step the prefix

  SearchRoom& operator-=(const SearchRoom& other);
};

// The number of rows that a search needs, given the model's maximum positions.
struct SearchShape {
  SearchShape(int64_t max_positions, const SearchLimits& limits);
  StepRows rows;          // of the model's memory
  int64_t step_rows = 0;  // most rows of one step
};

// Sentences that one thread decodes together (continuous batching): they join at any step, each
// with its own options, and leave as soon as they are finished or cancelled. The result of a
// sentence does not depend on the others.
class Search {
 public:
  // The backend computes the model's logits and must outlive the search.
  Search(std::unique_ptr<StepModel> model, Backend& backend, const SearchLimits& limits);
  ~Search();

  // Longest source (with </s>) that the model's positions allow; 0 if it reads none.
  int64_t source_limit() const;
  // Whether add() has room for a source and prefix of this length now. An empty batch always has.
  bool has_room(int64_t source_length, const SearchOptions& options,
                int64_t prefix_length = 0) const;
  void add(SearchRequest request);
  SearchRoom room() const;
  // The room of an empty batch.
  SearchRoom all_room() const;
  // Memory of tensors: caches, and activations of the steps so far.
  int64_t bytes_held() const;
  // Number of unfinished sentences.
  int64_t running() const;
  // One decoding step of every sentence; appends the results of those that it finishes.
  void step(std::vector<SearchResult>& results);

  // Removes an unfinished sentence, which will have no result; false if there is none of this id.
  bool cancel(int64_t request_id);
  // The stable prefix of an unfinished sentence's translation, which later steps cannot change,
  // without scores. Beam search: one hypothesis, the beginning that all hypotheses share. Sampling:
  // each sample so far, in the order of their numbers. Empty before the first step. Does not change
  // the sentence.
  SearchResult partial(int64_t request_id) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Searches all sources on the calling thread, by a search that has no unfinished sentences. Result
// i belongs to sources[i] and prefixes[i]; there are as many prefixes as sources, or none. Throws
// as check_options() does.
std::vector<SearchResult> search(Search& batch, const SearchOptions& options,
                                 const std::vector<std::vector<TokenId>>& sources,
                                 const std::vector<std::vector<TokenId>>& prefixes = {});

}  // namespace heed
