#include "heed/decode/search.h"

#include <algorithm>
#include <cmath>

#include "heed/core/options.h"

namespace heed {
namespace {

// A translation in the making.
struct Hypothesis {
  std::vector<TokenId> ids;   // without the start
  std::vector<int32_t> rows;  // its past: rows of the cache, oldest first
  double log_probability = 0;
};

// One way to go on: hypothesis `parent` and then `id`.
struct Step {
  int64_t parent;
  TokenId id;
  double log_probability;
};

// A sentence in the batch.
struct Sentence {
  int64_t tag = 0;
  std::vector<TokenId> source;
  int64_t max_length = 0;
  std::vector<int32_t> source_rows;  // in the cross caches
  std::vector<int32_t> stripes;      // in the self caches, one a step
  std::vector<Hypothesis> live;
  std::vector<Candidate> finished;  // best first
  bool done = false;
};

// Rows of a cache that nobody uses. Last freed, first taken: they may still be in the core's cache.
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

double length_penalty(int64_t length, double alpha) {
  return std::pow((5.0 + double(length)) / 6.0, alpha);
}

struct Search::State {
  State(const Transformer& model, Backend& backend, const SearchOptions& options)
      : model(model), backend(backend), options(options), pass(backend, pool) {
    const ModelConfig& config = model.config();
    validate(options);
    if (options.nbest > options.beam)
      fail_usage("--nbest: expected at most the beam, {}, got '{}'", options.beam, options.nbest);
    // Room for the worst case of what is taken in: every sentence runs to its greatest length.
    stripe_count = std::max(2 * options.batch_tokens, config.max_positions);
    cross_rows = std::max(options.batch_tokens, config.max_positions);
    stripes = std::make_unique<FreeList>(stripe_count);
    sources = std::make_unique<FreeList>(cross_rows);
    const int64_t columns = backend.kept_columns(config.d_model);
    // Pooled memory is not touched before it is written, so unused room costs address space only.
    for (int64_t i = 0; i < config.decoder_layers; ++i)
      cache.layers.push_back({pool.tensor({stripe_count * options.beam, columns}),
                              pool.tensor({cross_rows, columns})});
  }

  int64_t greatest_length(int64_t source_length) const {
    const int64_t wanted =
        options.max_length > 0 ? options.max_length : source_length + options.extra_length;
    return std::clamp<int64_t>(wanted, 1, model.config().max_positions);
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
    for (size_t layer = 0; layer < cache.layers.size(); ++layer)
      backend.keep(model.cross_key_values(pass, memory, int64_t(layer)), rows,
                   cache.layers[layer].cross);
    fresh.clear();
  }

  // The last token of every live hypothesis, and where its keys and values are to be kept.
  Tokens next_tokens() {
    Tokens tokens;
    cache.store.clear();
    cache.past = {};
    cache.groups = {};
    cache.source = {};
    for (const auto& sentence : sentences) {
      const int32_t stripe = stripes->take();
      sentence->stripes.push_back(stripe);
      for (size_t k = 0; k < sentence->live.size(); ++k) {
        Hypothesis& h = sentence->live[k];
        const TokenId last = h.ids.empty() ? model.config().pad_id() : h.ids.back();
        tokens.add(std::span(&last, 1));
        tokens.start.push_back(int32_t(h.ids.size()));
        h.rows.push_back(int32_t(stripe * options.beam + int64_t(k)));
        cache.store.push_back(h.rows.back());
        cache.past.layout.add(int64_t(h.rows.size()));
        cache.past.rows.insert(cache.past.rows.end(), h.rows.begin(), h.rows.end());
      }
      cache.groups.add(int64_t(sentence->live.size()));
      cache.source.layout.add(int64_t(sentence->source_rows.size()));
      cache.source.rows.insert(cache.source.rows.end(), sentence->source_rows.begin(),
                               sentence->source_rows.end());
    }
    return tokens;
  }

  // The best ways on of one sentence, best first: 2 * beam, so that enough remain when all others
  // end. `first` is the sentence's first row in `top`.
  std::vector<Step> ways_on(const Sentence& sentence, const TopClasses& top, int64_t first,
                            int64_t k) const {
    std::vector<Step> ways;
    const int64_t length = int64_t(sentence.live[0].ids.size()) + 1;
    for (size_t i = 0; i < sentence.live.size(); ++i) {
      for (int64_t j = 0; j < k; ++j) {
        const size_t at = size_t((first + int64_t(i)) * k + j);
        if (top.ids[at] == model.config().end_id() && length <= options.min_length) continue;
        ways.push_back({int64_t(i), top.ids[at],
                        sentence.live[i].log_probability + double(top.log_probabilities[at])});
      }
    }
    const auto better = [](const Step& a, const Step& b) {
      if (a.log_probability != b.log_probability) return a.log_probability > b.log_probability;
      return a.parent != b.parent ? a.parent < b.parent : a.id < b.id;
    };
    const auto kept = std::min<ptrdiff_t>(ptrdiff_t(ways.size()), 2 * options.beam);
    std::partial_sort(ways.begin(), ways.begin() + kept, ways.end(), better);
    ways.resize(size_t(kept));
    return ways;
  }

  void finish(Sentence& sentence, Candidate candidate, int64_t length) const {
    candidate.score = candidate.log_probability / length_penalty(length, options.length_penalty);
    const auto place =
        std::upper_bound(sentence.finished.begin(), sentence.finished.end(), candidate,
                         [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
    sentence.finished.insert(place, std::move(candidate));
  }

  // Whether nothing alive can still come among the nbest: log-probabilities only fall, and the
  // penalty is most generous at the greatest length.
  bool settled(const Sentence& sentence) const {
    if (sentence.live.empty() || int64_t(sentence.finished.size()) >= options.beam) return true;
    if (int64_t(sentence.finished.size()) < options.nbest) return false;
    const double bound = sentence.live[0].log_probability /
                         length_penalty(sentence.max_length, options.length_penalty);
    return sentence.finished[size_t(options.nbest) - 1].score >= bound;
  }

  void advance(Sentence& sentence, const TopClasses& top, int64_t first, int64_t k) const {
    const int64_t length = int64_t(sentence.live[0].ids.size()) + 1;
    std::vector<Hypothesis> next;
    const std::vector<Step> ways = ways_on(sentence, top, first, k);
    for (size_t i = 0; i < ways.size() && int64_t(next.size()) < options.beam; ++i) {
      const Hypothesis& parent = sentence.live[size_t(ways[i].parent)];
      if (ways[i].id == model.config().end_id()) {
        // An end counts only where it would have been kept as a hypothesis.
        if (int64_t(i) < options.beam)
          finish(sentence, {parent.ids, ways[i].log_probability, 0, true}, length);
        continue;
      }
      Hypothesis h = parent;
      h.ids.push_back(ways[i].id);
      h.log_probability = ways[i].log_probability;
      next.push_back(std::move(h));
    }
    sentence.live = std::move(next);
    if (length >= sentence.max_length) {
      for (Hypothesis& h : sentence.live)
        finish(sentence, {std::move(h.ids), h.log_probability, 0, false}, length);
      sentence.live.clear();
    }
    sentence.done = settled(sentence);
  }

  // Hands out the finished sentences and frees what they held.
  void leave(std::vector<Found>& found) {
    const auto gone = std::stable_partition(sentences.begin(), sentences.end(),
                                            [](const auto& s) { return !s->done; });
    for (auto s = gone; s != sentences.end(); ++s) {
      Sentence& sentence = **s;
      reserved -= sentence.max_length;
      source_tokens -= int64_t(sentence.source.size());
      stripes->give(sentence.stripes);
      sources->give(sentence.source_rows);
      if (int64_t(sentence.finished.size()) > options.nbest)
        sentence.finished.resize(size_t(options.nbest));
      found.push_back({sentence.tag, std::move(sentence.finished)});
    }
    sentences.erase(gone, sentences.end());
  }

  const Transformer& model;
  Backend& backend;
  SearchOptions options;
  Pool pool;
  Pass pass;
  DecoderCache cache;
  int64_t stripe_count = 0, cross_rows = 0;
  int64_t reserved = 0;       // stripes promised to the sentences inside
  int64_t source_tokens = 0;  // of the sentences inside
  std::unique_ptr<FreeList> stripes, sources;
  std::vector<std::unique_ptr<Sentence>> sentences;
  std::vector<size_t> fresh;  // not encoded yet
};

Search::Search(const Transformer& model, Backend& backend, const SearchOptions& options)
    : state_(std::make_unique<State>(model, backend, options)) {}

Search::~Search() = default;

int64_t Search::source_limit() const {
  return state_->model.config().max_positions;
}

bool Search::has_room(int64_t source_length) const {
  const State& s = *state_;
  if (s.sentences.empty()) return true;
  return s.source_tokens + source_length <= s.options.batch_tokens &&
         s.reserved + s.greatest_length(source_length) <= s.stripe_count;
}

void Search::add(int64_t tag, std::vector<TokenId> source) {
  State& s = *state_;
  const int64_t length = int64_t(source.size());
  check(length >= 1 && length <= source_limit() && has_room(length), "no room for this source");
  auto sentence = std::make_unique<Sentence>();
  sentence->tag = tag;
  sentence->max_length = s.greatest_length(length);
  for (int64_t i = 0; i < length; ++i) sentence->source_rows.push_back(s.sources->take());
  sentence->source = std::move(source);
  sentence->live.emplace_back();
  s.reserved += sentence->max_length;
  s.source_tokens += length;
  s.fresh.push_back(s.sentences.size());
  s.sentences.push_back(std::move(sentence));
}

int64_t Search::running() const {
  return int64_t(state_->sentences.size());
}

void Search::step(std::vector<Found>& found) {
  State& s = *state_;
  if (s.sentences.empty()) return;
  s.encode_new();
  const Tokens tokens = s.next_tokens();
  const Tensor states = s.model.decode(s.pass, tokens, s.cache);
  const Tensor logits = s.model.logits(s.pass, states);
  // One more than the ways on that are kept: </s> may be forbidden.
  const int64_t k = std::min(2 * s.options.beam + 1, s.model.config().classes);
  const TopClasses top = s.backend.top_classes(logits, k);
  int64_t first = 0;
  for (auto& sentence : s.sentences) {
    const int64_t live = int64_t(sentence->live.size());
    s.advance(*sentence, top, first, k);
    first += live;
  }
  s.leave(found);
}

std::vector<Found> search(const Transformer& model, Backend& backend, const SearchOptions& options,
                          const std::vector<std::vector<TokenId>>& sources) {
  Search batch(model, backend, options);
  std::vector<Found> all(sources.size()), found;
  size_t next = 0;
  while (next < sources.size() || batch.running() > 0) {
    while (next < sources.size() && batch.has_room(int64_t(sources[next].size()))) {
      batch.add(int64_t(next), sources[next]);
      ++next;
    }
    batch.step(found);
    for (Found& f : found) all[size_t(f.tag)] = std::move(f);
    found.clear();
  }
  return all;
}

}  // namespace heed
