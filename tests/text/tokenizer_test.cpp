#include "heed/text/tokenizer.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "heed/core/rng.h"
#include "heed/text/tokenizer_training.h"
#include "support/facts.h"
#include "support/text_files.h"

namespace heed {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::Ne;

class TokenizerTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    const Sentences pairs = sentences(300);
    source_ = write("train.zh", Sentences::text(pairs.source));
    target_ = write("train.de", Sentences::text(pairs.target));
  }

  std::string train(TokenizerOptions options) const {
    return train_tokenizer(options, std::vector{source_, target_});
  }
  std::string small_model() const {
    TokenizerOptions options;
    options.vocabulary_size = 100;
    return train(options);
  }
  // A directory with the files of a joint model, to be damaged.
  std::filesystem::path saved() const {
    const auto directory = folder_ / "model";
    std::filesystem::create_directory(directory);
    TokenizerPair::joint(small_model()).save(directory);
    return directory;
  }
  std::string vocabulary_error(std::string_view json) const {
    const auto path = write("vocab.json", json);
    return error_of([&] { Vocabulary::load(path); });
  }

  std::filesystem::path source_, target_;
};

TEST_F(TokenizerTest, EveryKindSpellsWhatItHasLearnt) {
  const Sentences pairs = sentences(300);
  for (const auto& [name, kind] : enum_names(TokenizerKind{})) {
    TokenizerOptions options;
    options.kind = kind;
    options.vocabulary_size = kind == TokenizerKind::word ? 5000 : 110;
    const auto tokenizers = TokenizerPair::joint(train(options));
    for (const auto* side : {&pairs.source, &pairs.target}) {
      for (int i = 0; i < 300; i += 17) {
        const std::string& text = (*side)[size_t(i)];
        const auto ids = tokenizers.source().encode(text);
        EXPECT_FALSE(ids.empty());
        EXPECT_THAT(
            ids, Each(AllOf(Ne(tokenizers.source().unknown_id()), Ne(0), Lt(tokenizers.pad_id()))))
            << name << ": " << text;
        EXPECT_EQ(tokenizers.target().decode(ids), text) << name;
        EXPECT_EQ(tokenizers.source().pieces(ids).size(), ids.size());
      }
    }
  }
}

TEST_F(TokenizerTest, IdsAreHeeds) {
  const auto tokenizers = TokenizerPair::joint(small_model());
  const Vocabulary& vocabulary = tokenizers.source().vocabulary();
  EXPECT_TRUE(tokenizers.is_joint());
  EXPECT_EQ(vocabulary.size(), 100);
  EXPECT_EQ(vocabulary.output_size(), 99);
  EXPECT_EQ(tokenizers.output_vocabulary_size(), 99);
  EXPECT_EQ(vocabulary.piece(0), "</s>");
  EXPECT_EQ(vocabulary.piece(1), "<unk>");
  EXPECT_EQ(vocabulary.piece(99), "<pad>");
  EXPECT_EQ(tokenizers.pad_id(), 99);
  EXPECT_EQ(tokenizers.source().end_id(), 0);
}

TEST_F(TokenizerTest, TextNeverBecomesSpecialIds) {
  const auto tokenizers = TokenizerPair::joint(small_model());
  for (const std::string text : {"</s>", "<pad>", "a </s> b <pad>", "<unk>", "<s>"}) {
    EXPECT_THAT(tokenizers.source().encode(text), Each(AllOf(Ne(0), Ne(tokenizers.pad_id()))))
        << text;
  }
}

TEST_F(TokenizerTest, DecodeSkipsSpecialIdsAndShowsUnknownOnes) {
  const auto tokenizers = TokenizerPair::joint(small_model());
  const Tokenizer& tokenizer = tokenizers.target();
  auto ids = tokenizer.encode("Ich sehen");
  ids.insert(ids.begin(), tokenizer.pad_id());
  ids.push_back(tokenizer.unknown_id());
  ids.push_back(tokenizer.end_id());
  EXPECT_EQ(tokenizer.decode(ids), "Ich sehen ⁇ ");
  EXPECT_EQ(tokenizer.decode({}), "");
  EXPECT_THROW(tokenizer.decode(std::vector<TokenId>{100}), Bug);
  EXPECT_THROW(tokenizer.pieces(std::vector<TokenId>{-1}), Bug);
}

TEST_F(TokenizerTest, OddTextIsEncodedAllTheSame) {
  const auto tokenizers = TokenizerPair::joint(small_model());
  const Tokenizer& tokenizer = tokenizers.source();
  EXPECT_TRUE(tokenizer.encode("").empty());
  EXPECT_TRUE(tokenizer.encode("  \t ").empty());
  EXPECT_EQ(tokenizer.encode("Ich\xff"), tokenizer.encode("Ich\uFFFD"));
  EXPECT_FALSE(tokenizer.encode(std::string_view("Ich\0Du", 6)).empty());
  EXPECT_FALSE(tokenizer.encode(std::string(100'000, 'I')).empty());
  EXPECT_EQ(tokenizer.encode("Ich\r"), tokenizer.encode("Ich"));
}

TEST_F(TokenizerTest, ByteFallbackSpellsEveryCharacter) {
  TokenizerOptions options;
  options.vocabulary_size = 360;
  options.byte_fallback = true;
  const auto tokenizers = TokenizerPair::joint(train(options));
  const std::string text = "Ich 🐈 ж";
  const auto ids = tokenizers.source().encode(text);
  EXPECT_THAT(ids, Each(Ne(tokenizers.source().unknown_id())));
  EXPECT_THAT(tokenizers.source().pieces(ids), ::testing::Contains("<0xF0>"));
  EXPECT_EQ(tokenizers.target().decode(ids), text);
}

TEST_F(TokenizerTest, LowercaseStandsInTheModel) {
  TokenizerOptions options;
  options.vocabulary_size = 100;
  options.lowercase = true;
  const auto tokenizers = TokenizerPair::joint(train(options));
  const auto ids = tokenizers.source().encode("DIE ÄRZTIN");
  EXPECT_EQ(tokenizers.source().decode(ids), "die ärztin");
}

TEST_F(TokenizerTest, SeparateVocabulariesShareTheirSizeAndPad) {
  TokenizerOptions options;
  options.vocabulary_size = 90;
  const std::string source = train_tokenizer(options, std::vector{source_});
  options.vocabulary_size = 60;
  const std::string target = train_tokenizer(options, std::vector{target_});
  const auto tokenizers = TokenizerPair::separate(source, target);
  EXPECT_FALSE(tokenizers.is_joint());
  EXPECT_EQ(tokenizers.size(), 90);
  EXPECT_EQ(tokenizers.source().vocabulary().output_size(), 89);
  EXPECT_EQ(tokenizers.output_vocabulary_size(), 59);
  EXPECT_EQ(tokenizers.target().pad_id(), 89);
  EXPECT_EQ(tokenizers.target().vocabulary().piece(59), "<unused_1>");
  EXPECT_EQ(tokenizers.target().decode(std::vector<TokenId>{59, 88, 89, 0}), "");

  tokenizers.save(folder_);
  const auto again = TokenizerPair::load(folder_);
  EXPECT_FALSE(again.is_joint());
  EXPECT_EQ(again.output_vocabulary_size(), 59);
  EXPECT_EQ(again.fingerprint(), tokenizers.fingerprint());
  EXPECT_NE(TokenizerPair::separate(target, source).fingerprint(), tokenizers.fingerprint());
}

TEST_F(TokenizerTest, LoadsWhatItSaved) {
  const auto tokenizers = TokenizerPair::joint(small_model());
  write("target_vocab.json", "left from another model");
  tokenizers.save(folder_, {.source_language = "zh", .target_language = "de", .max_length = 99});
  const auto again = TokenizerPair::load(folder_);
  EXPECT_TRUE(again.is_joint());
  EXPECT_EQ(again.fingerprint(), tokenizers.fingerprint());
  EXPECT_EQ(again.source().encode("我喜欢水。"), tokenizers.source().encode("我喜欢水。"));
  const auto config = nlohmann::json::parse(read(folder_ / "tokenizer_config.json"));
  EXPECT_EQ(config["source_lang"], "zh");
  EXPECT_EQ(config["target_lang"], "de");
  EXPECT_EQ(config["model_max_length"], 99);
  EXPECT_EQ(config["separate_vocabs"], false);
}

// Published models: two SentencePiece models under one vocab.json whose ids are its own.
TEST_F(TokenizerTest, IdsComeFromVocabJson) {
  TokenizerOptions options;
  options.kind = TokenizerKind::character;
  const std::string source = train_tokenizer(options, std::vector{source_});
  const std::string target = train_tokenizer(options, std::vector{target_});
  write("source.spm", source);
  write("target.spm", target);
  write("vocab.json",
        R"({"<unk>":1,"▁":2,"a":3,"水":4,"I":5,">>deu<<":6,"c":7,"h":8,"</s>":0,"<pad>":9})");
  EXPECT_THAT(error_of([&] { TokenizerPair::load(folder_); }), HasSubstr("different models"));
  // Most of the pieces of both must be there: the others follow.
  std::vector<std::string> pieces{"</s>", "<unk>", "▁", "a", "水", "I", ">>deu<<", "c", "h"};
  for (const std::string& model : {source, target}) {
    const Vocabulary own = TokenizerPair::joint(model).source().vocabulary();
    for (TokenId id = 2; id < own.output_size(); ++id) {
      const std::string& piece = own.piece(id);
      const bool left_out = piece == "B" || piece == "r" || id % 5 == 0;
      if (!left_out && std::find(pieces.begin(), pieces.end(), piece) == pieces.end())
        pieces.push_back(piece);
    }
  }
  pieces.emplace_back("<pad>");
  write("vocab.json", Vocabulary(pieces).json());
  const auto tokenizers = TokenizerPair::load(folder_);
  EXPECT_TRUE(tokenizers.is_joint());
  EXPECT_EQ(tokenizers.source().end_id(), 0);
  EXPECT_THAT(tokenizers.source().encode(">>deu<< 水"), ElementsAre(6, 2, 4));
  EXPECT_THAT(tokenizers.source().encode(">>fra<<").front(), 2);
  EXPECT_THAT(tokenizers.target().encode("Ich"), ElementsAre(2, 5, 7, 8));
  EXPECT_THAT(tokenizers.target().encode("Bach"), ElementsAre(2, 1, 3, 7, 8));
  // Not a piece of the source model, yet of the vocabulary.
  EXPECT_THAT(tokenizers.source().encode("I"), ElementsAre(2, 5));
  EXPECT_EQ(tokenizers.target().decode(std::vector<TokenId>{2, 5, 7, 8, 2, 4, 0}), "Ich 水");
}

TEST_F(TokenizerTest, ManyThreadsMayUseOne) {
  const auto tokenizers = TokenizerPair::joint(small_model());
  const Sentences pairs = sentences(100);
  std::vector<std::vector<TokenId>> expected;
  for (const auto& line : pairs.target) expected.push_back(tokenizers.source().encode(line));
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (size_t i = 0; i < pairs.target.size(); ++i) {
        const auto ids = tokenizers.source().encode(pairs.target[i]);
        if (ids != expected[i] || tokenizers.source().decode(ids) != pairs.target[i]) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(TokenizerTest, HostileVocabulariesAreErrors) {
  EXPECT_THAT(vocabulary_error(""), HasFacts("vocab.json 1 JSON"));
  EXPECT_THAT(vocabulary_error("{\"</s>\":0"), HasSubstr("no valid JSON"));
  EXPECT_THAT(
      vocabulary_error("{\"a\":" + std::string(200'000, '[') + std::string(200'000, ']') + "}"),
      HasSubstr("nested deeper than"));
  EXPECT_THAT(vocabulary_error(R"({"</s>":0,"<unk>":1,"a":2,"a":2,"<pad>":3})"), HasFacts("\"a\""));
  EXPECT_THAT(vocabulary_error("[1]"), HasFacts("array"));
  EXPECT_THAT(vocabulary_error("{}"), HasSubstr("'</s>' is missing"));
  EXPECT_THAT(vocabulary_error(R"({"<unk>":0,"a":1,"</s>":2,"<pad>":3})"),
              HasFacts("vocab.json </s> 2 0"));
  EXPECT_THAT(vocabulary_error(R"({"</s>":0,"<unk>":1,"a":1,"<pad>":3})"),
              HasSubstr("id 1 belongs to"));
  EXPECT_THAT(vocabulary_error(R"({"</s>":0,"<unk>":1,"a":2,"<pad>":4})"),
              HasSubstr("piece '<pad>' has id 4; expected a whole number from 0 to 3"));
  EXPECT_THAT(vocabulary_error(R"({"</s>":0,"<unk>":-1,"a":2,"<pad>":3})"), HasSubstr("id -1"));
  EXPECT_THAT(vocabulary_error(R"({"</s>":0,"<unk>":1.5,"a":2,"<pad>":3})"), HasSubstr("id 1.5"));
  EXPECT_THAT(vocabulary_error(R"({"</s>":0,"<unk>":"1","a":2,"<pad>":3})"), HasSubstr("\"1\""));
  EXPECT_THAT(vocabulary_error(R"({"</s>":0,"<unk>":99999999999999999999,"<pad>":2})"),
              HasSubstr("'<unk>' has id"));
  EXPECT_THAT(vocabulary_error(R"({"</s>":0,"<unk>":18446744073709551615,"<pad>":2})"),
              HasSubstr("id 18446744073709551615"));
  EXPECT_THAT(vocabulary_error(R"({"</s>":0,"<unk>":1,"<pad>":2,"a":3})"),
              HasSubstr("<pad> has id 2; expected the last id, 3"));
  EXPECT_THAT(vocabulary_error("{\"</s>\":0,\"<unk>\":1,\"\xff\":2,\"<pad>\":3}"),
              HasSubstr("no valid JSON"));
  EXPECT_EQ(vocabulary_error(R"({"</s>":0,"<unk>":1,"\u0000\"\\":2,"<pad>":3})"), "");
  EXPECT_EQ(vocabulary_error(Vocabulary::load(folder_ / "vocab.json").json()), "");
  EXPECT_EQ(Vocabulary::load(folder_ / "vocab.json").piece(2), std::string("\0\"\\", 3));
}

// One line of UTF-8, whatever the model's pieces and its word for <unk> say: a translation must
// neither break into lines nor break a reader of JSON.
TEST_F(TokenizerTest, HostilePiecesDecodeToOneLineOfUtf8) {
  const std::string unknown = message_field(2, std::string("\xe2\x02", 2) + "\x03\xff\n!");
  const auto tokenizers = TokenizerPair::joint(small_model() + user_piece("one\ntwo") + unknown);
  const Tokenizer& tokenizer = tokenizers.source();
  const std::vector<TokenId> ids = {*tokenizer.vocabulary().find("one\ntwo"),
                                    tokenizer.unknown_id()};
  EXPECT_EQ(tokenizer.decode(ids), "one two\uFFFD !");
}

TEST_F(TokenizerTest, NothingIsPrintedOfASelfTest) {
  // An example that the model fails: it would be printed, and the model refused.
  const std::string sample =
      message_field(1, message_field(1, "Ich sehen") + message_field(2, "something else"));
  ::testing::internal::CaptureStderr();
  const auto tokenizers = TokenizerPair::joint(small_model() + message_field(4, sample));
  EXPECT_FALSE(tokenizers.source().encode("Ich sehen").empty());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(TokenizerTest, MissingOrBrokenFilesOfAModelAreNamed) {
  const auto directory = saved();
  for (const std::string file : {"source.spm", "target.spm", "vocab.json"}) {
    const std::string whole = read(directory / file);
    const auto message = [&] { return error_of([&] { TokenizerPair::load(directory); }); };
    std::filesystem::remove(directory / file);
    EXPECT_THAT(message(), HasSubstr(file + ": No such file"));
    for (const std::string& bytes :
         {std::string(), std::string("garbage"), std::string("\0\0\0\0", 4),
          whole.substr(0, whole.size() / 2), whole.substr(0, whole.size() - 1) + "\xff\xff\xff"}) {
      write("model/" + file, bytes);
      EXPECT_THAT(message(), HasSubstr(file)) << bytes.size();
    }
    write("model/" + file, whole);
    EXPECT_EQ(message(), "");
  }
  write("model/target_vocab.json", R"({"</s>":0,"<unk>":1,"<pad>":2})");
  EXPECT_THAT(error_of([&] { TokenizerPair::load(directory); }),
              HasSubstr("vocab.json has 100 ids and target_vocab.json 3"));
  EXPECT_THAT(error_of([&] { TokenizerPair::joint("garbage", "my.spm"); }),
              HasSubstr("my.spm is no SentencePiece model"));
}

TEST_F(TokenizerTest, TellsWhereIdsEnd) {
  const TokenizerPair pair = TokenizerPair::joint(small_model());
  const std::string text = sentences(1).target[0];
  const Encoding encoding = pair.target().encode_with_ends(text);
  EXPECT_EQ(encoding.ids, pair.target().encode(text));
  EXPECT_FALSE(encoding.truncated);
  ASSERT_EQ(encoding.ends.size(), encoding.ids.size());
  EXPECT_TRUE(std::is_sorted(encoding.ends.begin(), encoding.ends.end()));
  EXPECT_EQ(encoding.ends.back(), text.size());
}

TEST_F(TokenizerTest, ReadsNoMoreOfALongTextThanIsOfUse) {
  const TokenizerPair pair = TokenizerPair::joint(small_model());
  const Tokenizer& tokenizer = pair.source();
  std::string text;
  while (text.size() < 100'000) text += sentences(1).source[0];
  const Encoding beginning = tokenizer.encode_prefix(text, 20);
  EXPECT_TRUE(beginning.truncated);
  EXPECT_GT(beginning.ids.size(), 20u);
  EXPECT_LE(beginning.ends.back(), size_t(20 * Tokenizer::kBytesPerToken));
  const std::vector<TokenId> all = tokenizer.encode(text);
  EXPECT_TRUE(std::equal(all.begin(), all.begin() + 20, beginning.ids.begin()));
  // Spaces are no text, however many.
  const std::string apart = "a" + std::string(50'000, ' ') + "b";
  EXPECT_FALSE(tokenizer.encode_prefix(apart, 20).truncated);
  EXPECT_EQ(tokenizer.encode_prefix(apart, 20).ids, tokenizer.encode("a b"));
}

TEST(BeginningOf, EndsBetweenCharacters) {
  EXPECT_EQ(prefix_of("abc", 2), "ab");
  EXPECT_EQ(prefix_of("你好", 4), "你");
  EXPECT_EQ(prefix_of("你好", 6), "你好");
  EXPECT_EQ(prefix_of("a    b    c", 4), "a    b    ");
}

// A vocabulary gives pieces their meaning: of another model it would give them another.
TEST_F(TokenizerTest, AVocabularyOfAnotherModelIsRefused) {
  const auto directory = saved();
  const auto message = [&] { return error_of([&] { TokenizerPair::load(directory); }); };
  const Vocabulary own = TokenizerPair::load(directory).source().vocabulary();
  const auto with = [&](TokenId id, const std::string& piece) {
    std::vector<std::string> pieces;
    for (TokenId i = 0; i < own.size(); ++i) pieces.push_back(i == id ? piece : own.piece(i));
    return Vocabulary(pieces).json();
  };
  // The same order is not asked for, one other name among as many is too much.
  std::vector<std::string> turned;
  for (TokenId i = 0; i < own.size(); ++i)
    turned.push_back(own.piece(i > 1 && i < own.size() - 1 ? TokenId(own.size() - i) : i));
  write("model/vocab.json", Vocabulary(turned).json());
  EXPECT_EQ(message(), "");
  write("model/vocab.json", with(50, "other"));
  EXPECT_THAT(message(), AllOf(HasSubstr("vocab.json"), HasSubstr("source.spm"), HasSubstr("1 of"),
                               HasSubstr("'" + own.piece(50) + "'")));
  // Another model of the same size, learnt from other text of the same languages.
  TokenizerOptions options;
  options.vocabulary_size = 100;
  options.kind = TokenizerKind::unigram;
  TokenizerPair::joint(train(options)).save(folder_);
  write("model/vocab.json", read(folder_ / "vocab.json"));
  EXPECT_THAT(message(), HasSubstr("different models"));
  // As fewer pieces than the model has, as published models have them: half of them will do.
  const auto first_pieces = [&](int64_t count) {
    std::vector<std::string> pieces{"</s>", "<unk>"};
    for (TokenId i = 2; i < 2 + count; ++i) pieces.push_back(own.piece(i));
    pieces.emplace_back("<pad>");
    return Vocabulary(pieces).json();
  };
  write("model/vocab.json", first_pieces(50));
  EXPECT_EQ(message(), "");
  write("model/vocab.json", first_pieces(40));
  EXPECT_THAT(message(), HasSubstr("different models"));
}

// All pieces of a smaller model may well be in the vocabulary.
TEST_F(TokenizerTest, ASmallerModelOfTheSameTextIsRefused) {
  TokenizerOptions options;
  options.vocabulary_size = 200;
  TokenizerPair::joint(train(options)).save(folder_);
  options.vocabulary_size = 110;
  const std::string smaller = train(options);
  const auto message = [&] { return error_of([&] { TokenizerPair::load(folder_); }); };
  const std::string whole = read(folder_ / "source.spm");
  EXPECT_EQ(message(), "");
  for (const char* name : {"source.spm", "target.spm"}) {
    write(name, smaller);
    EXPECT_THAT(message(), AllOf(HasSubstr(name), HasSubstr("different models")));
    write(name, whole);
  }
  for (const char* name : {"source.spm", "target.spm"}) write(name, smaller);
  EXPECT_THAT(message(), HasSubstr("different models"));
}

TEST_F(TokenizerTest, ATargetVocabularyOfAnotherModelIsNamed) {
  TokenizerOptions options;
  options.vocabulary_size = 60;
  const std::string source = train_tokenizer(options, std::vector{source_});
  const std::string target = train_tokenizer(options, std::vector{target_});
  TokenizerPair::separate(source, target).save(folder_);
  EXPECT_EQ(error_of([&] { TokenizerPair::load(folder_); }), "");
  write("target_vocab.json", read(folder_ / "vocab.json"));
  EXPECT_THAT(error_of([&] { TokenizerPair::load(folder_); }),
              AllOf(HasSubstr("target_vocab.json"), HasSubstr("target.spm")));
}

TEST_F(TokenizerTest, FoldsCaseAsItsModelDoes) {
  for (const bool lowercase : {false, true}) {
    for (const bool bytes : {false, true}) {
      TokenizerOptions options;
      options.vocabulary_size = bytes ? 360 : 100;
      options.lowercase = lowercase;
      options.byte_fallback = bytes;
      EXPECT_EQ(TokenizerPair::joint(train(options)).source().folds_case(), lowercase);
    }
  }
}

// Damage anywhere gives an Error or a tokenizer that works, never a crash.
TEST_F(TokenizerTest, FlippedBytesOfAModelNeverCrash) {
  const std::string whole = small_model();
  const std::string text = Sentences::text(sentences(2).target) + "ﬁ Å ½ 水";
  Random random(5);
  int errors = 0;
  for (int round = 0; round < 150; ++round) {
    std::string bytes = whole;
    // Half of the damage where pieces and scores stand, half in the table of the normalizer.
    const size_t range = round % 2 == 0 ? std::min<size_t>(bytes.size(), 2500) : bytes.size();
    bytes[random.below(range)] = char(random());
    errors += error_of([&] { TokenizerPair::joint(bytes).source().encode(text); }).empty() ? 0 : 1;
  }
  EXPECT_GT(errors, 0);
}

}  // namespace
}  // namespace heed
