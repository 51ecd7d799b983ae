// Encodes parallel text into a corpus cache: read a chunk, encode it on all workers, write it in
// order. Memory holds one chunk and one block, however long the text is.
#include <algorithm>
#include <limits>
#include <unordered_set>

#include "heed/core/error.h"
#include "heed/core/files.h"
#include "heed/core/hash.h"
#include "heed/data/corpus_file.h"
#include "heed/data/text_filter.h"
#include "heed/text/linear_tree.h"
#include "heed/text/word_encoding.h"
#include "heed/text/words.h"

namespace heed::detail {
namespace {

constexpr int64_t kChunkPairs = 16384;  // pairs that are read at a time
constexpr int64_t kTaskPairs = 128;     // pairs that one task encodes

// The filters that need tokens, for pairs that have passed those of words.
FilterDecision judge_tokens(const PairLimits& limits, const Encoding& source,
                            const Encoding& target) {
  const auto shorter = int64_t(std::min(source.ids.size(), target.ids.size()));
  const auto longer = int64_t(std::max(source.ids.size(), target.ids.size()));
  if (shorter == 0) return &FilterReport::empty;
  if (source.truncated || target.truncated || longer + 1 > limits.max_sentence_tokens)
    return &FilterReport::too_long;
  if (limits.max_ratio > 0 && double(longer) > limits.max_ratio * double(shorter))
    return &FilterReport::length_ratio;
  return &FilterReport::kept;
}

constexpr size_t kMaxUnknown = 5;  // texts of unknown tokens that are kept of a side

// A side of a pair that is being encoded.
struct Side {
  std::string line;
  std::vector<TokenId> ids;
  std::vector<std::string> unknown;  // texts of tokens that are <unk>, a few of them

  void keep(Encoding encoding, const Tokenizer& tokenizer) {
    unknown.clear();
    for (size_t i = 0; i < encoding.ids.size() && unknown.size() < kMaxUnknown; ++i) {
      if (encoding.ids[i] != tokenizer.unknown_id()) continue;
      const size_t begin = i == 0 ? 0 : encoding.ends[i - 1];
      unknown.push_back(line.substr(begin, encoding.ends[i] - begin));
    }
    ids = std::move(encoding.ids);
  }
};

struct Pair {
  Side source, target;
  int64_t line = 0;
  FilterDecision decision = &FilterReport::kept;
};

// The texts of the words that have an unknown token, a few of them.
std::vector<std::string> unknown_words(const Tokenizer& tokenizer, const EncodedWords& encoded,
                                       std::string_view line) {
  const std::vector<std::string_view> words = detail::words_of(line);
  std::vector<std::string> unknown;
  for (size_t w = 0; w < words.size() && unknown.size() < kMaxUnknown; ++w) {
    const auto begin = encoded.ids.begin() + encoded.first[w];
    const auto end =
        w + 1 < words.size() ? encoded.ids.begin() + encoded.first[w + 1] : encoded.ids.end();
    if (std::find(begin, end, tokenizer.unknown_id()) != end) unknown.emplace_back(words[w]);
  }
  return unknown;
}

// The ids of labels, or of the symbols of a tree.
void encode_target_labels(const std::vector<std::string_view>& labels, const Tokenizer& target,
                          Side& side) {
  side.unknown.clear();
  side.ids.clear();
  for (const std::string_view label : labels) {
    side.ids.push_back(label_id(target, label));
    const bool unknown =
        side.ids.back() == target.unknown_id() && kind_of_symbol(label) != SymbolKind::word;
    if (unknown && side.unknown.size() < kMaxUnknown) side.unknown.emplace_back(label);
  }
}

// A text whose target are labels, of as many words as it should have: an id for each token, that of
// a word's label where the word begins, or one for the text. Or the symbols of a tree.
void encode_labels(Pair& pair, const TokenizerPair& tokenizers, const FilterOptions& filters) {
  const EncodedWords words = encode_words(tokenizers.source(), pair.source.line);
  const std::vector<std::string_view> labels = detail::words_of(pair.target.line);
  if (int64_t(std::max(words.ids.size(), labels.size())) + 1 > filters.max_sentence_tokens) {
    pair.decision = &FilterReport::too_long;
    return;
  }
  pair.source.ids = words.ids;
  pair.source.unknown = unknown_words(tokenizers.source(), words, pair.source.line);
  encode_target_labels(labels, tokenizers.target(), pair.target);
  if (filters.target != TargetKind::labels_of_words) return;
  std::vector<TokenId> of_tokens(words.ids.size(), tokenizers.target().end_id());
  for (size_t w = 0; w < labels.size(); ++w) of_tokens[size_t(words.first[w])] = pair.target.ids[w];
  pair.target.ids = std::move(of_tokens);
}

void encode(Pair& pair, const TokenizerPair& tokenizers, const FilterOptions& filters,
            const TextFilter& words) {
  pair.decision = words.decide(pair.line, pair.source.line, pair.target.line);
  if (pair.decision != &FilterReport::kept) return;
  if (filters.target != TargetKind::text) return encode_labels(pair, tokenizers, filters);
  if (const CorpusPart* part = filters.part_of(pair.line); part && !part->tag.empty())
    pair.source.line = part->tag + " " + pair.source.line;
  const PairLimits limits = filters.limits_of(pair.line);
  const int64_t most = limits.max_sentence_tokens;
  Encoding target = tokenizers.target().encode_prefix(pair.target.line, most);
  Encoding source;
  if (words.has_source()) source = tokenizers.source().encode_prefix(pair.source.line, most);
  // A text without sources is judged as if both sides were equal.
  pair.decision = judge_tokens(limits, words.has_source() ? source : target, target);
  if (pair.decision != &FilterReport::kept) return;
  pair.source.keep(std::move(source), tokenizers.source());
  pair.target.keep(std::move(target), tokenizers.target());
}

std::string joined_names(const TextFiles& files) {
  std::string names;
  for (const TextFile& file : files) names += (names.empty() ? "" : ", ") + file.title();
  return names;
}

// Collects the facts of one side.
class SideCollector {
 public:
  explicit SideCollector(const Tokenizer& tokenizer) : characters_(tokenizer.normalizer()) {}

  void add(const Side& side, int64_t number) {
    constexpr size_t kExamples = 3;
    characters_.add(side.line);
    if (side.unknown.empty()) return;
    ++facts_.unknown_lines;
    if (facts_.unknown.size() < kExamples) facts_.unknown.push_back({number, side.unknown});
  }
  SideFacts finish() {
    constexpr size_t kChanges = 20;
    facts_.characters = characters_.characters();
    facts_.changed_lines = characters_.changed_lines();
    facts_.changes = characters_.changes(kChanges);
    return std::move(facts_);
  }

 private:
  CharacterCounter characters_;
  SideFacts facts_;
};

class CorpusWriter {
 public:
  CorpusWriter(const std::filesystem::path& cache, uint64_t key, const TokenizerPair& tokenizers,
               const ParallelText& text)
      : file_(cache),
        tokenizers_(tokenizers),
        source_(tokenizers.source()),
        target_(tokenizers.target()),
        text_(text),
        used_(size_t(tokenizers.size())) {
    header_.report.read = text.pairs();
    header_.report.invalid_utf8 = text.faults().invalid_utf8;
    header_.report.missing_column = text.faults().missing_column;
    header_.key = key;
    header_.vocabulary = tokenizers.size();
    header_.token_bytes = token_bytes_for(tokenizers.size());
    file_.write(std::string_view(reinterpret_cast<const char*>(&header_), sizeof header_));
  }

  void add(const Pair& pair) {
    count(pair);
    if (pair.decision != &FilterReport::kept) return;
    const std::vector<TokenId>&source = pair.source.ids, &target = pair.target.ids;
    records_.push_back({uint32_t(ids_.size()), uint16_t(source.size()), uint16_t(target.size()),
                        uint32_t(pair.line)});
    ids_.insert(ids_.end(), source.begin(), source.end());
    ids_.insert(ids_.end(), target.begin(), target.end());
    source_.add(pair.source, pair.line);
    target_.add(pair.target, pair.line);
    if (tokenizers_.is_joint()) mark_used(source);
    mark_used(target);
    header_.source_tokens += int64_t(source.size());
    header_.target_tokens += int64_t(target.size());
    if (int64_t(records_.size()) == kBlockPairs) finish_block();
  }

  int64_t kept() const { return header_.report.kept; }
  std::string summary() const { return to_string(header_.report, text_.unit()); }

  void commit() {
    if (!records_.empty()) finish_block();
    header_.index = file_.size();
    write(std::span<const uint64_t>(blocks_));
    header_.facts = file_.size();
    const std::string facts = finish_facts().json();
    write(std::span<const char>(facts));
    header_.size = file_.size();
    header_.fingerprint = hash_.value();
    header_.header_fingerprint = header_.own_fingerprint();
    file_.write_at(0, std::string_view(reinterpret_cast<const char*>(&header_), sizeof header_));
    file_.commit();
  }

 private:
  void count(const Pair& pair) {
    FilterDecision decision = pair.decision;
    const std::string& key = text_.has_source() ? pair.source.line : pair.target.line;
    if (decision == &FilterReport::held_out && !held_out_.insert(hash_of(key)).second)
      decision = &FilterReport::held_out_source;
    ++(header_.report.*decision);
  }

  void mark_used(const std::vector<TokenId>& ids) {
    for (const TokenId id : ids) used_[size_t(id)] = true;
  }

  CorpusFacts finish_facts() {
    const Vocabulary& vocabulary = tokenizers_.target().vocabulary();
    CorpusFacts facts{source_.finish(), target_.finish(), vocabulary.output_size(), 0};
    for (TokenId id = 0; id < vocabulary.output_size(); ++id)
      facts.unused_tokens +=
          !used_[size_t(id)] && id != vocabulary.end_id() && id != vocabulary.unknown_id();
    return facts;
  }

  template <class T>
  void write(std::span<const T> values) {
    const std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    file_.write(bytes);
    hash_.add(bytes);
  }

  void finish_block() {
    blocks_.push_back(uint64_t(file_.size()));
    write(std::span<const CorpusRecord>(records_));
    if (header_.token_bytes == 2) {
      const std::vector<uint16_t> narrow(ids_.begin(), ids_.end());
      write(std::span<const uint16_t>(narrow));
    } else {
      write(std::span<const TokenId>(ids_));
    }
    const std::string padding(size_t(-file_.size() & 7), '\0');
    write(std::span<const char>(padding));
    records_.clear();
    ids_.clear();
  }

  AtomicFile file_;
  const TokenizerPair& tokenizers_;
  SideCollector source_, target_;
  const ParallelText& text_;
  std::vector<bool> used_;  // by id
  CorpusHeader header_;
  Hash hash_;  // of all bytes after the header
  std::vector<CorpusRecord> records_;
  std::vector<TokenId> ids_;
  std::vector<uint64_t> blocks_;
  std::unordered_set<uint64_t> held_out_;  // held-out sources found so far
};

}  // namespace

void build_corpus(const ParallelText& text, const TokenizerPair& tokenizers,
                  const FilterOptions& filters, uint64_t key, const std::filesystem::path& cache,
                  Workers& workers, const Corpus::Progress& progress) {
  if (text.pairs() > std::numeric_limits<uint32_t>::max()) {
    fail("the corpus has {} pairs; expected fewer than 2^32", text.pairs());
  }
  const TextFilter words(filters, text);
  CorpusWriter writer(cache, key, tokenizers, text);
  PairReader reader(text);
  std::vector<Pair> chunk(size_t(std::min(kChunkPairs, text.pairs())));
  int64_t done = 0;
  for (;;) {
    int64_t count = 0;
    for (Pair* pair = chunk.data(); count < int64_t(chunk.size()); ++count, ++pair) {
      if (!reader.next(pair->source.line, pair->target.line)) break;
      pair->line = reader.line();
    }
    if (count == 0) break;
    workers.run((count + kTaskPairs - 1) / kTaskPairs, [&](int64_t task, int) {
      const int64_t end = std::min(count, (task + 1) * kTaskPairs);
      for (int64_t i = task * kTaskPairs; i < end; ++i) {
        encode(chunk[size_t(i)], tokenizers, filters, words);
      }
    });
    for (int64_t i = 0; i < count; ++i) writer.add(chunk[size_t(i)]);
    done += count;
    if (progress) progress(done);
  }
  if (writer.kept() == 0) {
    const std::string source = joined_names(text.source());
    fail("{}{}{}: no usable {}: {}", source, source.empty() ? "" : " and ",
         joined_names(text.target()), text.unit(), writer.summary());
  }
  writer.commit();
}

}  // namespace heed::detail
