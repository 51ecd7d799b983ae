#include "heed/tasks/search_choice.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/decode/search_options.h"

namespace heed {
namespace {

// A score with its peak at this length penalty, and a loss for each smaller beam.
ScoreOfSearch peak_at(double best, double loss_of_beam) {
  return [=](int64_t beam, double length_penalty) {
    return 30 - 10 * std::abs(length_penalty - best) - loss_of_beam * double(4 - beam);
  };
}

TEST(SearchChoice, FindsThePeakOfTheLengthPenalty) {
  for (double best = 0; best <= 2; best += 0.05) {
    const SearchChoice choice = choose_search(peak_at(best, 0.1));
    EXPECT_NEAR(choice.best.length_penalty, best, 0.21) << best;
    EXPECT_EQ(choice.best.beam, 4);
    EXPECT_EQ(choice.best.score, peak_at(best, 0.1)(4, choice.best.length_penalty));
    EXPECT_EQ(choice.standard.score, peak_at(best, 0.1)(4, 0.6));
    EXPECT_LE(choice.trials.size(), 7U) << "six penalties and a beam";
    EXPECT_EQ(choice.defaults(),
              (SearchDefaults{.beam = 4, .length_penalty = choice.best.length_penalty}));
  }
}

TEST(SearchChoice, StaysNearTheDefaultWhereMoreGivesNextToNothing) {
  const auto chosen = [](double slope) {
    return choose_search([=](int64_t beam, double length_penalty) {
             return 30 + slope * length_penalty - double(4 - beam);
           })
        .best.length_penalty;
  };
  EXPECT_EQ(chosen(0.05), 0.6);
  EXPECT_EQ(chosen(0.2), 1.7) << "within 0.1 of that of 2";
  EXPECT_EQ(chosen(1), 2);
}

TEST(SearchChoice, TakesTheSmallestBeamThatCostsNothing) {
  EXPECT_EQ(choose_search(peak_at(1, 0)).best.beam, 1);
  EXPECT_EQ(choose_search(peak_at(1, -1)).best.beam, 1);
  const auto with_losses = [](double of_two, double of_one) {
    return choose_search([=](int64_t beam, double) {
             return 30 - (beam == 1 ? of_one : beam == 2 ? of_two : 0);
           })
        .best.beam;
  };
  EXPECT_EQ(with_losses(0, 0.01), 2);
  EXPECT_EQ(with_losses(0.01, 0), 4);
}

TEST(SearchChoice, StaysAtTheDefaultsWhereAllAreEqual) {
  const SearchChoice choice = choose_search([](int64_t, double) { return 100.0; });
  EXPECT_EQ(choice.best.length_penalty, SearchOptions::kDefaultLengthPenalty);
  EXPECT_EQ(choice.best.beam, 1);
}

TEST(SearchDefaults, AreThoseOfOptionsThatAreNotSet) {
  const SearchDefaults of_model{.beam = 2, .length_penalty = 1.2};
  SearchOptions options;
  EXPECT_EQ(with_defaults(options, {}), options);
  EXPECT_EQ(with_defaults(options, of_model).beam, 2);
  EXPECT_EQ(with_defaults(options, of_model).length_penalty, 1.2);
  options.beam = 5, options.length_penalty = 0;
  EXPECT_EQ(with_defaults(options, of_model), options);
  options = {};
  options.nbest = 2;
  EXPECT_EQ(with_defaults(options, of_model).beam, 2);
  options.nbest = 3;
  EXPECT_EQ(with_defaults(options, of_model).beam, std::nullopt) << "too small for the n-best list";
  options = {};
  options.beam_groups = 4;
  EXPECT_EQ(with_defaults(options, of_model).beam, std::nullopt) << "no groups of equal size";
  options = {};
  options.sample = true;
  EXPECT_EQ(with_defaults(options, of_model).beam, std::nullopt);
  check_options(with_defaults(options, of_model));
}

}  // namespace
}  // namespace heed
