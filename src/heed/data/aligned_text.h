// Training text whose tokens are aligned: which source tokens each target token translates.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "heed/core/files.h"
#include "heed/data/corpus.h"
#include "heed/text/word_link.h"

namespace heed {

// The pairs of a corpus with their links, which are found once and then read from a memory-mapped
// file. Const: any thread may read.
class AlignedText : public Dataset {
 public:
  // Finds the links of the pairs [begin, end) of the corpus. Called in the order of the pairs.
  using FindLinks = std::function<std::vector<std::vector<WordLink>>(int64_t begin, int64_t end)>;

  // Reuses `cache` if it was written with this key for this corpus and is undamaged; else finds all
  // links and replaces it. The corpus must outlive the result.
  static AlignedText open(const Corpus& corpus, uint64_t key, const std::filesystem::path& cache,
                          const FindLinks& find);

  int64_t size() const override { return corpus_.size(); }
  ExampleSize bound(int64_t index) const override { return corpus_.bound(index); }
  std::vector<Example> examples(int64_t epoch, std::span<const uint32_t> indices) const override;
  // In the order of the target, then of the source.
  std::vector<WordLink> links(int64_t pair) const;
  // Over all pairs.
  int64_t link_count() const;
  // The pairs that have a link.
  int64_t aligned_pairs() const;

 private:
  struct Stored {
    uint16_t source, target;
  };
  struct Header;

  explicit AlignedText(const Corpus& corpus) : corpus_(corpus) {}
  static std::optional<AlignedText> from_cache(const Corpus& corpus, uint64_t key,
                                               const std::filesystem::path& cache);
  static void build(const Corpus& corpus, uint64_t key, const std::filesystem::path& cache,
                    const FindLinks& find);

  const Corpus& corpus_;
  MappedFile file_;
  const Stored* links_ = nullptr;
  const uint64_t* begins_ = nullptr;  // of each pair's links, and the end of the last one's
};

}  // namespace heed
