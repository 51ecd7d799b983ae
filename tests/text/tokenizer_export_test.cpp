// A SentencePiece vocabulary as tokenizer.json, compared with what Hugging Face's tokenizers makes
// of it (tools/make_tokenizer_export_goldens.py).
#include "heed/text/tokenizer_export.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "heed/text/tokenizer.h"
#include "heed/text/tokenizer_training.h"
#include "support/folder_test.h"
#include "support/goldens.h"
#include "support/text_files.h"

namespace heed {
namespace {

using testing::Json;

class TokenizerExportTest : public FolderTest {
 protected:
  static TokenizerPair golden_model(const std::string& kind) {
    return TokenizerPair::joint(read(HEED_TESTS "/text/data/export/" + kind + ".spm"));
  }
  static std::optional<std::string> exported(const Tokenizer& tokenizer) {
    return detail::tokenizer_json_of(tokenizer.model(), tokenizer.vocabulary());
  }
  TokenizerPair trained(TokenizerOptions options) const {
    options.vocabulary_size = 110;
    return TokenizerPair::joint(train_tokenizer(
        options, std::vector{write("text", Sentences::text(sentences(200).target))}));
  }
};

TEST_F(TokenizerExportTest, TokenizersGivesTheIdsOfHeed) {
  for (const std::string kind : {"bpe", "unigram", "char"}) {
    const Json golden = testing::goldens("/text/data/export/goldens.json", kind);
    const Tokenizer tokenizer = golden_model(kind).target();
    const auto json = exported(tokenizer);
    ASSERT_TRUE(json);
    EXPECT_EQ(Json::parse(*json), golden["tokenizer"]) << kind;
    ASSERT_GE(golden["texts"].size(), 50u);
    for (const Json& one : golden["texts"]) {
      std::vector<TokenId> ids = tokenizer.encode(one[0].get<std::string>());
      ids.insert(ids.begin(), tokenizer.pad_id());  // begins every text
      EXPECT_EQ(Json(ids), one[1]) << kind << ": " << one[0];
    }
  }
}

TEST_F(TokenizerExportTest, NormalizationIsExportedAsItsTable) {
  TokenizerOptions options;
  options.normalization = Normalization::nfkc;
  const auto json = Json::parse(exported(trained(options).target()).value());
  const Json& steps = json["normalizer"]["normalizers"];
  const auto table =
      std::ranges::find(steps, "Precompiled", [](const Json& s) { return s["type"]; });
  ASSERT_NE(table, steps.end());
  EXPECT_GT((*table)["precompiled_charsmap"].get<std::string>().size(), 100'000u);
}

// Pieces of whole words, and symbols that stay whole, have no equal.
TEST_F(TokenizerExportTest, OtherVocabulariesAreNotExported) {
  TokenizerOptions options;
  options.kind = TokenizerKind::word;
  EXPECT_EQ(exported(trained(options).target()), std::nullopt);
}

TEST_F(TokenizerExportTest, IsSavedForLanguageModelsAlone) {
  const TokenizerPair pair = golden_model("bpe");
  TokenizerConfig config;
  config.use = TokenizerUse::language_model;
  pair.save(folder_, config);
  EXPECT_EQ(read(folder_ / "tokenizer.json"), exported(pair.target()));
  const auto saved = Json::parse(read(folder_ / "tokenizer_config.json"));
  EXPECT_EQ(saved["tokenizer_class"], "PreTrainedTokenizerFast");
  EXPECT_EQ(saved["bos_token"], "<pad>");
  EXPECT_EQ(saved["eos_token"], "</s>");
  EXPECT_EQ(TokenizerPair::load(folder_).fingerprint(), pair.fingerprint());
  pair.save(folder_);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "tokenizer.json"));
  EXPECT_EQ(Json::parse(read(folder_ / "tokenizer_config.json"))["tokenizer_class"],
            "MarianTokenizer");
}

}  // namespace
}  // namespace heed
