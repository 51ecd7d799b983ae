#include "heed/text/tokenizer_json.h"

#include <algorithm>
#include <utility>

#include "heed/core/error.h"
#include "heed/core/strict_json.h"
#include "heed/core/utf8.h"
#include "heed/text/byte_level_bpe.h"

namespace heed::detail {
namespace {

using nlohmann::json;

// An object of the file, whose messages name the place of what is wrong.
class Part {
 public:
  Part(const json& object, std::string place) : object_(object), place_(std::move(place)) {
    if (!object.is_object()) fail("{}: expected an object, got {}", place_, quote(object));
  }

  bool has(const char* key) const { return object_.contains(key) && !object_[key].is_null(); }
  const json& at(const char* key) const {
    if (!has(key)) fail("{}: the key {} is missing", place_, key);
    return object_[key];
  }
  std::string text(const char* key) const {
    if (!at(key).is_string()) reject(key, "a text");
    return at(key).get<std::string>();
  }
  bool boolean(const char* key, bool otherwise) const {
    if (!has(key)) return otherwise;
    if (!object_[key].is_boolean()) reject(key, "true or false");
    return object_[key].get<bool>();
  }
  const json& list(const char* key) const {
    if (!at(key).is_array()) reject(key, "a list");
    return at(key);
  }
  // Refuses a value that heed cannot follow; an absent key or null is none.
  void expect_none(const char* key, const json& none) const {
    if (has(key) && object_[key] != none)
      reject(key, fmt::format("null or {} (as GPT-2's)", quote(none)));
  }
  [[noreturn]] void reject(const char* key, const std::string& expected) const {
    fail("{}: {} is {}, expected {}", place_, key, quote(object_[key]), expected);
  }
  std::string place_of(const char* key) const { return place_ + ", " + key; }
  const std::string& place() const { return place_; }

 private:
  const json& object_;
  std::string place_;
};

// ListedPieces by id, each id from 0 on once.
class ListedPieces {
 public:
  ListedPieces(size_t most, std::string place)
      : place_(std::move(place)), pieces_(most), known_(most) {}

  void add(const std::string& piece, const json& id) {
    const bool whole = id.is_number_unsigned() && id.get<uint64_t>() < pieces_.size();
    if (!whole)
      fail("{}: token '{}' has id {}; expected a whole number from 0 to {}, each once", place_,
           excerpt(piece), quote(id), pieces_.size() - 1);
    const auto index = id.get<size_t>();
    if (known_[index])
      fail("{}: id {} belongs to '{}' and to '{}'", place_, index, excerpt(pieces_[index]),
           excerpt(piece));
    known_[index] = true;
    pieces_[index] = piece;
  }
  std::vector<std::string> take() { return std::move(pieces_); }

 private:
  std::string place_;
  std::vector<std::string> pieces_;
  std::vector<bool> known_;
};

// A token of the list added_tokens.
struct ListedToken {
  std::string text;
  json id;
  bool normalized = false;
};

std::vector<ListedToken> read_added(const Part& file, const std::string& end) {
  std::vector<ListedToken> tokens;
  if (!file.has("added_tokens")) return tokens;
  for (const json& entry : file.list("added_tokens")) {
    const Part token(entry, file.place_of("added_tokens"));
    ListedToken listed{token.text("content"), token.at("id"), token.boolean("normalized", true)};
    if (listed.text.empty()) token.reject("content", "a text that is not empty");
    // They do not affect the token that ends a text, which no text contains.
    for (const char* key : {"single_word", "lstrip", "rstrip"})
      if (token.boolean(key, false) && listed.text != end)
        token.reject(key, fmt::format("false of the token '{}': heed looks for added tokens "
                                      "without regard to what stands beside them",
                                      excerpt(listed.text)));
    tokens.push_back(std::move(listed));
  }
  return tokens;
}

std::shared_ptr<const Vocabulary> read_vocabulary(const Part& model,
                                                  const std::vector<ListedToken>& added,
                                                  const std::string& end) {
  const json& vocab = model.at("vocab");
  if (!vocab.is_object()) model.reject("vocab", "an object from token to id");
  std::vector<const ListedToken*> others;
  for (const ListedToken& token : added) {
    const auto found = vocab.find(token.text);
    if (found == vocab.end())
      others.push_back(&token);
    else if (*found != token.id)
      fail("{}: the token '{}' has id {} in vocab and {} in added_tokens", model.place(),
           excerpt(token.text), quote(*found), quote(token.id));
  }
  ListedPieces pieces(vocab.size() + others.size(), model.place_of("vocab"));
  for (const auto& [piece, id] : vocab.items()) pieces.add(piece, id);
  for (const ListedToken* token : others) pieces.add(token->text, token->id);
  return std::make_shared<const Vocabulary>(
      Vocabulary::of_bytes(pieces.take(), end, model.place()));
}

// The two tokens of a merge: "a b", or ["a", "b"].
std::pair<std::string, std::string> pair_of(const json& merge, const std::string& place) {
  const bool two =
      merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string();
  if (two) return {merge[0].get<std::string>(), merge[1].get<std::string>()};
  if (merge.is_string()) {
    const auto text = merge.get<std::string>();
    const size_t space = text.find(' ');
    if (space != text.npos && text.find(' ', space + 1) == text.npos)
      return {text.substr(0, space), text.substr(space + 1)};
  }
  fail("{}: expected two tokens, as \"a b\" or [\"a\", \"b\"], got {}", place, quote(merge));
}

std::vector<Merge> read_merges(const Part& model, const Vocabulary& pieces) {
  const std::string place = model.place_of("merges");
  std::vector<Merge> merges;
  const json& list = model.list("merges");
  merges.reserve(list.size());
  for (const json& entry : list) {
    const auto [left, right] = pair_of(entry, place);
    const auto id = [&](const std::string& token) {
      const auto found = pieces.find(token);
      if (!found)
        fail("{}: {} needs the token '{}', which vocab lacks", place, quote(entry), excerpt(token));
      return *found;
    };
    merges.push_back({id(left), id(right), id(left + right)});
    if (merges.back().merged == pieces.end_id())
      fail("{}: {} makes the token that ends a text", place, quote(entry));
  }
  return merges;
}

// The one step of a pipeline: the object itself, or that of a Sequence with one.
const json& only_step(const json& step, const char* list) {
  const bool sequence = step.is_object() && step.value("type", json()) == "Sequence" &&
                        step.contains(list) && step[list].is_array() && step[list].size() == 1;
  return sequence ? step[list][0] : step;
}

// Refuses a tokenizer that is no byte-level BPE of GPT-2's kind.
void check_kind(const Part& file, const Part& model) {
  const auto other = [&](const char* part, const json& type) {
    fail(
        "{}: {} is {}: heed reads the byte-level BPE of GPT-2, whose model is BPE and whose "
        "pre_tokenizer and decoder are ByteLevel, without a normalizer",
        file.place(), part, quote(type));
  };
  const auto type_of = [](const json& step) {
    return step.is_object() ? step.value("type", json()) : step;
  };
  if (model.has("type") && model.at("type") != "BPE") other("model", model.at("type"));
  if (!model.has("merges")) other("model", "without merges");
  if (file.has("normalizer")) other("normalizer", type_of(file.at("normalizer")));
  for (const char* key : {"pre_tokenizer", "decoder"}) {
    const json step = file.has(key) ? file.at(key) : json();
    const bool first = key == std::string_view("pre_tokenizer");
    const json type = type_of(only_step(step, first ? "pretokenizers" : "decoders"));
    if (type != "ByteLevel") other(key, type);
  }
  model.expect_none("dropout", 0.0);
  model.expect_none("continuing_subword_prefix", "");
  model.expect_none("end_of_word_suffix", "");
}

}  // namespace

std::shared_ptr<const TokenModel> read_tokenizer_json(std::string text, const std::string& end,
                                                      int64_t size, const std::string& place) {
  const json parsed = parse_json(text, place);
  const Part file(parsed, place);
  const Part model(file.at("model"), file.place_of("model"));
  check_kind(file, model);
  const Part words(only_step(file.at("pre_tokenizer"), "pretokenizers"),
                   file.place_of("pre_tokenizer"));
  if (!words.boolean("use_regex", true)) words.reject("use_regex", "true, as GPT-2's");
  const std::vector<ListedToken> added = read_added(file, end);
  ByteLevelParts parts;
  parts.vocabulary = read_vocabulary(model, added, end);
  if (size > parts.vocabulary->size())
    parts.vocabulary = std::make_shared<const Vocabulary>(parts.vocabulary->padded_to(size));
  parts.merges = read_merges(model, *parts.vocabulary);
  for (const ListedToken& token : added)
    if (token.text != end)
      parts.added[token.normalized ? 1 : 0].push_back(
          {token.text, *parts.vocabulary->find(token.text)});
  parts.add_prefix_space = words.boolean("add_prefix_space", true);
  parts.ignore_merges = model.boolean("ignore_merges", false);
  parts.file = std::move(text);
  return std::make_shared<const ByteLevelBpe>(std::move(parts), place);
}

}  // namespace heed::detail
