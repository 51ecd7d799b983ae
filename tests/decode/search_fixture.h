// What the tests of searches share: a small model on every backend.
#pragma once

#include <gtest/gtest.h>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/decode/search.h"
#include "heed/model/sequence_model.h"
#include "reference/reference_backend.h"
#include "support/computing.h"
#include "support/isolated_backend.h"
#include "support/small_model.h"

namespace heed::testing {

// With isolated memory, of the instruction sets the best one alone.
inline std::vector<Computing> backends() {
  std::vector<Computing> all = cpu_computings();
  if (isolation_asked()) all.resize(3);
  all.insert(all.begin(), {"reference"});
  return all;
}

class SearchTest : public ::testing::TestWithParam<Computing> {
 protected:
  SearchTest() : model_(small_config(12)) {
    const auto& [name, compute] = GetParam();
    backend_ = isolated_if_asked(name == "reference" ? make_reference_backend()
                                                     : make_cpu_backend(name, compute));
    pool_ = TensorPool(backend_->memory());
    model_.initialize(11);
    model_.move_to(backend_->memory());
    pack(model_, *backend_, Purpose::inference);
  }

  // Log-probabilities [classes] of what follows `prefix`, by decoding the whole prefix in one pass.
  std::vector<double> next(const SequenceModel& model, const std::vector<TokenId>& source,
                           std::vector<TokenId> prefix) {
    ForwardPass pass(*backend_, pool_);
    Tokens from, to;
    from.add(source);
    prefix.insert(prefix.begin(), model.config().start_id());
    to.add(prefix);
    const Tensor states = model.decode(pass, to, model.encode(pass, from));
    const Tensor logits =
        model.output().logits(pass, states.slice(states.rows() - 1, states.rows()));
    const int64_t classes = model.config().output_vocabulary_size;
    const TopK top = backend_->top_k(logits, classes);
    std::vector<double> all(size_t(classes), 0);
    for (int64_t i = 0; i < classes; ++i)
      all[size_t(top.ids[size_t(i)])] = double(top.log_probabilities[size_t(i)]);
    return all;
  }

  std::unique_ptr<Backend> backend_;
  TensorPool pool_;
  SequenceModel model_;
};

inline std::string computing_name(const ::testing::TestParamInfo<Computing>& info) {
  return info.param.backend + "_" + name(info.param.compute);
}

// Random sentences over the pieces of a vocabulary of 12.
inline std::vector<std::vector<TokenId>> sources(int64_t count, uint64_t seed) {
  Random random(seed);
  std::vector<std::vector<TokenId>> all;
  for (int64_t i = 0; i < count; ++i) {
    all.emplace_back();
    for (uint64_t n = random.below(9); n > 0; --n)
      all.back().push_back(TokenId(2 + random.below(9)));
    all.back().push_back(0);
  }
  return all;
}

// Searches all sources with a search of their own.
inline std::vector<SearchResult> search(const SequenceModel& model, Backend& backend,
                                        const SearchOptions& options,
                                        const std::vector<std::vector<TokenId>>& sources,
                                        const std::vector<std::vector<TokenId>>& prefixes = {},
                                        int64_t batch_tokens = SearchLimits().batch_tokens) {
  check_options(options);
  Search batch(make_steps({model, backend}), backend,
               {.hypotheses = options.hypothesis_count(), .batch_tokens = batch_tokens});
  return heed::search(batch, options, sources, prefixes);
}

}  // namespace heed::testing
