// Parsers learn from treebanks, by the same run as a translator.
#include "heed/decode/parser.h"
#include "heed/evaluate/brackets.h"
#include "heed/text/linear_tree.h"
#include "run/trainer_fixture.h"
#include "support/facts.h"

namespace heed {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class ParseRunTest : public TrainerTest {
 protected:
  ParseRunTest() {
    // A verb with one or two noun phrases; a word of a treebank often has one tag.
    std::string trees;
    Random random(2);
    const auto noun_phrase = [&](const char* label) {
      const bool has_adjective = random.below(2) > 0;
      return std::string("(") + label + (random.below(2) > 0 ? " (DT the)" : " (DT a)") +
             (has_adjective ? " (JJ big)" : "") +
             (random.below(2) > 0 ? " (NN cat)" : " (NN -LRB-)") + ")";
    };
    for (int i = 0; i < 150; ++i) {
      const std::string object = random.below(2) > 0 ? " " + noun_phrase("NP-OBJ") : "";
      trees += "(ROOT (S " + noun_phrase("NP-SBJ") + " (VP (VB sees)" + object + ") (. .)))\n";
    }
    folder_.write("trees", trees);
  }

  TrainOptions learning(const std::string& model) const {
    TrainOptions o = options(model);
    o.task = LearningTask::parse;
    o.source.clear(), o.target.clear();
    o.trees = {(folder_ / "trees").string()};
    o.compute = ComputeChoice::fp32;
    o.batches.batch_tokens = 200;
    return o;
  }
  std::vector<std::string> lines(const std::string& file) const {
    std::vector<std::string> all;
    std::istringstream text(folder_.read(file));
    for (std::string line; std::getline(text, line);) all.push_back(line);
    return all;
  }
  TrainObserver silent_;
};

TEST_F(ParseRunTest, SamplesOfItsPageAreTreesOfTheModel) {
  TrainOptions o = learning("model");
  o.hold_out = 10;
  const auto samples = samples_of(o);
  ASSERT_FALSE(samples.empty());
  DecodeOptions greedy;
  greedy.search.beam = 1;
  const Parser parser(folder_ / "model", ComputeChoice::fp32);
  for (const StoredSample& sample : samples) {
    EXPECT_EQ(sample.output, parser.parse(sample.source, greedy));
    EXPECT_EQ(brackets({sample.reference}, std::vector<Lines>{{sample.reference}}).f1, 100);
    EXPECT_FALSE(sample.block);
  }
}

TEST_F(ParseRunTest, StoppedAnywhereAndResumedItEndsWithTheSameBytes) {
  TrainOptions o = learning("whole");
  o.hold_out = 10;
  o.average = "last:2";
  Recorder whole;
  const int64_t steps = train(o, *backend_, whole).progress.step;
  ASSERT_GT(steps, 8);
  for (int64_t stop = 1; stop < steps; stop += 6) {
    TrainOptions first = o;
    first.model = (folder_ / "stopped").string();
    first.overwrite = true;
    Recorder recorder(stop);
    EXPECT_EQ(train(first, *backend_, recorder).end, TrainEnd::stopped);
    first.overwrite = false, first.resume = true, first.threads = 1;
    Recorder rest;
    EXPECT_EQ(train(first, *backend_, rest).end, TrainEnd::limit_reached);
    EXPECT_EQ(weights("stopped"), weights("whole")) << "stopped after step " << stop;
    EXPECT_EQ(folder_.read("stopped/held_out.trees"), folder_.read("whole/held_out.trees"));
  }
}

TEST_F(ParseRunTest, LearnsTheTreesOfSentences) {
  TrainOptions o = learning("model");
  o.hold_out = 15;
  o.schedule = Schedule::constant;
  o.learning_rate = 0.01;
  o.dropout = 0;
  o.epochs = 30;
  o.validation_metric = ValidationMetric::brackets;
  Recorder recorder;
  train(o, *backend_, recorder, measures(o, recorder));
  const std::vector<std::string> held = lines("model/held_out.trees");
  ASSERT_EQ(held.size(), 15u);
  std::vector<std::string> sentences;
  for (const std::string& tree : held) {
    EXPECT_THAT(tree, ::testing::Not(HasSubstr("-SBJ")));
    std::string sentence;
    for (const std::string& word : linear_tree(parse_tree(tree, "held")).words)
      sentence += word == "-LRB-" ? "( " : word + " ";
    sentences.push_back(sentence);
  }
  const Parser parser(o.model);
  const std::vector<std::string> parsed = parser.parse(sentences);
  const double f1 = brackets(parsed, std::vector<Lines>{held}).f1;
  EXPECT_GT(f1, 90);
  ASSERT_EQ(recorder.validations.back().scores.size(), 1u);
  EXPECT_EQ(recorder.validations.back().scores[0].name, "brackets");
  EXPECT_GT(recorder.validations.back().scores[0].value, 90);
  EXPECT_THAT(
      parser.parse("the cat sees a big cat ."),
      "(ROOT (S (NP (DT the) (NN cat)) (VP (VB sees) (NP (DT a) (JJ big) (NN cat))) (. .)))");
}

TEST_F(ParseRunTest, FunctionTagsAreLearnedIfTheyAreAskedFor) {
  TrainOptions o = learning("tags");
  o.function_tags = true;
  o.steps = 1;
  train(o, *backend_, silent_, {});
  EXPECT_THAT(folder_.read("tags/target_vocab.json"), HasSubstr("(NP-SBJ"));
  o = learning("plain");
  o.steps = 1;
  train(o, *backend_, silent_, {});
  EXPECT_THAT(folder_.read("plain/target_vocab.json"), ::testing::Not(HasSubstr("SBJ")));
}

TEST_F(ParseRunTest, LinesWithoutWordsAreCountedAndLongTreesDropped) {
  TrainOptions o = learning("model");
  folder_.write(
      "odd", folder_.read("trees") + "\n(ROOT (NP (-NONE- *)))\n(ROOT (X " + [] {
        std::string words;
        for (int i = 0; i < 300; ++i) words += "(NN cat)";
        return words;
      }() + "))\n");
  o.trees = {(folder_ / "odd").string()};
  o.steps = 1;
  Recorder recorder;
  train(o, *backend_, recorder);
  EXPECT_THAT(recorder.messages, Contains(HasSubstr("kept 150 of 153")));
  EXPECT_THAT(recorder.messages, Contains(HasSubstr("2 with an empty side")));
  // --max-words counts the words of the sentence, not its symbols.
  o.filters.max_words = 8;
  o.model = (folder_ / "short").string();
  Recorder other;
  train(o, *backend_, other);
  EXPECT_THAT(other.messages, Contains(HasSubstr("kept 150 of 153")));
}

TEST_F(ParseRunTest, ADamagedTreebankIsAnErrorBeforeAnythingIsWritten) {
  TrainOptions o = learning("model");
  folder_.write("damaged", folder_.read("trees") + "(ROOT (NN cat)\n");
  o.trees = {(folder_ / "damaged").string()};
  EXPECT_THAT(message(o), HasFacts("damaged:151 column 15 ')'"));
  EXPECT_FALSE(std::filesystem::exists(o.model));
  o.trees = {(folder_ / "trees").string()};
  o.valid_trees = (folder_ / "damaged").string();
  EXPECT_THAT(message(o), HasFacts("damaged:151"));
  folder_.write("blank", "\n\n");
  o = learning("model");
  o.trees = {(folder_ / "blank").string()};
  EXPECT_THAT(message(o), HasFacts("blank no tree has a word"));
}

TEST_F(ParseRunTest, OptionsOfOtherTasksAreRefused) {
  TrainOptions patient = learning("model");
  patient.patience = 2;
  EXPECT_THAT(message(patient), HasFacts("--patience --hold-out --valid-trees"));
  TrainOptions twice = learning("model");
  twice.hold_out = 2;
  twice.valid_trees = twice.trees[0];
  EXPECT_THAT(message(twice), HasFacts("--hold-out contradicts --valid-trees"));
  TrainOptions none = learning("model");
  none.trees.clear();
  EXPECT_THAT(message(none), HasFacts("--trees is missing"));
  using Change = std::function<void(TrainOptions&)>;
  const std::vector<std::pair<Change, std::string>> changes = {
      {[](TrainOptions& o) { o.text = o.trees; }, "--text"},
      {[](TrainOptions& o) { o.source = o.trees; }, "--source"},
      {[](TrainOptions& o) { o.tabular.tsv = o.trees; }, "--tsv"},
      {[](TrainOptions& o) { o.valid_target = "t"; }, "--valid-target"},
      {[](TrainOptions& o) { o.target_language = "de"; }, "--target-language"},
      {[](TrainOptions& o) { o.vocabularies = Vocabularies::separate; }, "--vocabularies"},
      {[](TrainOptions& o) { o.filters.max_ratio = 3; }, "--max-ratio"},
      {[](TrainOptions& o) { o.bleu_tokenize = BleuTokenizer::none; }, "--bleu-tokenize"},
      {[](TrainOptions& o) { o.validation_metric = ValidationMetric::bleu; },
       "--validation-metric bleu"},
      {[](TrainOptions& o) { o.tie_embeddings = TieEmbeddings::none; }, "--tie-embeddings"},
      {[](TrainOptions& o) { o.tokenizer_model = "m"; }, "--tokenizer-model"}};
  for (const auto& [change, flag] : changes) {
    TrainOptions o = learning("model");
    change(o);
    EXPECT_EQ(message(o), flag + " is not for --task parse");
  }
  for (const auto& [change, flag] : std::vector<std::pair<Change, std::string>>{
           {[](TrainOptions& o) { o.trees = o.source; }, "--trees"},
           {[](TrainOptions& o) { o.valid_trees = "t"; }, "--valid-trees"},
           {[](TrainOptions& o) { o.validation_metric = ValidationMetric::brackets; },
            "--validation-metric brackets"},
           {[](TrainOptions& o) { o.function_tags = true; }, "--function-tags"}}) {
    TrainOptions o = options("model");
    change(o);
    EXPECT_EQ(message(o), flag + " is not for --task translation");
  }
}

TEST_F(ParseRunTest, AParserIsFineTunedAndOtherModelsAreRefused) {
  TrainOptions o = learning("parser");
  o.steps = 2;
  train(o, *backend_, silent_, {});
  TrainOptions next = learning("next");
  next.finetune_from = o.model;
  next.d_model.reset(), next.d_ff.reset(), next.heads.reset();
  next.encoder_layers.reset(), next.decoder_layers.reset();
  next.steps = 2;
  train(next, *backend_, silent_, {});
  EXPECT_EQ(folder_.read("next/target_vocab.json"), folder_.read("parser/target_vocab.json"));
  EXPECT_TRUE(Parser(next.model).config().parses());
  // A symbol that the model does not have is said.
  folder_.write("other", "(ROOT (NEW (NN cat)))\n" + folder_.read("trees"));
  next.trees = {(folder_ / "other").string()};
  next.model = (folder_ / "with another symbol").string();
  Recorder recorder;
  train(next, *backend_, recorder);
  EXPECT_THAT(recorder.warnings, Contains(HasFacts("1 of 151 '(NEW' not learn")));
  TrainOptions translator = options("translator");
  translator.finetune_from = o.model;
  translator.d_model.reset(), translator.d_ff.reset(), translator.heads.reset();
  translator.encoder_layers.reset(), translator.decoder_layers.reset();
  EXPECT_THAT(message(translator), HasFacts("parser expected a model that translates"));
}

}  // namespace
}  // namespace heed
