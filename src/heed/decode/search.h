// Beam search and sampling over token ids: many sentences at once, each as if it were alone.
#pragma once

#include <memory>
#include <vector>

#include "heed/decode/forced_prefix.h"
#include "heed/decode/search_options.h"
#include "heed/model/transformer.h"

namespace heed {

// A finished translation, without the start token and </s>.
struct Hypothesis {
  std::vector<TokenId> ids;
  double log_probability = 0;  // natural logarithm, by the model, of all tokens and </s>
  double score = 0;            // log_probability / ((5 + length) / 6)^length_penalty
  bool ended = true;           // false: no </s> within the maximum length
};

struct SearchResult {
  int64_t tag = 0;  // of add()
  // At most `nbest` different ones, best first. Samples: `nbest`, equal ones included, in the order
  // in which they are numbered.
  std::vector<Hypothesis> hypotheses;
};

// A batch with continuous batching, for one thread: sentences join at any step and leave as soon as
// they are finished. The result of a sentence does not depend on the others.
class Search {
 public:
  // The model must outlive the search. Throws as check_options() does.
  Search(const Transformer& model, Backend& backend, const SearchOptions& options);
  ~Search();

  // Longest source (with </s>) that the model's positions allow.
  int64_t source_limit() const;
  // Whether add() has room for a source of this length now. An empty batch always has.
  bool has_room(int64_t source_length) const;
  // Maximum length of a translation, </s> included.
  int64_t target_limit(int64_t source_length) const;
  // Adds a sentence. `source` ends with </s> and is at most source_limit() long; the prefix has
  // fewer ids than target_limit().
  void add(int64_t tag, std::vector<TokenId> source, ForcedPrefix prefix = {});
  // Number of unfinished sentences.
  int64_t running() const;
  // One decoding step of every sentence; appends the results of those that it finishes.
  void step(std::vector<SearchResult>& results);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Searches all sources on the calling thread. Result i belongs to sources[i] and prefixes[i], which
// are as many as the sources or none.
std::vector<SearchResult> search(const Transformer& model, Backend& backend,
                                 const SearchOptions& options,
                                 const std::vector<std::vector<TokenId>>& sources,
                                 const std::vector<ForcedPrefix>& prefixes = {});

// ((5 + length) / 6)^alpha.
double length_penalty(int64_t length, double alpha);

}  // namespace heed
