// Searches by a Transformer without an encoder, on every backend.
#include <gtest/gtest.h>

#include <algorithm>

#include "heed/model/sequence_model.h"
#include "search_fixture.h"

namespace heed {
namespace {

using testing::backends;
using testing::computing_name;

class LanguageModelSearchTest : public testing::SearchTest {
 protected:
  LanguageModelSearchTest() : language_model_(made(12, Positions::learned, 11)) {}

  SequenceModel made(int64_t vocabulary, Positions positions, uint64_t seed) {
    ModelConfig config = testing::small_config(vocabulary);
    config.encoder_layers = 0;
    config.variants.positions = positions;
    config.variants.norm = NormPlacement::pre;
    config.activation = FeedForwardKind::gelu_tanh;
    SequenceModel model = random_model(config, seed);
    model.move_to(backend_->memory());
    pack(model, *backend_, Purpose::inference);
    return model;
  }
  // Log-probabilities [classes] of what follows `prefix`, by decoding all of it in one pass.
  std::vector<double> after(const SequenceModel& model, const std::vector<TokenId>& prefix) {
    ForwardPass pass(*backend_, pool_);
    Tokens tokens;
    std::vector<TokenId> ids = {model.config().start_id()};
    ids.insert(ids.end(), prefix.begin(), prefix.end());
    tokens.add(ids);
    const Tensor states = model.decode(pass, tokens, EncoderOutput());
    const Tensor last = states.slice(states.rows() - 1, states.rows());
    const int64_t classes = model.config().output_vocabulary_size;
    const TopK top = backend_->top_k(model.output().logits(pass, last), classes);
    std::vector<double> all(size_t(classes), 0);
    for (int64_t i = 0; i < classes; ++i)
      all[size_t(top.ids[size_t(i)])] = double(top.log_probabilities[size_t(i)]);
    return all;
  }

  SequenceModel language_model_;
};

INSTANTIATE_TEST_SUITE_P(Backends, LanguageModelSearchTest, ::testing::ValuesIn(backends()),
                         computing_name);

// The cache gives the bits of whole prefixes, after prompts of every length.
TEST_P(LanguageModelSearchTest, GreedyContinuationsAreThoseOfWholePrefixes) {
  SearchOptions options;
  options.beam = 1;
  options.max_length = 9;
  for (const Positions positions : {Positions::learned, Positions::rotary, Positions::t5}) {
    const SequenceModel model = made(12, positions, 5);
    for (const std::vector<TokenId>& prompt :
         {std::vector<TokenId>{}, {4}, {3, 8, 2}, {9, 9, 4, 2, 10, 3}}) {
      const Hypothesis got =
          testing::search(model, *backend_, options, {{}}, {prompt})[0].hypotheses[0];
      std::vector<TokenId> ids;
      bool ended = false;
      while (!ended && ids.size() < 9) {
        const size_t step = ids.size();
        const std::vector<double> all = after(model, ids);
        auto best = std::max_element(all.begin(), all.end());
        const bool forced = step < prompt.size();
        if (forced) best = all.begin() + prompt[step];
        ASSERT_GT(got.log_probabilities.size(), step);
        // That of a forced token is computed in another way, not by the top k.
        if (forced)
          EXPECT_NEAR(got.log_probabilities[step], *best, 1e-5);
        else
          EXPECT_EQ(got.log_probabilities[step], *best) << "cached and whole prefix differ";
        ended = best == all.begin();
        if (!ended) ids.push_back(TokenId(best - all.begin()));
      }
      EXPECT_EQ(got.ids, ids);
      EXPECT_EQ(got.ended, ended);
    }
  }
}

// Beams and samples of many prompts together are those of each alone, whatever the batch.
TEST_P(LanguageModelSearchTest, NeighboursChangeNothing) {
  std::vector<std::vector<TokenId>> prompts;
  Random random(7);
  for (int i = 0; i < 20; ++i) {
    prompts.emplace_back();
    for (uint64_t n = random.below(7); n > 0; --n)
      prompts.back().push_back(TokenId(2 + random.below(9)));
  }
  SearchOptions beams, samples;
  beams.nbest = 3;
  samples.sample = true;
  samples.nbest = 3;
  for (SearchOptions options : {beams, samples}) {
    options.max_length = 12;
    std::vector<SearchResult> alone;
    for (size_t i = 0; i < prompts.size(); ++i)
      alone.push_back(
          testing::search(language_model_, *backend_, options, {{}}, {prompts[i]}, 1)[0]);
    for (const int64_t batch_tokens : {7, 5000}) {
      const auto together =
          testing::search(language_model_, *backend_, options,
                          std::vector<std::vector<TokenId>>(prompts.size()), prompts, batch_tokens);
      for (size_t i = 0; i < prompts.size(); ++i) {
        ASSERT_EQ(alone[i].hypotheses.size(), together[i].hypotheses.size());
        for (size_t n = 0; n < alone[i].hypotheses.size(); ++n) {
          EXPECT_EQ(alone[i].hypotheses[n].ids, together[i].hypotheses[n].ids);
          EXPECT_EQ(alone[i].hypotheses[n].score, together[i].hypotheses[n].score);
        }
      }
    }
  }
}

}  // namespace
}  // namespace heed
