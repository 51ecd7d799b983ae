#include "heed/data/corpus.h"

#include <bit>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>

#include "heed/core/counted.h"
#include "heed/core/error.h"
#include "heed/core/hash.h"
#include "heed/core/json_text.h"
#include "heed/core/options.h"
#include "heed/data/corpus_file.h"

namespace heed {
namespace {

static_assert(sizeof(detail::CorpusRecord) == 12 &&
              std::is_trivially_copyable_v<detail::CorpusHeader>);
static_assert(sizeof(detail::CorpusHeader) % 8 == 0);

void check_filters(const FilterOptions& filters) {
  validate(filters);
  if (filters.max_ratio > 0 && filters.max_ratio < 1) {
    fail_usage("--max-ratio: expected a number of at least 1, or 0 to keep all, got '{}'",
               filters.max_ratio);
  }
}

// Hash of everything on which the content of a cache depends.
uint64_t key_of(const ParallelText& text, const TokenizerPair& tokenizers,
                const FilterOptions& filters) {
  std::vector<uint64_t> parts = {text.fingerprint(),
                                 tokenizers.fingerprint(),
                                 uint64_t(filters.max_sentence_tokens),
                                 uint64_t(filters.max_words),
                                 std::bit_cast<uint64_t>(filters.max_ratio),
                                 uint64_t(filters.min_word_count),
                                 uint64_t(filters.fold_source_case),
                                 uint64_t(filters.fold_target_case)};
  if (filters.target != TargetKind::text) parts.push_back(uint64_t(filters.target));
  parts.insert(parts.end(), filters.held_out.begin(), filters.held_out.end());
  for (const CorpusPart& part : filters.parts)
    parts.insert(parts.end(), {uint64_t(part.end), uint64_t(part.limits.max_sentence_tokens),
                               uint64_t(part.limits.max_words),
                               std::bit_cast<uint64_t>(part.limits.max_ratio), hash_of(part.tag)});
  return hash_of(parts);
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class Id>
bool ids_below(const std::byte* ids, int64_t count, int64_t limit) {
  const Id* values = reinterpret_cast<const Id*>(ids);
  bool good = true;
  for (int64_t i = 0; i < count; ++i) good &= int64_t(values[i]) < limit;
  return good;
}

// A cache in which every number has been checked.
struct CheckedFile {
  detail::CorpusHeader header;
  const uint64_t* blocks;
  CorpusFacts facts;
};

bool good_header(const detail::CorpusHeader& header, std::span<const std::byte> file,
                 uint64_t key) {
  if (header.magic != detail::kCorpusMagic || header.key != key ||
      header.header_fingerprint != header.own_fingerprint() ||
      header.size != int64_t(file.size())) {
    return false;
  }
  const int64_t kept = header.report.kept;
  if (kept < 1 || kept > UINT32_MAX) return false;
  const int64_t blocks = (kept + detail::kBlockPairs - 1) / detail::kBlockPairs;
  return header.vocabulary > 0 && header.vocabulary <= INT32_MAX &&
         header.token_bytes == detail::token_bytes_for(header.vocabulary) &&
         header.index >= int64_t(sizeof(detail::CorpusHeader)) && header.index % 8 == 0 &&
         header.index <= header.facts && header.facts - header.index == blocks * 8 &&
         header.facts <= header.size;
}

// Whether all records of a block refer to positions inside it, and its ids are in the vocabulary.
bool good_block(const detail::CorpusHeader& header, const std::byte* block, int64_t bytes,
                int64_t pairs) {
  const int64_t room = bytes - pairs * int64_t(sizeof(detail::CorpusRecord));
  if (room < 0) return false;
  const int64_t ids = room / header.token_bytes;
  const auto* records = reinterpret_cast<const detail::CorpusRecord*>(block);
  for (int64_t i = 0; i < pairs; ++i) {
    const detail::CorpusRecord& record = records[i];
    if (int64_t{record.begin} + record.source_length + record.target_length > ids) return false;
  }
  const std::byte* first = block + bytes - room;
  return header.token_bytes == 2 ? ids_below<uint16_t>(first, ids, header.vocabulary)
                                 : ids_below<uint32_t>(first, ids, header.vocabulary);
}

// std::nullopt if the cache is truncated, damaged, or of other text.
std::optional<CheckedFile> check_file(std::span<const std::byte> file, uint64_t key) {
  CheckedFile result;
  if (file.size() < sizeof result.header) return std::nullopt;
  std::memcpy(&result.header, file.data(), sizeof result.header);
  const detail::CorpusHeader& header = result.header;
  if (!good_header(header, file, key)) return std::nullopt;
  if (hash_of(text_of(file.subspan(sizeof header))) != header.fingerprint) return std::nullopt;
  result.blocks = reinterpret_cast<const uint64_t*>(file.data() + header.index);
  int64_t pairs = header.report.kept;
  for (int64_t b = 0; pairs > 0; ++b, pairs -= detail::kBlockPairs) {
    const uint64_t begin = result.blocks[b];
    const uint64_t end =
        pairs > detail::kBlockPairs ? result.blocks[b + 1] : uint64_t(header.index);
    if (begin % 8 != 0 || begin < sizeof header || end > uint64_t(header.index) || begin > end) {
      return std::nullopt;
    }
    if (!good_block(header, file.data() + begin, int64_t(end - begin),
                    std::min(pairs, detail::kBlockPairs))) {
      return std::nullopt;
    }
  }
  auto facts = CorpusFacts::from_json(text_of(file.subspan(size_t(header.facts))));
  if (!facts) return std::nullopt;
  result.facts = std::move(*facts);
  return result;
}

using Json = nlohmann::ordered_json;

Json json_of(const SideFacts& side) {
  Json changes = Json::array(), unknown = Json::array();
  for (const CharacterChange& change : side.changes)
    changes.push_back({change.before, change.after, change.count});
  for (const UnknownExample& example : side.unknown)
    unknown.push_back({example.line, example.texts});
  return {{"characters", side.characters.ranges()},
          {"changed_lines", side.changed_lines},
          {"changes", changes},
          {"unknown_lines", side.unknown_lines},
          {"unknown", unknown}};
}

// Throws what nlohmann::json throws where the facts are not as json_of() writes them.
std::optional<SideFacts> side_of(const Json& json) {
  SideFacts side;
  auto characters = CharacterSet::from_ranges(json.at("characters").get<std::string>());
  if (!characters) return {};
  side.characters = std::move(*characters);
  side.changed_lines = json.at("changed_lines").get<int64_t>();
  for (const Json& change : json.at("changes"))
    side.changes.push_back({change.at(0).get<std::string>(), change.at(1).get<std::string>(),
                            change.at(2).get<int64_t>()});
  side.unknown_lines = json.at("unknown_lines").get<int64_t>();
  for (const Json& example : json.at("unknown"))
    side.unknown.push_back(
        {example.at(0).get<int64_t>(), example.at(1).get<std::vector<std::string>>()});
  return side;
}

}  // namespace

uint64_t detail::CorpusHeader::own_fingerprint() const {
  return hash_of(
      {reinterpret_cast<const char*>(this), offsetof(detail::CorpusHeader, header_fingerprint)});
}

Corpus Corpus::open(const ParallelText& text, const TokenizerPair& tokenizers,
                    const FilterOptions& filters, const std::filesystem::path& cache,
                    Workers& workers, const Progress& progress) {
  check_filters(filters);
  const uint64_t key = key_of(text, tokenizers, filters);
  if (std::optional<Corpus> corpus = from_cache(cache, key, tokenizers.size())) {
    corpus->reused_ = true;
    return std::move(*corpus);
  }
  detail::build_corpus(text, tokenizers, filters, key, cache, workers, progress);
  std::optional<Corpus> corpus = from_cache(cache, key, tokenizers.size());
  if (!corpus) fail("{} was damaged while it was written", cache.string());
  return std::move(*corpus);
}

std::optional<Corpus> Corpus::from_cache(const std::filesystem::path& cache, uint64_t key,
                                         int64_t vocabulary) {
  std::error_code error;
  if (!std::filesystem::exists(cache, error)) return std::nullopt;
  Corpus corpus;
  corpus.file_ = MappedFile(cache);
  auto checked = check_file(corpus.file_.bytes(), key);
  if (!checked || checked->header.vocabulary != vocabulary) return std::nullopt;
  corpus.blocks_ = checked->blocks;
  corpus.key_ = key;
  corpus.token_bytes_ = int(checked->header.token_bytes);
  corpus.report_ = checked->header.report;
  corpus.source_tokens_ = checked->header.source_tokens;
  corpus.target_tokens_ = checked->header.target_tokens;
  corpus.facts_ = std::move(checked->facts);
  return corpus;
}

const std::byte* Corpus::block(int64_t pair) const {
  check(pair >= 0 && pair < size(), "pair outside the corpus");
  return file_.bytes().data() + blocks_[pair / detail::kBlockPairs];
}

const detail::CorpusRecord& Corpus::record(int64_t pair) const {
  return reinterpret_cast<const detail::CorpusRecord*>(block(pair))[pair % detail::kBlockPairs];
}

ExampleSize Corpus::bound(int64_t index) const {
  const detail::CorpusRecord& found = record(index);
  return {found.source_length + 1, found.target_length + 1};
}

std::vector<Example> Corpus::examples(int64_t, std::span<const uint32_t> indices) const {
  std::vector<Example> all;
  all.reserve(indices.size());
  for (const uint32_t index : indices) all.push_back(example(index));
  return all;
}

int64_t Corpus::line(int64_t pair) const {
  return record(pair).line;
}

Example Corpus::example(int64_t pair) const {
  const detail::CorpusRecord& found = record(pair);
  const int64_t in_block =
      std::min(detail::kBlockPairs, size() - pair / detail::kBlockPairs * detail::kBlockPairs);
  const std::byte* ids = block(pair) + in_block * int64_t(sizeof(detail::CorpusRecord));
  const auto read = [&](const auto* of_block) {
    const auto* source = of_block + found.begin;
    const auto* target = source + found.source_length;
    return Example{{source, target}, {target, target + found.target_length}};
  };
  return token_bytes_ == 2 ? read(reinterpret_cast<const uint16_t*>(ids))
                           : read(reinterpret_cast<const TokenId*>(ids));
}

std::string to_string(const FilterReport& report, std::string_view unit) {
  const bool pairs = unit == "pair";
  std::string text = fmt::format("kept {} of {}", report.kept, detail::counted(report.read, unit));
  const char* separator = "; dropped ";
  const auto say = [&](int64_t count, const char* what) {
    if (count == 0) return;
    text += fmt::format("{}{} {}", separator, count, what);
    separator = ", ";
  };
  say(report.invalid_utf8, "not UTF-8");
  say(report.missing_column, "with too few columns");
  say(report.empty, pairs ? "with an empty side" : "empty");
  say(report.unequal_labels, "without as many labels as expected");
  say(report.too_many_words, "of too many words");
  say(report.rare_words, "with a rare word");
  say(report.held_out, "held out");
  say(report.held_out_source,
      pairs ? "with the same source as a pair held out" : "equal to a line held out");
  say(report.too_long, "of too many tokens");
  say(report.length_ratio, "of an odd length ratio");
  return text;
}

std::string CorpusFacts::json() const {
  const Json json = {{"source", json_of(source)},
                     {"target", json_of(target)},
                     {"tokens", tokens},
                     {"unused_tokens", unused_tokens}};
  return json_text(json);
}

std::optional<CorpusFacts> CorpusFacts::from_json(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    auto source = side_of(json.at("source")), target = side_of(json.at("target"));
    if (!source || !target) return {};
    return CorpusFacts{std::move(*source), std::move(*target), json.at("tokens").get<int64_t>(),
                       json.at("unused_tokens").get<int64_t>()};
  } catch (const Json::exception&) {
    return {};
  }
}

}  // namespace heed
