#include "heed/decode/search.h"

#include <algorithm>

#include "heed/core/hash.h"
#include "heed/decode/decoding_step.h"

namespace heed {
namespace {

// The widest beam for which batch_tokens alone limits the number of sentences.
constexpr int64_t kWidth = 16;

// A sentence in the batch.
struct Sentence {
  explicit Sentence(DecodingConstraints c) : constraints(std::move(c)) {}

  const DecodingConstraints constraints;
  int64_t tag = 0;
  std::vector<TokenId> source;
  std::vector<int32_t> source_rows;  // of the cross-attention cache
  std::vector<int32_t> slots;        // of the self-attention cache, one for each step
  int64_t first_row = -1;            // of its first step, which predicts the prefix
  std::vector<Group> groups;
  uint64_t seed = 0;  // of samples
  bool done = false;
};

// Unused rows of a cache. Last in, first out: they may still be in the CPU's cache.
class FreeList {
 public:
  explicit FreeList(int64_t count) {
    for (int64_t i = count; i > 0; --i) free_.push_back(int32_t(i - 1));
  }
  int32_t take() {
    check(!free_.empty(), "cache overflow");
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

struct Search::State {
  State(const Transformer& model, Backend& backend, const SearchOptions& options)
      : model(model), backend(backend), options(options), pass(backend, pool) {
    const ModelConfig& config = model.config();
    check_options(options);
    width = options.width();
    // Room for every sentence at its maximum length. A wide beam has fewer sentences: its steps are
    // large enough, and memory is bounded.
    slot_count =
        std::max(2 * options.batch_tokens * kWidth / std::max(kWidth, width), config.max_positions);
    cross_rows = std::max(options.batch_tokens, config.max_positions);
    slots = std::make_unique<FreeList>(slot_count);
    sources = std::make_unique<FreeList>(cross_rows);
    cache = DecoderCache(config, backend, pool, slot_count * width, cross_rows);
  }

  int64_t target_limit(int64_t source_length) const {
    return max_target_length(options, source_length, model.config().max_positions);
  }

  // Encodes the sentences that joined, together, and keeps their keys and values.
  void encode_new() {
    if (fresh.empty()) return;
    Tokens tokens;
    std::vector<int32_t> rows;
    for (size_t i : fresh) {
      tokens.add(sentences[i]->source);
      rows.insert(rows.end(), sentences[i]->source_rows.begin(), sentences[i]->source_rows.end());
    }
    const Memory memory = model.encode(pass, tokens);
    for (int64_t layer = 0; layer < cache.layers(); ++layer)
      cache.write_source(pass, layer, model.cross_key_value(pass, memory, layer), rows);
    fresh.clear();
  }

  // The new tokens of all live hypotheses, and the rows for their keys and values.
  Tokens next_tokens() {
    Tokens tokens;
    cache.new_rows.clear();
    cache.past = {};
    cache.groups = {};
    cache.source = {};
    for (const auto& sentence : sentences) {
      const auto before = int64_t(tokens.ids.size());
      if (sentence->groups.empty())
        begin(*sentence, tokens);
      else
        continue_decoding(*sentence, tokens);
      cache.groups.add(int64_t(tokens.ids.size()) - before);
      cache.source.layout.add(int64_t(sentence->source_rows.size()));
      cache.source.rows.insert(cache.source.rows.end(), sentence->source_rows.begin(),
                               sentence->source_rows.end());
    }
    return tokens;
  }

  // The first step, one sequence for all groups: the start token and the prefix.
  void begin(Sentence& sentence, Tokens& tokens) {
    LiveHypothesis h;
    h.ids = sentence.constraints.prefix_ids();
    std::vector<TokenId> sequence = {model.config().pad_id()};
    sequence.insert(sequence.end(), h.ids.begin(), h.ids.end());
    sentence.first_row = int64_t(tokens.ids.size());
    for (size_t i = 0; i < sequence.size(); ++i) {
      sentence.slots.push_back(slots->take());
      h.rows.push_back(int32_t(sentence.slots.back() * width));
    }
    cache.new_rows.insert(cache.new_rows.end(), h.rows.begin(), h.rows.end());
    add_sequence(h, sequence, sentence.constraints, tokens);
    sentence.groups.resize(size_t(options.sample ? options.nbest : options.diverse_groups));
    for (Group& group : sentence.groups) group.live = {h};
  }

  // The last token of every live hypothesis.
  void continue_decoding(Sentence& sentence, Tokens& tokens) {
    const int32_t slot = slots->take();
    sentence.slots.push_back(slot);
    auto row = int32_t(slot * width);
    for (Group& group : sentence.groups) {
      for (LiveHypothesis& h : group.live) {
        h.rows.push_back(row++);
        cache.new_rows.push_back(h.rows.back());
        add_sequence(h, std::span(&h.ids.back(), 1), sentence.constraints, tokens);
      }
    }
  }

  // `sequence` is the last tokens of the hypothesis.
  void add_sequence(LiveHypothesis& h, std::span<const TokenId> sequence,
                    const DecodingConstraints& constraints, Tokens& tokens) {
    tokens.add(sequence);
    tokens.start.push_back(int32_t(h.rows.size() - sequence.size()));
    cache.past.layout.add(int64_t(h.rows.size()));
    cache.past.rows.insert(cache.past.rows.end(), h.rows.begin(), h.rows.end());
    h.row = int64_t(tokens.ids.size()) - 1;
    constraints.update(h.constraints, h.ids);
  }

  // The largest number of ids banned for a hypothesis.
  int64_t most_banned() const {
    size_t most = 0;
    for (const auto& sentence : sentences)
      for (const Group& group : sentence->groups)
        for (const LiveHypothesis& h : group.live)
          most = std::max(most, h.constraints.banned.size());
    return int64_t(most);
  }

  void decode_step(Sentence& sentence, Predictions& next) {
    if (sentence.first_row >= 0) {
      double sum = 0;
      int64_t row = sentence.first_row;
      for (const TokenId id : sentence.constraints.prefix_ids())
        sum += next.log_probability(row++, id);
      for (Group& group : sentence.groups) group.live[0].log_probability = sum;
      sentence.first_row = -1;
    }
    const DecodingStep step(options, sentence.constraints, next);
    std::vector<TokenId> chosen;
    sentence.done = true;
    for (size_t i = 0; i < sentence.groups.size(); ++i) {
      Group& group = sentence.groups[i];
      if (group.done) continue;
      if (options.sample)
        step.sample(group, uniform(sentence, i, group.live[0].ids.size()), choices);
      else
        step.beam_search(group, chosen);
      if (group.done) group.live.clear();
      sentence.done = sentence.done && group.done;
    }
  }

  // Independent of the batch and of other samples.
  static double uniform(const Sentence& sentence, size_t sample, size_t position) {
    return Random(mix(mix(sentence.seed, sample), position)).uniform();
  }

  // Removes the finished sentences, frees their rows and appends their results.
  void remove_finished(std::vector<SearchResult>& results) {
    const auto gone = std::stable_partition(sentences.begin(), sentences.end(),
                                            [](const auto& s) { return !s->done; });
    for (auto s = gone; s != sentences.end(); ++s) {
      Sentence& sentence = **s;
      reserved -= sentence.constraints.max_length();
      source_tokens -= int64_t(sentence.source.size());
      slots->give(sentence.slots);
      sources->give(sentence.source_rows);
      results.push_back({sentence.tag, best_hypotheses(sentence.groups, options)});
    }
    sentences.erase(gone, sentences.end());
  }

  const Transformer& model;
  Backend& backend;
  SearchOptions options;
  Pool pool;
  Pass pass;
  DecoderCache cache;
  std::vector<Choice> choices;  // scratch memory of sampling
  int64_t width = 1;            // rows of a slot: live hypotheses of a sentence
  int64_t slot_count = 0, cross_rows = 0;
  int64_t reserved = 0;       // slots for the sentences at their maximum lengths
  int64_t source_tokens = 0;  // of all sentences
  std::unique_ptr<FreeList> slots, sources;
  std::vector<std::unique_ptr<Sentence>> sentences;
  std::vector<size_t> fresh;  // not encoded yet
};

Search::Search(const Transformer& model, Backend& backend, const SearchOptions& options)
    : state_(std::make_unique<State>(model, backend, options)) {}

Search::~Search() = default;

int64_t Search::source_limit() const {
  return state_->model.config().max_positions;
}

int64_t Search::target_limit(int64_t source_length) const {
  return state_->target_limit(source_length);
}

bool Search::has_room(int64_t source_length) const {
  const State& s = *state_;
  if (s.sentences.empty()) return true;
  return s.source_tokens + source_length <= s.options.batch_tokens &&
         s.reserved + s.target_limit(source_length) <= s.slot_count;
}

void Search::add(int64_t tag, std::vector<TokenId> source, ForcedPrefix prefix) {
  State& s = *state_;
  const int64_t length = int64_t(source.size());
  check(length >= 1 && length <= source_limit() && has_room(length), "no room for this source");
  auto sentence = std::make_unique<Sentence>(DecodingConstraints(
      s.options, target_limit(length), s.model.config().end_id(), std::move(prefix)));
  sentence->tag = tag;
  Hash text;
  for (const TokenId id : source) text.add(uint64_t(id));
  sentence->seed = mix(s.options.sampling_seed(), text.value());
  for (int64_t i = 0; i < length; ++i) sentence->source_rows.push_back(s.sources->take());
  sentence->source = std::move(source);
  s.reserved += sentence->constraints.max_length();
  s.source_tokens += length;
  s.fresh.push_back(s.sentences.size());
  s.sentences.push_back(std::move(sentence));
}

int64_t Search::running() const {
  return int64_t(state_->sentences.size());
}

void Search::step(std::vector<SearchResult>& results) {
  State& s = *state_;
  if (s.sentences.empty()) return;
  s.encode_new();
  const Tokens tokens = s.next_tokens();
  const Tensor states = s.model.decode(s.pass, tokens, s.cache);
  const Tensor logits = s.model.logits(s.pass, states);
  Predictions next(s.backend, logits, DecodingStep::best_needed(s.options, s.most_banned()));
  for (auto& sentence : s.sentences) s.decode_step(*sentence, next);
  s.remove_finished(results);
}

std::vector<SearchResult> search(const Transformer& model, Backend& backend,
                                 const SearchOptions& options,
                                 const std::vector<std::vector<TokenId>>& sources,
                                 const std::vector<ForcedPrefix>& prefixes) {
  check(prefixes.empty() || prefixes.size() == sources.size(), "as many prefixes as sources");
  Search batch(model, backend, options);
  std::vector<SearchResult> all(sources.size()), finished;
  size_t next = 0;
  while (next < sources.size() || batch.running() > 0) {
    while (next < sources.size() && batch.has_room(int64_t(sources[next].size()))) {
      batch.add(int64_t(next), sources[next], prefixes.empty() ? ForcedPrefix() : prefixes[next]);
      ++next;
    }
    batch.step(finished);
    for (SearchResult& r : finished) all[size_t(r.tag)] = std::move(r);
    finished.clear();
  }
  return all;
}

}  // namespace heed
