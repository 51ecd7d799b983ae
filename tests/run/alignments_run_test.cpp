// Runs that teach an attention head to follow alignments.
#include <gmock/gmock.h>

#include "heed/model/directory.h"
#include "heed/run/run_settings.h"
#include "run/trainer_fixture.h"
#include "support/facts.h"
#include "support/folder_test.h"

namespace heed {
namespace {

class AlignmentsRunTest : public TrainerTest {
 protected:
  // A run that follows these links; none: it learns them.
  TrainOptions guided(const std::string& model, const std::string& links = "") const {
    TrainOptions o = options(model);
    o.guided_alignment = {"self"};
    if (links.empty()) return o;
    folder_.write(model + ".links", links);
    o.guided_alignment = {(folder_ / (model + ".links")).string()};
    return o;
  }

  // The links of each pair, whose target is its source backwards.
  std::string true_links() const {
    std::string all;
    std::istringstream lines(folder_.read("source"));
    for (std::string line; std::getline(lines, line);) {
      const auto words = std::count(line.begin(), line.end(), ' ');
      for (int64_t i = 0; i < words; ++i) all += fmt::format("{}-{} ", i, words - 1 - i);
      all += "\n";
    }
    return all;
  }
};

TEST_F(AlignmentsRunTest, AHeadLearnsTheLinksOfTheText) {
  TrainOptions o = guided("a");
  o.d_model = 64;
  o.epochs = 30;
  o.guided_alignment_weight = 3;
  Recorder recorder;
  train(o, *backend_, recorder);
  EXPECT_THAT(recorder.messages, ::testing::Contains(HasFacts("alignments: links in 120 of 120")));
  ASSERT_TRUE(recorder.reports.front().alignment_loss);
  EXPECT_GT(*recorder.reports.front().alignment_loss, 0.9);
  EXPECT_LT(*recorder.reports.back().alignment_loss, 0.5);
  const SequenceModel model = load_model(folder_ / "a");
  ASSERT_TRUE(model.generation_defaults().alignment);
  EXPECT_EQ(*model.generation_defaults().alignment,
            (AlignmentHeads{{{0, 0}}, AlignmentStep::following}));
}

TEST_F(AlignmentsRunTest, LinksOfWordsAreReadFromFiles) {
  Recorder recorder;
  train(guided("a", true_links()), *backend_, recorder);
  EXPECT_THAT(recorder.messages, ::testing::Contains(HasFacts("alignments: in 120 of 120 pairs")));
  Recorder plain;
  train(options("b"), *backend_, plain);
  EXPECT_NE(weights("a"), weights("b"));
  EXPECT_FALSE(plain.reports.back().alignment_loss);
  // The same links as pieces of letters: each piece of a word is linked to each of the other.
  TrainOptions pieces = guided("c", true_links());
  pieces.tokenizer.kind = TokenizerKind::character;
  Recorder of_pieces;
  train(pieces, *backend_, of_pieces);
  EXPECT_THAT(of_pieces.messages, ::testing::Contains(HasFacts("in 120 of 120 pairs")));
}

TEST_F(AlignmentsRunTest, FilesThatDoNotFitAreRefused) {
  const std::string links = true_links();
  const auto error = [&](const std::string& text) {
    TrainObserver silent;
    return error_of([&] { train(guided("a", text), *backend_, silent); });
  };
  EXPECT_THAT(error(links + "\n"), HasFacts("has 121 lines, the training text 120 pairs"));
  const std::string rest = links.substr(links.find('\n'));
  EXPECT_THAT(error("0-0 x-1" + rest), HasFacts("a.links line 1: 'x-1' is no link"));
  EXPECT_THAT(error("0p0" + rest), HasFacts("'0p0' is no link"));
  EXPECT_THAT(error("0-0 9-0" + rest), HasFacts("line 1: the link 9-0 is beyond the words"));
  EXPECT_THAT(error("0-9" + rest), HasFacts("line 1: the link 0-9 is beyond the words"));
  EXPECT_THAT(error(std::string(120, '\n')), HasFacts("no pair of the training text has a link"));
}

TEST_F(AlignmentsRunTest, ARunIsNotResumedWithOtherLinks) {
  const std::string links = true_links();
  TrainOptions o = guided("a", links);
  Recorder two(2);
  train(o, *backend_, two);
  o = guided("a", "0-0" + links.substr(links.find('\n')));
  o.resume = true;
  Recorder recorder;
  EXPECT_THAT(error_of([&] { train(o, *backend_, recorder); }), HasFacts("text"));
  o = guided("a", links);
  o.resume = true;
  train(o, *backend_, recorder);
  Recorder whole;
  train(guided("b", links), *backend_, whole);
  EXPECT_EQ(weights("a"), weights("b"));
}

TEST_F(AlignmentsRunTest, WhatCannotBeTaughtIsRefused) {
  const auto refusal = [&](auto&& change) {
    TrainOptions o = guided("a");
    change(o);
    return error_of([&] { resolve(o); });
  };
  EXPECT_THAT(refusal([](TrainOptions& o) { o.vary = {"upper"}; }), HasFacts("--vary"));
  EXPECT_THAT(refusal([](TrainOptions& o) {
                o.guided_alignment = {"self", "a"};
              }),
              HasFacts("give one of them"));
  EXPECT_THAT(refusal([](TrainOptions& o) { o.variants.attention = ScoreFunction::additive; }),
              HasFacts("not for --attention additive"));
  EXPECT_THAT(refusal([](TrainOptions& o) {
                o.guided_alignment = {};
                o.guided_alignment_weight = 1;
              }),
              HasFacts("changes nothing without --guided-alignment"));
  EXPECT_THAT(refusal([](TrainOptions& o) {
                o.task = LearningTask::language_model;
                o.text = std::exchange(o.source, {});
                o.target = {};
              }),
              HasFacts("--guided-alignment is not for --task language-model"));
}

}  // namespace
}  // namespace heed
