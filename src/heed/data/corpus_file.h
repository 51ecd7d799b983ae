// The layout of a corpus cache, shared by its writer and its reader. Internal to the text layer.
//
//   CorpusHeader
//   blocks of kBlockPairs pairs (the last may have fewer), each at a multiple of 8 bytes:
//     CorpusRecord of each pair, then all token ids: source, target, source, target, ...
//   the position of each block, 8 bytes each
//   the facts of the corpus, as JSON
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "heed/core/parallel.h"
#include "heed/data/corpus.h"

namespace heed::detail {

inline constexpr uint64_t kCorpusMagic = 0x3630'7072'6f63'6568;  // "hecorp06"
inline constexpr int64_t kBlockPairs = 1024;

struct CorpusRecord {
  uint32_t begin;  // of the source ids, as an index into the token ids of the block
  uint16_t source_length;
  uint16_t target_length;
  uint32_t line;
};

struct CorpusHeader {
  uint64_t magic = kCorpusMagic;
  uint64_t key = 0;          // hash of text, tokenizers and filters
  uint64_t fingerprint = 0;  // of all bytes after the header
  FilterReport report;
  int64_t source_tokens = 0;
  int64_t target_tokens = 0;
  int64_t vocabulary = 0;           // ids are below this
  int64_t token_bytes = 0;          // 2 or 4
  int64_t index = 0;                // position of the block positions
  int64_t facts = 0;                // position of the facts, which end the file
  int64_t size = 0;                 // of the file
  uint64_t header_fingerprint = 0;  // of the fields above

  uint64_t own_fingerprint() const;
};

// Two bytes are enough for ids below 65536.
constexpr int64_t token_bytes_for(int64_t vocabulary) {
  return vocabulary <= 65536 ? 2 : 4;
}

// Encodes the text into a cache file and renames it into place.
void build_corpus(const ParallelText& text, const TokenizerPair& tokenizers,
                  const FilterOptions& filters, uint64_t key, const std::filesystem::path& cache,
                  Workers& workers, const Corpus::Progress& progress);

}  // namespace heed::detail
