// Beam search and sampling over token ids: many sentences at once, each as if it were alone.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "heed/decode/beginning.h"
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
  // groups before have just taken loses `diversity` (none is 0.5) for each time.
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

// A translation in ids, without the start and without </s>.
struct Candidate {
  std::vector<TokenId> ids;
  double log_probability = 0;  // natural, the model's own, of all tokens, </s> included
  double score = 0;            // log_probability / ((5 + length) / 6)^length_penalty
  bool ended = true;           // false: it stands at the greatest length without </s>
};

struct Found {
  int64_t tag = 0;  // what add() was given
  // `nbest` of them or as many as there are, no two alike: best first. Samples: as many as wanted,
  // alike or not, in the order of their numbers.
  std::vector<Candidate> candidates;
};

// The running batch of one worker. New sentences join it at any step, finished ones leave at once;
// neither changes what the others find.
class Search {
 public:
  // The model must outlive the search. Throws as check_options() does.
  Search(const Transformer& model, Backend& backend, const SearchOptions& options);
  ~Search();

  // Longest source (with </s>) that the model's positions allow.
  int64_t source_limit() const;
  // Whether add() would have room for a source of so many tokens now. An empty batch always has.
  bool has_room(int64_t source_length) const;
  // The greatest length of a translation, </s> included.
  int64_t target_limit(int64_t source_length) const;
  // Takes in a sentence. `source` ends with </s> and is at most source_limit() long. A beginning
  // has fewer ids than target_limit(); what it spells must outlive the sentence.
  void add(int64_t tag, std::vector<TokenId> source, Beginning beginning = {});
  // Sentences inside.
  int64_t running() const;
  // One step for all of them; appends those that are finished.
  void step(std::vector<Found>& found);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Searches all sources on the calling thread; found[i] belongs to sources[i], which begins with
// beginnings[i] where there are any.
std::vector<Found> search(const Transformer& model, Backend& backend, const SearchOptions& options,
                          const std::vector<std::vector<TokenId>>& sources,
                          const std::vector<Beginning>& beginnings = {});

// ((5 + length) / 6)^alpha.
double length_penalty(int64_t length, double alpha);

}  // namespace heed
