#include "heed/text/byte_pieces.h"

#include "heed/core/utf8.h"

namespace heed {
namespace {

// The bytes that continue a character of UTF-8 which begins with these; empty if it is complete or
// no character begins so (Unicode 15, table 3-7).
NextBytes bytes_after(std::span<const uint8_t> begun) {
  const auto lead = utf8_lead(begun[0]);
  if (!lead || begun.size() > size_t(lead->following)) return {};
  if (begun.size() > 1) return {0x80, 0xBF};
  return {lead->second_first, lead->second_last};
}

bool continues(uint8_t byte) {
  return (byte & 0xC0) == 0x80;
}

bool begins(uint8_t byte) {
  return byte < 0x80 || utf8_lead(byte);
}

}  // namespace

BytePieces::BytePieces(const Vocabulary& vocabulary) : BytePieces() {
  for (TokenId id = 0; id < vocabulary.output_size(); ++id) {
    const auto byte = byte_of(vocabulary.piece(id));
    if (!byte) continue;
    if (ids_.empty()) ids_.assign(size_t(vocabulary.size()), -1);
    ids_[size_t(id)] = *byte;
    by_byte_[*byte] = id;
    if (!begins(*byte)) within_.push_back(id);
  }
}

std::optional<uint8_t> BytePieces::byte(TokenId id) const {
  if (size_t(id) >= ids_.size() || ids_[size_t(id)] < 0) return {};
  return uint8_t(ids_[size_t(id)]);
}

NextBytes BytePieces::expected_after(std::span<const TokenId> ids) const {
  if (ids_.empty()) return {};
  constexpr size_t kMaxBegun = 3;  // bytes of a character that is not complete
  std::array<uint8_t, kMaxBegun> begun;
  for (size_t count = 1; count <= std::min(kMaxBegun, ids.size()); ++count) {
    const auto last = byte(ids[ids.size() - count]);
    if (!last) return {};
    begun[kMaxBegun - count] = *last;
    if (!continues(*last)) return bytes_after(std::span(begun).last(count));
  }
  return {};
}

std::vector<TokenId> BytePieces::ids(const NextBytes& bytes) const {
  std::vector<TokenId> all;
  for (int byte = bytes.first; byte <= bytes.last; ++byte)
    if (by_byte_[size_t(byte)] >= 0) all.push_back(by_byte_[size_t(byte)]);
  return all;
}

std::vector<TokenId> BytePieces::whole_characters(std::span<const TokenId> ids) const {
  std::vector<TokenId> whole;
  whole.reserve(ids.size());
  for (size_t at = 0; at < ids.size();) {
    std::string run;
    while (at + run.size() < ids.size()) {
      const auto next = byte(ids[at + run.size()]);
      if (!next) break;
      run += char(*next);
    }
    if (run.empty()) {
      whole.push_back(ids[at++]);
      continue;
    }
    for (size_t i = 0; i < run.size();) {
      const Utf8Character character = first_utf8_character(std::string_view(run).substr(i));
      for (size_t k = 0; character.valid && k < character.bytes; ++k)
        whole.push_back(ids[at + i + k]);
      i += character.bytes;
    }
    at += run.size();
  }
  return whole;
}

}  // namespace heed
