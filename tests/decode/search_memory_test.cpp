#include "heed/decode/search_memory.h"

#include <gtest/gtest.h>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/decode/search.h"
#include "heed/model/layers.h"
#include "heed/model/sequence_model.h"
#include "support/variant_models.h"

namespace heed {
namespace {

// Runs a search that is as full as its limits allow with requests like this one.
void run_full(Search& search, const SearchRequest& like) {
  SearchRequest request = like;
  std::vector<SearchResult> results;
  for (int64_t done = 0; done < 2; ++done) {
    while (search.has_room(int64_t(request.source.size()), request.options,
                           int64_t(request.prefix.size()))) {
      search.add(request);
      ++request.request_id;
    }
    for (int i = 0; i < 3; ++i) search.step(results);
  }
}

TEST(SearchMemoryTest, ASearchTakesNoMore) {
  constexpr SearchLimits kLimits = {.hypotheses = 6, .batch_tokens = 150};
  for (const testing::VariantModel& variant : testing::each_variant()) {
    for (const DType compute : {DType::fp32, DType::bf16, DType::int8}) {
      SCOPED_TRACE(variant.name + " " + name(compute));
      const auto backend = make_cpu_backend("", compute);
      ModelConfig config = variant.config;
      config.max_positions = 48;
      SequenceModel model(config);
      model.initialize(3);
      pack(model, *backend, Purpose::inference);
      const SearchMemory plan = search_memory(config, *backend, kLimits);

      Search search(make_steps({model, *backend}), *backend, kLimits);
      EXPECT_LE(search.bytes_held(), plan.caches) << "the caches alone";
      const std::vector<TokenId> longest(47, 2), shortest = {0};
      SearchOptions sample, beam;
      sample.sample = true;
      sample.nbest = 6;
      beam.beam = 6;
      run_full(search, {.source = longest, .prefix = longest, .options = beam});
      run_full(search, {.source = shortest, .options = sample});
      run_full(search, {.source = shortest, .prefix = {2, 3}, .options = beam});
      run_full(search, {.source = longest, .options = sample});
      EXPECT_LE(search.bytes_held(), plan.caches + plan.activations);
      EXPECT_GT(2 * search.bytes_held(), plan.caches + plan.activations) << "no more than needed";
    }
  }
}

TEST(SearchMemoryTest, ASearchOfALanguageModelTakesNoMore) {
  constexpr SearchLimits kLimits = {.hypotheses = 6, .batch_tokens = 150};
  const auto backend = make_cpu_backend("", DType::fp32);
  for (const Architecture architecture : {Architecture::transformer, Architecture::rnn}) {
    ModelConfig config = testing::variant_base();
    config.encoder_layers = 0;
    config.max_positions = 48;
    config.variants.architecture = architecture;
    if (architecture == Architecture::rnn) {
      config.heads = 1;
      config.d_ff = 0;
    }
    SequenceModel model(config);
    model.initialize(3);
    pack(model, *backend, Purpose::inference);
    const SearchMemory plan = search_memory(config, *backend, kLimits);
    Search search(make_steps({model, *backend}), *backend, kLimits);
    SearchOptions sample, beam;
    sample.sample = true;
    sample.nbest = 6;
    beam.beam = 6;
    run_full(search, {.source = {}, .prefix = std::vector<TokenId>(47, 2), .options = beam});
    run_full(search, {.source = {}, .prefix = {2, 3}, .options = beam});
    run_full(search, {.source = {}, .options = sample});
    EXPECT_LE(search.bytes_held(), plan.caches + plan.activations);
    EXPECT_GT(3 * search.bytes_held(), plan.caches + plan.activations) << "no more than needed";
  }
}

TEST(SearchMemoryTest, GrowsWithTheLimits) {
  const auto backend = make_cpu_backend("", DType::int8);
  const ModelConfig base = preset("base");
  const SearchMemory one = search_memory(base, *backend, {.hypotheses = 4, .batch_tokens = 1024});
  EXPECT_GT(search_memory(base, *backend, {.hypotheses = 8, .batch_tokens = 1024}).caches,
            one.caches * 3 / 2);
  EXPECT_GT(search_memory(base, *backend, {.hypotheses = 4, .batch_tokens = 4096}).activations,
            2 * one.activations);
}

}  // namespace
}  // namespace heed
