// Beam search over token ids: many sentences at once, each as if it were alone.
#pragma once

#include <memory>
#include <vector>

#include "heed/model/transformer.h"

namespace heed {

struct SearchOptions {
  int64_t beam = 4;             // hypotheses kept at each step (section 6.1)
  double length_penalty = 0.6;  // alpha of the paper's section 6.1 (Wu et al., 2016, equation 14)
  int64_t extra_length = 50;  // a translation has at most source + this many tokens, </s> included
  int64_t max_length = 0;     // instead: this many, whatever the source; 0 is no such bound
  int64_t min_length = 0;     // </s> does not come before this many tokens
  int64_t nbest = 1;          // hypotheses wanted, at most `beam`
  int64_t batch_tokens = 2048;  // source tokens that one worker takes in at a time

  // What stands on the command line (core/options.h).
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v.group("Search");
    v("beam", self.beam,
      {.help = "Hypotheses kept at each step; 1 is greedy", .minimum = 1, .maximum = 1024});
    v("length_penalty", self.length_penalty,
      {.help = "The paper's alpha: greater favours longer translations",
       .minimum = 0,
       .maximum = 10});
    v("extra_length", self.extra_length,
      {.help = "A translation has at most its source's tokens and so many more",
       .unit = "tokens",
       .minimum = 0,
       .maximum = 65536});
    v("max_length", self.max_length,
      {.help = "Instead: at most so many tokens, </s> included; 0 is by --extra-length",
       .unit = "tokens",
       .minimum = 0,
       .maximum = 65536});
    v("min_length", self.min_length,
      {.help = "At least so many tokens before </s>",
       .unit = "tokens",
       .minimum = 0,
       .maximum = 65536});
    v("nbest", self.nbest,
      {.help = "Translations given for each line, at most the beam",
       .minimum = 1,
       .maximum = 1024});
    v.group("Running");
    v("batch_tokens", self.batch_tokens,
      {.help = "Source tokens that a thread works on at a time; no result depends on it",
       .unit = "tokens",
       .minimum = 1,
       .maximum = 1 << 20,
       .incidental = true});
  }
};

// A translation in ids, without the start and without </s>.
struct Candidate {
  std::vector<TokenId> ids;
  double log_probability = 0;  // natural, of all tokens, </s> included
  double score = 0;            // log_probability / ((5 + length) / 6)^length_penalty
  bool ended = true;           // false: it stands at the greatest length without </s>
};

struct Found {
  int64_t tag = 0;                    // what add() was given
  std::vector<Candidate> candidates;  // best first, `nbest` of them or as many as there are
};

// The running batch of one worker. New sentences join it at any step, finished ones leave at once;
// neither changes what the others find.
class Search {
 public:
  // The model must outlive the search. Throws UsageError for options out of range.
  Search(const Transformer& model, Backend& backend, const SearchOptions& options);
  ~Search();

  // Longest source (with </s>) that the model's positions allow.
  int64_t source_limit() const;
  // Whether add() would have room for a source of so many tokens now. An empty batch always has.
  bool has_room(int64_t source_length) const;
  // Takes in a sentence. `source` ends with </s> and is at most source_limit() long.
  void add(int64_t tag, std::vector<TokenId> source);
  // Sentences inside.
  int64_t running() const;
  // One step for all of them; appends those that are finished.
  void step(std::vector<Found>& found);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Searches all sources on the calling thread; found[i] belongs to sources[i].
std::vector<Found> search(const Transformer& model, Backend& backend, const SearchOptions& options,
                          const std::vector<std::vector<TokenId>>& sources);

// ((5 + length) / 6)^alpha.
double length_penalty(int64_t length, double alpha);

}  // namespace heed
