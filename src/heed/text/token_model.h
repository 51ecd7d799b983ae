// The interface of what segments text: a SentencePiece model or byte-level BPE, with the ids of its
// pieces. Internal to the text layer; text/tokenizer.h is what others use.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/core/ragged.h"
#include "heed/text/byte_pieces.h"
#include "heed/text/vocabulary.h"

namespace heed {

// The token ids of a text.
struct Encoding {
  std::vector<TokenId> ids;
  std::vector<size_t> ends;  // byte of the text where the piece of each id ends
  bool truncated = false;    // only a prefix of the text was encoded
};

// The text of token ids.
struct Decoding {
  std::string text;
  std::vector<size_t> ends;  // byte of the text where the piece of each id ends
};

// The algorithm by which pieces of text are chosen: the most probable ones, or merges of neighbours
// in a fixed order. Others have one segmentation of a text.
enum class Segmentation { unigram, bpe, other };

// A piece that a text may be cut into. Its score is the logarithm of its probability, or, with BPE,
// greater for pieces that are merged earlier.
struct ScoredPiece {
  TokenId id = kNoToken;
  std::string text;
  float score = 0;
};

struct ScoredPieces {
  Segmentation segmentation = Segmentation::other;
  std::vector<ScoredPiece> pieces;
};

namespace detail {

// Const once built: any number of threads may use one.
class TokenModel {
 public:
  virtual ~TokenModel() = default;

  // Ids of valid UTF-8 without the token that ends a text.
  virtual Encoding encode(std::string_view text) const = 0;
  // Valid UTF-8 of ids of the vocabulary.
  virtual Decoding decode(std::span<const TokenId> ids) const = 0;
  // The language code at the beginning of a text (">>fra<<") that is one token; mostly empty.
  virtual std::string_view language_code(std::string_view text) const = 0;
  // The beginning of a text that is long enough for `max_ids` ids; of most texts all.
  virtual std::string_view prefix(std::string_view text, int64_t max_ids) const = 0;

  // Whether upper- and lowercase letters become the same pieces.
  virtual bool folds_case() const = 0;
  // The bytes of its file.
  virtual const std::string& file() const = 0;
  // Its treatment of characters and spaces, a NormalizerSpec (text/normalizer.h).
  virtual std::string normalizer() const = 0;
  // Whether white space of a text is kept as it is, rather than as one space between words.
  virtual bool keeps_white_space() const = 0;
  virtual const Vocabulary& vocabulary() const = 0;
  virtual const BytePieces& byte_pieces() const = 0;
  // The pieces of which a text has several segmentations.
  virtual ScoredPieces scored_pieces() const { return {}; }
};

}  // namespace detail
}  // namespace heed
