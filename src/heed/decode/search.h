// Beam search and sampling over token ids: many sentences at once, each as if it were alone.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "heed/decode/forced_prefix.h"
#include "heed/decode/sampling.h"
#include "heed/model/transformer.h"

namespace heed {

struct SearchOptions {
  // Hypotheses kept at each step (section 6.1); none is 4. A sample has no beam.
  std::optional<int64_t> beam;
  double length_penalty = 0.6;  // alpha of the paper's section 6.1 (Wu et al., 2016, equation 14)
  int64_t extra_length = 50;  // a translation has at most source + this many tokens, </s> included
  int64_t max_length = 0;     // instead: this many, whatever the source; 0 is no such bound
  int64_t min_length = 0;     // </s> does not come before this many tokens
  int64_t nbest = 1;          // hypotheses wanted, at most `beam`; or samples, as many as wanted
  int64_t no_repeat_ngram = 0;  // n-grams of this length are not repeated; 0 disables

  // Diverse beam search (Vijayakumar et al., 2016): the beam is cut into groups, and a token that
  // earlier groups chose at the same step loses `diversity` (none is 0.5) for each time.
  int64_t diverse_groups = 1;
  std::optional<double> diversity;

  // Instead of a beam: `nbest` independent samples. What is drawn depends on the seed (none is 1),
  // the source, the sample's number and the position alone.
  bool sample = false;
  std::optional<double> temperature, top_p;  // as in SamplingOptions, whose values none stands for
  std::optional<int64_t> top_k, seed;

  int64_t batch_tokens = 2048;  // source tokens that one worker takes in at a time

  int64_t beam_size() const { return beam.value_or(4); }

  // The options of the command line (core/options.h).
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v.group("Search");
    v("beam", self.beam,
      {.help = "Beam size; 1: greedy search. Not with --sample",
       .default_text = "4",
       .minimum = 1,
       .maximum = 1024});
    v("length_penalty", self.length_penalty,
      {.help = "Length penalty (alpha in the paper); larger values favour longer translations",
       .minimum = 0,
       .maximum = 10});
    v("extra_length", self.extra_length,
      {.help = "Maximum length of a translation beyond the length of its source",
       .unit = "tokens",
       .minimum = 0,
       .maximum = 65536});
    v("max_length", self.max_length,
      {.help =
           "Maximum length of a translation, </s> included; 0: source length plus --extra-length",
       .unit = "tokens",
       .minimum = 0,
       .maximum = 65536});
    v("min_length", self.min_length,
      {.help = "Minimum length of a translation, </s> not included",
       .unit = "tokens",
       .minimum = 0,
       .maximum = 65536});
    v("nbest", self.nbest,
      {.help =
           "Number of translations for each line, at most --beam; with --sample: number of samples",
       .minimum = 1,
       .maximum = 1024});
    v("no_repeat_ngram", self.no_repeat_ngram,
      {.help = "Forbid repeated n-grams of this length; 0 disables",
       .unit = "tokens",
       .minimum = 0,
       .maximum = 64});
    v("diverse_groups", self.diverse_groups,
      {.help = "Number of beam groups in diverse beam search (Vijayakumar et al., 2016); --nbest "
               "takes from each in turn",
       .minimum = 1,
       .maximum = 1024});
    v("diversity", self.diversity,
      {.help =
           "Penalty on a token's log-probability for each hypothesis of earlier groups that chose "
           "it at the same step",
       .default_text = "0.5",
       .minimum = 0,
       .maximum = 100});
    visit_sampling(self, v);
    v.group("Running");
    v("batch_tokens", self.batch_tokens,
      {.help = "Maximum number of source tokens in a thread's batch; does not affect the result",
       .unit = "tokens",
       .minimum = 1,
       .maximum = 1 << 20,
       .incidental = true});
  }

 private:
  template <class Self, class Visitor>
  static void visit_sampling(Self& self, Visitor&& v) {
    v.group("Sampling");
    v("sample", self.sample,
      {.help = "Sample from the model's distribution instead of beam search; the draws depend only "
               "on --seed and the line"});
    v("temperature", self.temperature,
      {.help = "Sampling temperature; values below 1 favour probable tokens",
       .default_text = "1",
       .maximum = 100,
       .above = 0});
    v("top_k", self.top_k,
      {.help = "Sample from the K most probable tokens", .default_text = "all", .minimum = 1});
    v("top_p", self.top_p,
      {.help =
           "Sample from the smallest set of most probable tokens whose total probability reaches "
           "this value, after --top-k",
       .default_text = "1",
       .maximum = 1,
       .above = 0});
    v("seed", self.seed, {.help = "Random seed for sampling", .default_text = "1", .minimum = 0});
  }
};

// Throws UsageError where options are out of range, contradict each other or would change nothing.
void check_options(const SearchOptions& options);

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
