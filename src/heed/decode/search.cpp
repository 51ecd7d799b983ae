#include "heed/decode/search.h"

#include <algorithm>

#include "heed/decode/decoding_step.h"
#include "heed/decode/search_constraints.h"

namespace heed {
namespace {

// Up to this beam size batch_tokens alone limits the number of sentences; with larger beams fewer
// are decoded together.
constexpr int64_t kFullBatchBeam = 16;

// A sentence in the batch.
struct Sentence {
  SearchRequest request;
  int64_t max_length = 0;
  SearchRoom needs;                  // at most
  std::vector<int32_t> source_rows;  // of the model's memory
  std::vector<int32_t> rows;         // the same, of all hypotheses
  int64_t first_row = -1;            // of its first step, which predicts the prefix
  std::vector<HypothesisGroup> groups;
  uint64_t seed = 0;  // of samples
  bool done = false;

  // Asks the constraints what may follow each hypothesis.
  void constrain() {
    const Constraints& all = request.constraints;
    if (all.empty()) return;
    std::vector<ConstrainedHypothesis> hypotheses;
    for (size_t i = 0; i < all.size(); ++i) {
      hypotheses.clear();
      for (HypothesisGroup& group : groups) {
        for (ActiveHypothesis& h : group.active) {
          h.constrained.states.resize(all.size());
          hypotheses.push_back({h.ids, h.constrained.seen, h.constrained.states[i], h.next});
        }
      }
      all[i]->update(hypotheses);
    }
    for (HypothesisGroup& group : groups)
      for (ActiveHypothesis& h : group.active) h.constrained.seen = h.ids.size();
  }

  // The largest number of tokens that are banned after one hypothesis.
  int64_t max_banned() const {
    size_t most = 0;
    for (const HypothesisGroup& group : groups)
      for (const ActiveHypothesis& h : group.active) most = std::max(most, h.next.banned().size());
    return int64_t(most);
  }
};

Hypothesis unfinished(const ActiveHypothesis& h) {
  return {h.ids, h.log_probability, 0, false, h.log_probabilities};
}

// The common beginning of all hypotheses of a beam, and so of any result.
Hypothesis common_beginning(const std::vector<HypothesisGroup>& groups) {
  std::optional<Hypothesis> beginning;
  const auto add = [&](const auto& h) {
    if (!beginning) beginning = Hypothesis{h.ids, 0, 0, false, h.log_probabilities};
    const auto [end, other] = std::ranges::mismatch(beginning->ids, h.ids);
    const auto common = size_t(end - beginning->ids.begin());
    beginning->ids.resize(common);
    beginning->log_probabilities.resize(common);
  };
  for (const HypothesisGroup& group : groups) {
    for (const ActiveHypothesis& h : group.active) add(h);
    for (const Hypothesis& h : group.finished) add(h);
  }
  check(beginning.has_value(), "the beam has no hypotheses");
  return std::move(*beginning);
}

// Unused rows of a model's memory. Last in, first out: they may still be in the CPU's cache.
class FreeList {
 public:
  explicit FreeList(int64_t count) {
    for (int64_t i = count; i > 0; --i) free_.push_back(int32_t(i - 1));
  }
  int32_t take() {
    check(!free_.empty(), "no row is left");
    const int32_t row = free_.back();
    free_.pop_back();
    return row;
  }
  void give(std::vector<int32_t>& rows) {
    free_.insert(free_.end(), rows.rbegin(), rows.rend());
    rows.clear();
  }

 private:
  std::vector<int32_t> free_;
};

}  // namespace

SearchRoom& SearchRoom::operator-=(const SearchRoom& other) {
  source_tokens -= other.source_tokens;
  target_rows -= other.target_rows;
  step_rows -= other.step_rows;
  return *this;
}

SearchShape::SearchShape(int64_t max_positions, const SearchLimits& limits) {
  check(limits.hypotheses >= 1 && limits.batch_tokens >= 1, "limits of a search below 1");
  // Room for every sentence at its maximum length. With a large beam fewer sentences are decoded
  // together: the steps are large enough, and memory is bounded.
  const int64_t positions = std::max(
      2 * limits.batch_tokens * kFullBatchBeam / std::max(kFullBatchBeam, limits.hypotheses),
      max_positions);
  rows = {positions * limits.hypotheses, std::max(limits.batch_tokens, max_positions)};
  // Every row of a step has logits, so their number is limited: to that of source tokens, which
  // only very short sentences with many hypotheses, or long prefixes, would exceed.
  step_rows = std::max(rows.source, limits.hypotheses);
}

struct Search::State {
  State(std::unique_ptr<StepModel> steps, Backend& backend, const SearchLimits& limits)
      : model(std::move(steps)),
        described(model->description()),
        backend(backend),
        limits(limits),
        shape(described.max_positions, limits),
        targets(shape.rows.target),
        sources(shape.rows.source) {
    model->reserve(shape.rows);
  }

  // Rows of hypotheses: one for each position of each hypothesis. The first step needs one row for
  // each position of the prefix, later ones at most one for each hypothesis.
  SearchRoom needs(int64_t source_length, const SearchOptions& options,
                   int64_t prefix_length) const {
    const int64_t most = max_target_length(options, source_length, described.max_positions);
    const int64_t hypotheses = options.hypothesis_count();
    return {source_length, most * hypotheses, std::max(hypotheses, prefix_length + 1)};
  }

  auto find(int64_t request_id) const {
    return std::find_if(sentences.begin(), sentences.end(), [&](const auto& sentence) {
      return sentence->request.request_id == request_id;
    });
  }

  // Shows the model the sources of the sentences that joined, together.
  void admit_new() {
    if (fresh.empty()) return;
    Tokens tokens;
    Indices rows;
    for (const Sentence* sentence : fresh) {
      tokens.add(sentence->request.source);
      rows.append(sentence->source_rows);
    }
    model->admit(tokens, rows);
    fresh.clear();
  }

  // The new tokens of all active hypotheses.
  StepTokens next_tokens() {
    StepTokens step;
    for (const auto& sentence : sentences) {
      const auto before = int64_t(step.tokens.ids.size());
      if (sentence->groups.empty())
        begin(*sentence, step);
      else
        continue_decoding(*sentence, step);
      sentence->constrain();
      step.sentences.add(int64_t(step.tokens.ids.size()) - before);
      step.sources.lengths.add(int64_t(sentence->source_rows.size()));
      step.sources.rows.append(sentence->source_rows);
    }
    return step;
  }

  // The first step, one sequence for all groups: the start token and the prefix.
  void begin(Sentence& sentence, StepTokens& step) {
    ActiveHypothesis h;
    h.ids = sentence.request.prefix;
    std::vector<TokenId> sequence = {described.start_id};
    sequence.insert(sequence.end(), h.ids.begin(), h.ids.end());
    sentence.first_row = int64_t(step.tokens.ids.size());
    for (size_t i = 0; i < sequence.size(); ++i) h.cache_rows.push_back(targets.take());
    sentence.rows = h.cache_rows;
    step.new_rows.append(h.cache_rows);
    add_sequence(h, sequence, step);
    const SearchOptions& options = sentence.request.options;
    sentence.groups.resize(size_t(options.sample ? options.nbest : options.beam_groups));
    for (size_t i = 0; i < sentence.groups.size(); ++i) {
      HypothesisGroup& group = sentence.groups[i];
      group.active = {h};
      group.number = int64_t(i);
      group.trace = sentence.request.trace;
      // Comparing texts cannot change which hypothesis is the best.
      if (!options.sample && options.nbest > 1)
        group.target_tokenizer = sentence.request.target_tokenizer;
    }
  }

  // The last token of every active hypothesis.
  void continue_decoding(Sentence& sentence, StepTokens& step) {
    for (HypothesisGroup& group : sentence.groups) {
      for (ActiveHypothesis& h : group.active) {
        h.cache_rows.push_back(targets.take());
        sentence.rows.push_back(h.cache_rows.back());
        step.new_rows.push_back(h.cache_rows.back());
        add_sequence(h, std::span(&h.ids.back(), 1), step);
      }
    }
  }

  // `sequence` is the last tokens of the hypothesis.
  static void add_sequence(ActiveHypothesis& h, std::span<const TokenId> sequence,
                           StepTokens& step) {
    step.tokens.add(sequence);
    step.tokens.start.push_back(int32_t(h.cache_rows.size() - sequence.size()));
    step.past.lengths.add(int64_t(h.cache_rows.size()));
    step.past.rows.append(h.cache_rows);
    h.logits_row = int64_t(step.tokens.ids.size()) - 1;
  }

  // The k of the top-k that any sentence may need of a row.
  int64_t candidates_needed() const {
    int64_t most = 1;
    for (const auto& sentence : sentences) {
      most = std::max(
          most, DecodingStep::candidates_needed(sentence->request.options, sentence->max_banned()));
      if (sentence->request.trace) most = std::max(most, SearchTrace::kLikeliest);
    }
    return most;
  }

  // The log-probabilities of the prefix, which was decoded in one step.
  static void predict_prefix(Sentence& sentence, Predictions& next) {
    const std::vector<TokenId>& ids = sentence.request.prefix;
    SearchTrace* const trace = sentence.request.trace;
    ActiveHypothesis h = std::move(sentence.groups[0].active[0]);
    for (size_t i = 0; i < ids.size(); ++i) {
      const int64_t row = sentence.first_row + int64_t(i);
      const double log_probability = next.log_probability(row, ids[i]);
      h.log_probability += log_probability;
      h.log_probabilities.push_back(log_probability);
      if (!trace) continue;
      trace->set_likeliest(h.node, next.best(row).ids, next.best(row).log_probabilities);
      h.node = trace->add({h.node, ids[i], log_probability, h.log_probability, h.log_probability,
                           HypothesisFate::forced});
    }
    for (HypothesisGroup& group : sentence.groups) group.active[0] = h;
  }

  void decode_step(Sentence& sentence, Predictions& next) {
    if (sentence.first_row >= 0) {
      predict_prefix(sentence, next);
      sentence.first_row = -1;
    }
    const SearchOptions& options = sentence.request.options;
    const DecodingStep step{options, described.end_id, sentence.max_length, next};
    std::vector<TokenId> chosen;
    sentence.done = true;
    for (size_t i = 0; i < sentence.groups.size(); ++i) {
      HypothesisGroup& group = sentence.groups[i];
      if (group.done) continue;
      if (options.sample)
        step.sample(group, uniform(sentence, i, group.active[0].ids.size()), choices);
      else
        step.beam_search(group, chosen);
      if (group.done) group.active.clear();
      sentence.done = sentence.done && group.done;
    }
  }

  // Independent of the batch and of other samples.
  static double uniform(const Sentence& sentence, size_t sample, size_t position) {
    return Random(detail::mix(detail::mix(sentence.seed, sample), position)).uniform();
  }

  // Removes the finished sentences, frees their rows and appends their results.
  void remove_finished(std::vector<SearchResult>& results) {
    const auto gone = std::stable_partition(sentences.begin(), sentences.end(),
                                            [](const auto& s) { return !s->done; });
    for (auto s = gone; s != sentences.end(); ++s) {
      release(**s);
      const SearchRequest& request = (*s)->request;
      // A text without a source need not end.
      if (!request.options.sample && !request.source.empty()) drop_unfinished((*s)->groups);
      results.push_back({request.request_id, best_hypotheses((*s)->groups, request.options)});
    }
    sentences.erase(gone, sentences.end());
  }

  // Frees the rows of the sentence.
  void release(Sentence& sentence) {
    targets.give(sentence.rows);
    sources.give(sentence.source_rows);
  }

  const std::unique_ptr<StepModel> model;
  const StepModel::Description described;
  Backend& backend;
  const SearchLimits limits;
  const SearchShape shape;
  FreeList targets, sources;
  std::vector<TokenWeight> choices;  // scratch memory of sampling
  std::vector<std::unique_ptr<Sentence>> sentences;
  std::vector<const Sentence*> fresh;  // whose sources the model has not seen
};

Search::Search(std::unique_ptr<StepModel> model, Backend& backend, const SearchLimits& limits)
    : state_(std::make_unique<State>(std::move(model), backend, limits)) {}

Search::~Search() = default;

int64_t Search::source_limit() const {
  return state_->described.reads_sources ? state_->described.max_positions : 0;
}

bool Search::has_room(int64_t source_length, const SearchOptions& options,
                      int64_t prefix_length) const {
  const State& s = *state_;
  if (s.sentences.empty()) return true;
  const SearchRoom left = room(), needed = s.needs(source_length, options, prefix_length);
  return needed.source_tokens <= left.source_tokens && needed.target_rows <= left.target_rows &&
         needed.step_rows <= left.step_rows;
}

SearchRoom Search::room() const {
  SearchRoom left = all_room();
  for (const auto& sentence : state_->sentences) left -= sentence->needs;
  return left;
}

SearchRoom Search::all_room() const {
  const State& s = *state_;
  return {s.limits.batch_tokens, s.shape.rows.target, s.shape.step_rows};
}

void Search::add(SearchRequest request) {
  State& s = *state_;
  const SearchOptions& options = request.options;
  const auto length = int64_t(request.source.size());
  const auto prefix_length = int64_t(request.prefix.size());
  check((length >= 1) == (source_limit() > 0) && length <= source_limit(),
        "a source that is empty, too long, or not read by this model");
  check(has_room(length, options, prefix_length), "no room for this source");
  check(options.hypothesis_count() <= s.limits.hypotheses, "more hypotheses than the limit");
  check(s.find(request.request_id) == s.sentences.end(), "two unfinished sentences with one id");
  auto sentence = std::make_unique<Sentence>();
  sentence->max_length = max_target_length(options, length, s.described.max_positions);
  check(prefix_length < sentence->max_length, "the prefix leaves no room for another token");
  sentence->needs = s.needs(length, options, prefix_length);
  const std::vector<TokenId>& given = request.source.empty() ? request.prefix : request.source;
  const std::vector<uint64_t> ids(given.begin(), given.end());
  sentence->seed = detail::mix(options.sampling_seed(), {reinterpret_cast<const char*>(ids.data()),
                                                         ids.size() * sizeof ids[0]});
  for (int64_t i = 0; i < length; ++i) sentence->source_rows.push_back(s.sources.take());
  for (auto& constraint : option_constraints(options, s.described.end_id))
    request.constraints.push_back(std::move(constraint));
  sentence->request = std::move(request);
  s.fresh.push_back(sentence.get());
  s.sentences.push_back(std::move(sentence));
}

bool Search::cancel(int64_t request_id) {
  State& s = *state_;
  const auto sentence = s.find(request_id);
  if (sentence == s.sentences.end()) return false;
  s.release(**sentence);
  std::erase(s.fresh, sentence->get());
  s.sentences.erase(sentence);
  return true;
}

SearchResult Search::partial(int64_t request_id) const {
  const auto found = state_->find(request_id);
  check(found != state_->sentences.end(), "no unfinished sentence with this id");
  const Sentence& sentence = **found;
  SearchResult so_far = {request_id, {}};
  if (sentence.groups.empty()) return so_far;
  if (!sentence.request.options.sample) {
    so_far.hypotheses.push_back(common_beginning(sentence.groups));
    return so_far;
  }
  for (const HypothesisGroup& group : sentence.groups)
    so_far.hypotheses.push_back(group.finished.empty() ? unfinished(group.active.front())
                                                       : Hypothesis(group.finished.front()));
  return so_far;
}

int64_t Search::bytes_held() const {
  return state_->model->bytes_held();
}

int64_t Search::running() const {
  return int64_t(state_->sentences.size());
}

void Search::step(std::vector<SearchResult>& results) {
  State& s = *state_;
  if (s.sentences.empty()) return;
  s.admit_new();
  const Tensor logits = s.model->logits(s.next_tokens());
  Predictions next(s.backend, logits, s.candidates_needed());
  for (auto& sentence : s.sentences) s.decode_step(*sentence, next);
  s.remove_finished(results);
}

std::vector<SearchResult> search(Search& batch, const SearchOptions& options,
                                 const std::vector<std::vector<TokenId>>& sources,
                                 const std::vector<std::vector<TokenId>>& prefixes) {
  check_options(options);
  check(batch.running() == 0, "the search has unfinished sentences");
  check(prefixes.empty() || prefixes.size() == sources.size(),
        "prefixes and sources differ in number");
  std::vector<SearchResult> all(sources.size()), finished;
  size_t next = 0;
  while (next < sources.size() || batch.running() > 0) {
    for (; next < sources.size(); ++next) {
      const std::vector<TokenId> prefix =
          prefixes.empty() ? std::vector<TokenId>() : prefixes[next];
      if (!batch.has_room(int64_t(sources[next].size()), options, int64_t(prefix.size()))) break;
      batch.add({int64_t(next), sources[next], prefix, options});
    }
    batch.step(finished);
    for (SearchResult& r : finished) all[size_t(r.request_id)] = std::move(r);
    finished.clear();
  }
  return all;
}

}  // namespace heed
