#include "heed/data/aligned_text.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "heed/core/error.h"
#include "heed/core/hash.h"

namespace heed {

// The file: this header, the links of all pairs, and for each pair the number of links before it.
struct AlignedText::Header {
  uint64_t magic = 0x3130'6b6e'696c'6568;  // "helink01"
  uint64_t key = 0;
  uint64_t corpus = 0;       // Corpus::key()
  uint64_t fingerprint = 0;  // of all bytes after the header
  uint64_t pairs = 0, links = 0;
};

namespace {

constexpr int64_t kChunkPairs = 4096;

// Links are followed by a link that is none if that is needed for the numbers after them to be at
// a multiple of their size.
constexpr uint64_t even(uint64_t count) {
  return count + count % 2;
}

}  // namespace

void AlignedText::build(const Corpus& corpus, uint64_t key, const std::filesystem::path& cache,
                        const FindLinks& find) {
  AtomicFile file(cache);
  Header header{.key = key, .corpus = corpus.key(), .pairs = uint64_t(corpus.size())};
  file.write(std::span<const Header>(&header, 1));
  Hash hash;
  const auto write = [&]<class T>(const std::vector<T>& values) {
    const auto* bytes = reinterpret_cast<const char*>(values.data());
    hash.add({bytes, values.size() * sizeof(T)});
    file.write(std::span<const T>(values));
  };
  std::vector<uint64_t> begins = {0};
  begins.reserve(header.pairs + 1);
  for (int64_t begin = 0; begin < corpus.size(); begin += kChunkPairs) {
    std::vector<Stored> links;
    for (std::vector<WordLink>& found : find(begin, std::min(corpus.size(), begin + kChunkPairs))) {
      const std::vector<WordLink> of_pair = in_target_order(std::move(found));
      for (const WordLink& link : of_pair)
        links.push_back({uint16_t(link.source), uint16_t(link.target)});
      begins.push_back(begins.back() + of_pair.size());
    }
    write(links);
  }
  check(begins.size() == header.pairs + 1, "links of each pair");
  header.links = begins.back();
  write(std::vector<Stored>(even(header.links) - header.links));
  write(begins);
  header.fingerprint = hash.value();
  file.write_at(0, {reinterpret_cast<const char*>(&header), sizeof header});
  file.commit();
}

std::optional<AlignedText> AlignedText::from_cache(const Corpus& corpus, uint64_t key,
                                                   const std::filesystem::path& cache) {
  std::error_code error;
  if (!std::filesystem::exists(cache, error)) return {};
  AlignedText text(corpus);
  text.file_ = MappedFile(cache);
  const std::string_view bytes = text.file_.text();
  Header header;
  if (bytes.size() < sizeof header) return {};
  std::memcpy(&header, bytes.data(), sizeof header);
  const std::string_view rest = bytes.substr(sizeof header);
  if (header.magic != Header().magic || header.key != key || header.corpus != corpus.key() ||
      header.pairs != uint64_t(corpus.size()) || header.links > rest.size() ||
      rest.size() != even(header.links) * sizeof(Stored) + (header.pairs + 1) * sizeof(uint64_t) ||
      header.fingerprint != hash_of(rest))
    return {};
  text.links_ = reinterpret_cast<const Stored*>(rest.data());
  text.begins_ = reinterpret_cast<const uint64_t*>(text.links_ + even(header.links));
  if (text.begins_[0] != 0 || text.begins_[header.pairs] != header.links) return {};
  for (int64_t pair = 0; pair < corpus.size(); ++pair) {
    if (text.begins_[pair] > text.begins_[pair + 1]) return {};
    const auto [source, target] = corpus.bound(pair);
    for (const WordLink& link : text.links(pair))
      if (link.source + 1 >= source || link.target + 1 >= target) return {};
  }
  return text;
}

AlignedText AlignedText::open(const Corpus& corpus, uint64_t key,
                              const std::filesystem::path& cache, const FindLinks& find) {
  if (auto text = from_cache(corpus, key, cache)) return std::move(*text);
  build(corpus, key, cache, find);
  auto text = from_cache(corpus, key, cache);
  if (!text) fail("{} was damaged while it was written", cache.string());
  return std::move(*text);
}

std::vector<WordLink> AlignedText::links(int64_t pair) const {
  check(pair >= 0 && pair < size(), "pair outside the aligned text");
  std::vector<WordLink> all;
  all.reserve(begins_[pair + 1] - begins_[pair]);
  for (uint64_t i = begins_[pair]; i < begins_[pair + 1]; ++i)
    all.push_back({links_[i].source, links_[i].target});
  return all;
}

int64_t AlignedText::link_count() const {
  return int64_t(begins_[size()]);
}

int64_t AlignedText::aligned_pairs() const {
  int64_t count = 0;
  for (int64_t pair = 0; pair < size(); ++pair) count += begins_[pair + 1] > begins_[pair];
  return count;
}

std::vector<Example> AlignedText::examples(int64_t epoch, std::span<const uint32_t> indices) const {
  std::vector<Example> all = corpus_.examples(epoch, indices);
  for (size_t i = 0; i < all.size(); ++i) all[i].links = links(int64_t{indices[i]});
  return all;
}

}  // namespace heed
