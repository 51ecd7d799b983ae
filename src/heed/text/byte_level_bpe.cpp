#include "heed/text/byte_level_bpe.h"

#include <algorithm>
#include <queue>
#include <utility>

#include "heed/core/error.h"
#include "heed/core/utf8.h"
#include "heed/text/gpt2_words.h"

namespace heed::detail {
namespace {

constexpr bool is_printable(uint32_t byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

// By byte, and by character less one: the characters are below U+0144.
struct ByteCharacters {
  std::array<char32_t, 256> of_byte{};
  std::array<int16_t, 0x144> of_character{};

  constexpr ByteCharacters() {
    of_character.fill(-1);
    char32_t next = 0x100;
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const char32_t character = is_printable(byte) ? char32_t(byte) : next++;
      of_byte[byte] = character;
      of_character[character] = int16_t(byte);
    }
  }
};
constexpr ByteCharacters kByteCharacters;

}  // namespace

char32_t byte_character(uint8_t byte) {
  return kByteCharacters.of_byte[byte];
}

std::optional<std::string> bytes_of_characters(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    const Utf8Character character = first_utf8_character(text);
    text.remove_prefix(character.bytes);
    if (character.value >= kByteCharacters.of_character.size()) return {};
    const int16_t byte = kByteCharacters.of_character[character.value];
    if (byte < 0) return {};
    bytes += char(byte);
  }
  return bytes;
}

// Merges the bytes of words and collects their ids. The tokens of a word are a doubly linked list,
// and the pairs that may be merged a heap by rank and place, so that a long word costs little more
// than several short ones.
class ByteLevelBpe::Merging {
 public:
  Merging(const ByteLevelBpe& model, Encoding& encoding) : model_(model), encoding_(encoding) {}

  void add(TokenId id, size_t end) {
    encoding_.ids.push_back(id);
    encoding_.ends.push_back(end);
  }

  // A word whose first byte is byte `begin` of the text, or, with `before`, follows a byte that the
  // text does not have.
  void add_word(std::string_view word, size_t begin, size_t before) {
    if (const auto whole = model_.whole_words_.find(word); whole != model_.whole_words_.end())
      return add(whole->second, begin + word.size() - before);
    tokens_.clear();
    for (size_t i = 0; i < word.size(); ++i)
      tokens_.push_back(
          {model_.byte_ids_[uint8_t(word[i])], int32_t(i) - 1, int32_t(i) + 1, uint32_t(1)});
    tokens_.back().next = -1;
    for (int32_t i = 0; tokens_[size_t(i)].next >= 0; ++i) consider(i);
    while (!pairs_.empty()) {
      const Pair pair = pairs_.top();
      pairs_.pop();
      merge(pair);
    }
    size_t end = begin;
    for (int32_t i = 0; i >= 0; i = tokens_[size_t(i)].next) {
      end += tokens_[size_t(i)].bytes;
      add(tokens_[size_t(i)].id, end - std::min(before, end));
    }
  }

 private:
  struct Token {
    TokenId id;
    int32_t previous, next;  // of the word; -1 for none
    uint32_t bytes;          // 0 if it was merged into the one before
  };
  struct Pair {
    int32_t rank, left;
    TokenId left_id, right_id;
    // The smallest rank is the top of the heap, of equal ones the first.
    bool operator<(const Pair& other) const {
      return rank != other.rank ? rank > other.rank : left > other.left;
    }
  };

  // Adds the pair of a token and its successor, if a merge has it.
  void consider(int32_t left) {
    const Token& token = tokens_[size_t(left)];
    const TokenId right_id = tokens_[size_t(token.next)].id;
    const auto found = model_.merges_.find(key_of(token.id, right_id));
    if (found != model_.merges_.end()) pairs_.push({found->second.rank, left, token.id, right_id});
  }

  // Unless one of the two was merged with another meanwhile.
  void merge(const Pair& pair) {
    Token& left = tokens_[size_t(pair.left)];
    if (left.bytes == 0 || left.next < 0 || left.id != pair.left_id) return;
    Token& right = tokens_[size_t(left.next)];
    if (right.id != pair.right_id) return;
    left.id = model_.merges_.at(key_of(left.id, right.id)).merged;
    left.bytes += right.bytes;
    left.next = right.next;
    right.bytes = 0;
    if (left.next >= 0) {
      tokens_[size_t(left.next)].previous = pair.left;
      consider(pair.left);
    }
    if (left.previous >= 0) consider(left.previous);
  }

  const ByteLevelBpe& model_;
  Encoding& encoding_;
  std::vector<Token> tokens_;
  std::priority_queue<Pair> pairs_;
};

ByteLevelBpe::ByteLevelBpe(ByteLevelParts parts, const std::string& name)
    : parts_(std::move(parts)) {
  const Vocabulary& pieces = *parts_.vocabulary;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    std::string character;
    append_utf8(character, byte_character(uint8_t(byte)));
    const auto id = pieces.find(character);
    if (!id)
      fail("{}: no token is '{}', the byte {:#04x}: a byte-level vocabulary has all 256 bytes",
           name, character, byte);
    byte_ids_[byte] = *id;
  }
  merges_.reserve(parts_.merges.size());
  for (size_t rank = 0; rank < parts_.merges.size(); ++rank) {
    const Merge& merge = parts_.merges[rank];
    merges_[key_of(merge.left, merge.right)] = {int32_t(rank), merge.merged};
  }
  bytes_.reserve(size_t(pieces.size()));
  for (TokenId id = 0; id < pieces.size(); ++id) {
    const std::string& piece = pieces.piece(id);
    bytes_.push_back(bytes_of_characters(piece).value_or(piece));
    longest_ = std::max(longest_, bytes_.back().size());
  }
  if (parts_.ignore_merges)
    for (TokenId id = 0; id < pieces.output_size(); ++id)
      if (id != pieces.end_id()) whole_words_.emplace(bytes_[size_t(id)], id);
  for (size_t list = 0; list < parts_.added.size(); ++list) {
    std::ranges::sort(parts_.added[list], {}, &AddedToken::text);
    for (const AddedToken& token : parts_.added[list])
      begins_added_[list][uint8_t(token.text.front())] = true;
  }
}

const AddedToken* ByteLevelBpe::added_at(std::string_view text, size_t list) const {
  if (!begins_added_[list][uint8_t(text.front())]) return nullptr;
  const AddedToken* longest = nullptr;
  // The tokens that begin with the first `length` bytes of the text, of which the first may be
  // these bytes.
  auto begin = parts_.added[list].begin(), end = parts_.added[list].end();
  for (size_t length = 1; length <= text.size() && begin != end; ++length) {
    const auto head = [&](const AddedToken& token) {
      return std::string_view(token.text).substr(0, length);
    };
    const std::string_view wanted = text.substr(0, length);
    begin = std::partition_point(begin, end, [&](const auto& t) { return head(t) < wanted; });
    end = std::partition_point(begin, end, [&](const auto& t) { return head(t) == wanted; });
    if (begin != end && begin->text.size() == length) longest = &*begin;
  }
  return longest;
}

void ByteLevelBpe::encode_beside_added(std::string_view text, size_t begin, size_t list,
                                       Merging& merging) const {
  if (list == parts_.added.size()) return encode_words(text, begin, merging);
  size_t done = 0;
  for (size_t at = 0; at < text.size();) {
    const AddedToken* token = added_at(text.substr(at), list);
    if (!token) {
      ++at;
      continue;
    }
    encode_beside_added(text.substr(done, at - done), begin + done, list + 1, merging);
    at += token->text.size();
    merging.add(token->id, begin + at);
    done = at;
  }
  encode_beside_added(text.substr(done), begin + done, list + 1, merging);
}

void ByteLevelBpe::encode_words(std::string_view text, size_t begin, Merging& merging) const {
  if (text.empty()) return;
  std::string with_space;
  size_t before = 0;  // bytes that are not of the text
  if (parts_.add_prefix_space && text.front() != ' ') {
    text = with_space = std::string(" ").append(text);
    before = 1;
  }
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = first_gpt2_word(text.substr(at));
    merging.add_word(text.substr(at, bytes), begin + at, before);
    at += bytes;
  }
}

Encoding ByteLevelBpe::encode(std::string_view text) const {
  Encoding encoding;
  Merging merging(*this, encoding);
  encode_beside_added(text, 0, 0, merging);
  return encoding;
}

Decoding ByteLevelBpe::decode(std::span<const TokenId> ids) const {
  Decoding decoding;
  std::string bytes;
  std::vector<size_t> ends;  // in `bytes`
  for (const TokenId id : ids) {
    vocabulary().piece(id);  // checks the id
    if (id != vocabulary().end_id() && id < vocabulary().output_size()) bytes += bytes_[size_t(id)];
    ends.push_back(bytes.size());
  }
  size_t read = 0;
  for (const size_t end : ends) {
    // A piece that ends within a character ends before it.
    while (read < end) {
      const Utf8Character next = first_utf8_character(std::string_view(bytes).substr(read));
      if (read + next.bytes > end) break;
      append_utf8(decoding.text, next.value);
      read += next.bytes;
    }
    decoding.ends.push_back(decoding.text.size());
  }
  return decoding;
}

std::string_view ByteLevelBpe::prefix(std::string_view text, int64_t max_ids) const {
  const size_t bytes = size_t(max_ids) * longest_ + 4;
  if (text.size() <= bytes) return text;
  size_t end = bytes;
  while (end > 1 && (uint8_t(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace heed::detail
