// Byte-level BPE of a tokenizer.json, compared with Hugging Face's tokenizers
// (tools/make_tokenizer_json_goldens.py).
#include "heed/text/byte_level_bpe.h"

#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "heed/core/rng.h"
#include "heed/core/utf8.h"
#include "heed/text/tokenizer.h"
#include "support/damage.h"
#include "support/folder_test.h"
#include "support/goldens.h"

namespace heed {
namespace {

using testing::Json;

std::string bytes_of(const std::string& latin) {
  std::string bytes;
  for (const char32_t c : decode_utf8(latin)) bytes += char(c);
  return bytes;
}

class ByteLevelBpeTest : public FolderTest {
 protected:
  static Json file() {
    std::ifstream in(HEED_TESTS "/text/data/byte_level.json");
    return Json::parse(in);
  }
  Tokenizer opened(const Json& tokenizer) const {
    write("tokenizer.json", tokenizer.dump());
    return TokenizerPair::load(folder_).target();
  }
  Tokenizer plain() const { return opened(file()); }
  // As the script has them.
  static Json variant(const std::string& name) {
    Json json = file();
    Json& model = json["model"];
    if (name == "prefix") json["pre_tokenizer"]["add_prefix_space"] = true;
    if (name != "ignore_merges") return json;
    model["ignore_merges"] = true;
    Json pairs = Json::array();
    for (const Json& merge : model["merges"]) {
      const Json pair = merge.is_string() ? split(merge.get<std::string>()) : merge;
      if (pair[0].get<std::string>() + pair[1].get<std::string>() != "\u0120the")
        pairs.push_back(pair);
    }
    model["merges"] = pairs;
    return json;
  }
  static Json split(const std::string& merge) {
    const size_t space = merge.find(' ');
    return {merge.substr(0, space), merge.substr(space + 1)};
  }
  // The Error for a file that was changed.
  template <class Change>
  std::string refused(const Change& change) const {
    Json json = file();
    change(json);
    return testing::error_of([&] { opened(json); });
  }
};

TEST_F(ByteLevelBpeTest, IdsAreThoseOfTokenizers) {
  for (const std::string name : {"plain", "prefix", "ignore_merges"}) {
    const Tokenizer tokenizer = opened(variant(name));
    const Json all = testing::goldens("/text/data/byte_level_goldens.json", name);
    ASSERT_GE(all["texts"].size(), 40u);
    for (const Json& one : all["texts"]) {
      const std::string text = bytes_of(one[0]);
      EXPECT_EQ(Json(tokenizer.encode(text)), one[1]) << name << ": " << one[0];
    }
    for (const Json& one : all["decoded"])
      EXPECT_EQ(tokenizer.decode(one[0].get<std::vector<TokenId>>()), one[1]) << name << one[0];
  }
}

TEST_F(ByteLevelBpeTest, DecodingGivesTheTextByteForByte) {
  const Tokenizer tokenizer = plain();
  const Json goldens = testing::goldens("/text/data/byte_level_goldens.json", "plain");
  for (const Json& one : goldens["texts"]) {
    const std::string text = replace_invalid_utf8(bytes_of(one[0]));
    const Encoding encoding = tokenizer.encode_with_ends(text);
    // An added token is text, not characters of bytes: é would be one byte.
    if (text.find("née") == text.npos) {
      EXPECT_EQ(tokenizer.decode(encoding.ids), text);
    }
    ASSERT_EQ(encoding.ends.size(), encoding.ids.size());
    EXPECT_TRUE(std::ranges::is_sorted(encoding.ends));
    const Decoding decoding = tokenizer.decode_with_ends(encoding.ids);
    EXPECT_TRUE(std::ranges::is_sorted(decoding.ends));
    if (text.empty()) continue;
    EXPECT_EQ(encoding.ends.back(), text.size());
    EXPECT_EQ(decoding.ends.back(), decoding.text.size());
  }
}

TEST_F(ByteLevelBpeTest, ATextNeverEndsItself) {
  const Tokenizer tokenizer = plain();
  EXPECT_EQ(tokenizer.pieces(std::vector{tokenizer.end_id()}).front(), "<|endoftext|>");
  const std::vector<TokenId> ids = tokenizer.encode("a<|endoftext|>b");
  EXPECT_EQ(std::ranges::count(ids, tokenizer.end_id()), 0);
  EXPECT_EQ(tokenizer.decode(ids), "a<|endoftext|>b");
  EXPECT_EQ(tokenizer.decode(std::vector{tokenizer.end_id()}), "");
  EXPECT_EQ(tokenizer.unknown_id(), kNoToken);
  EXPECT_EQ(tokenizer.pad_id(), kNoToken);
}

// Another token may end texts.
TEST_F(ByteLevelBpeTest, TokenizerConfigNamesTheEnd) {
  write("tokenizer_config.json", R"({"eos_token": {"content": "<|user|>", "lstrip": false}})");
  const Tokenizer tokenizer = plain();
  EXPECT_EQ(tokenizer.vocabulary().piece(tokenizer.end_id()), "<|user|>");
  EXPECT_EQ(tokenizer.encode("<|endoftext|>").size(), 1u);
  write("tokenizer_config.json", R"({"eos_token": "<end>"})");
  EXPECT_THAT(testing::error_of([&] { plain(); }),
              ::testing::HasSubstr("no token is '<end>', which ends a text"));
}

// A model may have more ids than its tokenizer.
TEST_F(ByteLevelBpeTest, IdsOfTheModelAloneAreUnused) {
  const int64_t size = plain().size();
  write("config.json", R"({"vocab_size": 500})");
  const Tokenizer tokenizer = plain();
  EXPECT_EQ(tokenizer.size(), 500);
  EXPECT_EQ(tokenizer.vocabulary().output_size(), size);
  EXPECT_EQ(tokenizer.decode(std::vector<TokenId>{499}), "");
  write("config.json", R"({"vocab_size": 100})");
  EXPECT_EQ(plain().size(), size);
}

TEST_F(ByteLevelBpeTest, APrefixHasEnoughTokens) {
  const Tokenizer tokenizer = plain();
  std::string text;
  for (int i = 0; i < 3000; ++i) text += i % 7 == 0 ? "      " : "é😀x street";
  const std::vector<TokenId> all = tokenizer.encode(text);
  const Encoding some = tokenizer.encode_prefix(text, 50);
  EXPECT_TRUE(some.truncated);
  ASSERT_GE(some.ids.size(), 50u);
  EXPECT_TRUE(std::equal(some.ids.begin(), some.ids.begin() + 50, all.begin()));
}

// A word is as long as a text may be: quadratic merging would take hours.
TEST_F(ByteLevelBpeTest, LongWordsTakeLinearTime) {
  const Tokenizer tokenizer = plain();
  const auto start = std::chrono::steady_clock::now();
  const std::string text(1 << 20, 'a');
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST_F(ByteLevelBpeTest, SavesWhatItLoaded) {
  plain();
  write("tokenizer_config.json", R"({"eos_token": "<|user|>"})");
  const TokenizerPair pair = TokenizerPair::load(folder_);
  const auto copy = folder_ / "copy";
  std::filesystem::create_directory(copy);
  for (const char* file : {"source.spm", "target.spm", "vocab.json"})
    std::ofstream(copy / file) << "of an earlier model";
  TokenizerConfig config;
  config.max_length = 99;
  pair.save(copy, config);
  const TokenizerPair again = TokenizerPair::load(copy);
  EXPECT_EQ(again.fingerprint(), pair.fingerprint());
  EXPECT_EQ(again.target().end_id(), pair.target().end_id());
  EXPECT_EQ(read_tokenizer_config(copy).max_length, 99);
  EXPECT_FALSE(std::filesystem::exists(copy / "source.spm"));
}

TEST_F(ByteLevelBpeTest, OtherTokenizersAreRefused) {
  using ::testing::HasSubstr;
  const auto with_type = [](const char* key, const char* type) {
    return [=](Json& json) { json[key] = Json{{"type", type}}; };
  };
  EXPECT_THAT(refused([](Json& json) { json["model"]["type"] = "WordPiece"; }),
              HasSubstr("model is \"WordPiece\": heed reads the byte-level BPE of GPT-2"));
  EXPECT_THAT(refused(with_type("normalizer", "NFC")), HasSubstr("normalizer is \"NFC\""));
  EXPECT_THAT(refused(with_type("pre_tokenizer", "Metaspace")),
              HasSubstr("pre_tokenizer is \"Metaspace\""));
  EXPECT_THAT(refused([](Json& json) { json["decoder"] = nullptr; }), HasSubstr("decoder is null"));
  EXPECT_THAT(refused([](Json& json) { json["pre_tokenizer"]["use_regex"] = false; }),
              HasSubstr("use_regex is false, expected true"));
  EXPECT_THAT(refused([](Json& json) { json["model"]["dropout"] = 0.1; }),
              HasSubstr("dropout is 0.1, expected null or 0.0"));
  EXPECT_THAT(refused([](Json& json) { json["model"]["end_of_word_suffix"] = "</w>"; }),
              HasSubstr("end_of_word_suffix is \"</w>\""));
  EXPECT_THAT(refused([](Json& json) { json["added_tokens"][1]["lstrip"] = true; }),
              HasSubstr("lstrip is true, expected false of the token"));
}

TEST_F(ByteLevelBpeTest, DamageIsNamed) {
  using ::testing::HasSubstr;
  const auto change = [](const char* key, const Json& value) {
    return [=](Json& json) { json["model"]["vocab"][key] = value; };
  };
  EXPECT_THAT(refused(change("a", 100000)), HasSubstr("token 'a' has id 100000; expected a whole"));
  EXPECT_THAT(refused(change("a", -1)), HasSubstr("token 'a' has id -1"));
  EXPECT_THAT(refused(change("a", 7)), HasSubstr("id 7 belongs to"));
  EXPECT_THAT(refused([](Json& json) { json["model"]["merges"].push_back("a b c"); }),
              HasSubstr("merges: expected two tokens"));
  EXPECT_THAT(refused([](Json& json) { json["model"]["merges"].push_back("< zzzz"); }),
              HasSubstr("needs the token 'zzzz', which vocab lacks"));
  EXPECT_THAT(refused([](Json& json) {
                Json& vocab = json["model"]["vocab"];
                vocab["other"] = vocab["a"];
                vocab.erase("a");
                json["model"]["merges"] = Json::array();
              }),
              HasSubstr("no token is 'a', the byte 0x61"));
  EXPECT_THAT(refused([](Json& json) { json.erase("model"); }), HasSubstr("the key model is"));
}

TEST_F(ByteLevelBpeTest, DamagedFilesAreReadOrRefused) {
  int read = 0;
  testing::for_each_damaged(file().dump(), 20'000, 300, [&](const std::string& damaged) {
    write("tokenizer.json", damaged);
    try {
      const TokenizerPair pair = TokenizerPair::load(folder_);
      const std::string text = "a street <|user|> 😀";
      EXPECT_FALSE(find_invalid_utf8(pair.target().decode(pair.target().encode(text))));
      ++read;
    } catch (const Error& error) {
      EXPECT_STRNE(error.what(), "");
    }
  });
  EXPECT_LT(read, 200);
}

}  // namespace
}  // namespace heed
