// A corpus cache whose fingerprints are right, so that damage gets past them: what is accepted can
// be read to its last id.
#include <cstring>

#include "fuzz.h"
#include "heed/core/hash.h"
#include "heed/data/corpus_file.h"

namespace {

using namespace heed;

constexpr uint64_t kKey = 7;
constexpr int64_t kVocabulary = 50;  // of the seeds

// Gives the bytes a header that matches them.
void sign(std::string& bytes) {
  detail::CorpusHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.magic = detail::kCorpusMagic;
  header.key = kKey;
  header.vocabulary = kVocabulary;
  header.token_bytes = detail::token_bytes_for(kVocabulary);
  header.size = int64_t(bytes.size());
  header.fingerprint = hash_of(std::string_view(bytes).substr(sizeof header));
  header.header_fingerprint = header.own_fingerprint();
  std::memcpy(bytes.data(), &header, sizeof header);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzzing::MemoryFile file;
  std::string bytes(fuzzing::text_of(data, size));
  if (size >= sizeof(detail::CorpusHeader)) sign(bytes);
  const auto corpus = Corpus::from_cache(file.hold(bytes), kKey, kVocabulary);
  if (!corpus) return 0;
  for (int64_t pair = 0; pair < corpus->size(); ++pair) {
    const Example example = corpus->example(pair);
    fuzzing::require(int64_t(example.source.size()) + 1 == corpus->bound(pair).source);
    fuzzing::require(corpus->line(pair) >= 0);
    for (const auto* ids : {&example.source, &example.target})
      for (const TokenId id : *ids) fuzzing::require(id >= 0 && id < kVocabulary);
  }
  return 0;
}
