#include "heed/decode/head_analysis.h"

#include <gmock/gmock.h>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/model/sequence_model.h"
#include "support/isolated_backend.h"
#include "support/small_model.h"
#include "support/small_translator.h"
#include "support/temporary_folder.h"

namespace heed {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

class HeadAnalysisTest : public ::testing::Test {
 protected:
  HeadAnalysisTest() {
    model_.initialize(3);
    model_.move_to(backend_->memory());
    pack(model_, *backend_, Purpose::training);
  }

  HeadAnalysis analyze(int threads = 1) {
    Workers workers(threads);
    return analyze_heads({{model_, *backend_}, tokenizers_}, parameters(model_), pairs_, workers);
  }
  // Sets what layer `layer` makes of the output of one head to zero.
  void cut(const std::string& name, int64_t head) {
    for (Parameter& p : parameters(model_)) {
      if (p.name != name) continue;
      Tensor host(p.tensor.shape(), p.tensor.dtype());
      copy(to_host(p.tensor), host);
      const int64_t width = host.dim(1) / model_.config().heads;
      for (int64_t row = 0; row < host.dim(0); ++row)
        for (int64_t i = 0; i < width; ++i)
          host.data<float>()[row * host.dim(1) + head * width + i] = 0;
      copy(host, p.tensor);
      pack({p}, *backend_, Purpose::training);
      return;
    }
    FAIL() << name;
  }

  testing::TemporaryFolder folder_;
  std::unique_ptr<Backend> backend_ = testing::isolated_if_asked(make_cpu_backend());
  TokenizerPair tokenizers_ = testing::character_tokenizers(folder_.path());
  SequenceModel model_{testing::small_config(tokenizers_.source().size())};
  Pairs pairs_ = {{"the quick", "fox"}, {"a dog", "jumps over"}, {"lazy", "the brown dog"}};
};

TEST_F(HeadAnalysisTest, TheLossWithoutAHeadIsThatOfAModelWithoutIt) {
  const HeadAnalysis all = analyze();
  EXPECT_EQ(all.lines, 3);
  EXPECT_EQ(all.source_tokens, 11 + 7 + 6);
  for (const auto& [site, name] :
       {std::pair{AttentionSite::encoder_self, "encoder.1.self.output.weight"},
        {AttentionSite::decoder_self, "decoder.1.self.output.weight"},
        {AttentionSite::cross, "decoder.1.cross.output.weight"}}) {
    SCOPED_TRACE(name);
    const double expected = all.sites[size_t(site)][1 * 2 + 1].loss_without;
    EXPECT_NE(expected, all.loss);
    cut(name, 1);
    const HeadAnalysis without = analyze();
    EXPECT_EQ(without.loss, expected);
    // What is cut already costs nothing.
    EXPECT_EQ(without.sites[size_t(site)][1 * 2 + 1].loss_without, without.loss);
    model_.initialize(3);
    pack(model_, *backend_, Purpose::training);
  }
}

TEST_F(HeadAnalysisTest, LeavesTheModelAsItWas) {
  EXPECT_EQ(analyze().loss, analyze().loss);
}

TEST_F(HeadAnalysisTest, ThreadsChangeNothing) {
  const HeadAnalysis one = analyze(1), three = analyze(3);
  EXPECT_EQ(one.loss, three.loss);
  for (size_t site = 0; site < 3; ++site)
    for (size_t head = 0; head < 4; ++head) {
      EXPECT_EQ(one.sites[site][head].weights, three.sites[site][head].weights);
      EXPECT_EQ(one.sites[site][head].loss_without, three.sites[site][head].loss_without);
    }
}

TEST_F(HeadAnalysisTest, TellsHowFarItIs) {
  Workers workers(1);
  std::vector<int64_t> steps;
  analyze_heads({{model_, *backend_}, tokenizers_}, parameters(model_), pairs_, workers,
                [&](int64_t done, int64_t all) { steps.push_back(100 * done / all); });
  EXPECT_EQ(steps.size(), 12U);
  EXPECT_EQ(steps.back(), 100);
}

TEST_F(HeadAnalysisTest, LeavesOutPairsThatAreTooLong) {
  pairs_.emplace_back(std::string(40, 'a'), "fox");
  EXPECT_EQ(analyze().lines, 3);
  pairs_ = {pairs_.back()};
  EXPECT_THROW(analyze(), Error);
}

}  // namespace
}  // namespace heed
