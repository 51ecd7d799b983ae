// That code above the backends can work without reading their memory: what the tests run on a
// backend with memory of its own rely on (support/isolated_backend.h).
#include <gtest/gtest.h>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/model/sequence_model.h"
#include "support/isolated_backend.h"
#include "support/small_model.h"

namespace heed {
namespace {

class IsolatedMemoryTest : public ::testing::Test {
 protected:
  testing::IsolatedBackend backend_{make_cpu_backend("", DType::bf16)};
  testing::IsolatedMemory& memory_ = static_cast<testing::IsolatedMemory&>(*backend_.memory());
};

TEST_F(IsolatedMemoryTest, OnlyKernelsReadIt) {
  Tensor x({3}, DType::fp32, backend_.memory());
  copy(tensor_of<float>({3}, std::vector<float>{1, 2, 3}), x);
  EXPECT_THROW(x.data<float>(), Bug);
  EXPECT_EQ(backend_.sum_of_squares(x), 14);
  EXPECT_EQ(to_host(x).data<float>()[2], 3);
  EXPECT_DEATH(
      {
        for (int gap = 0; gap < 8; ++gap) {
          backend_.sum_of_squares(x);
          *x.storage()->data = std::byte(0);
        }
      },
      "");
}

TEST_F(IsolatedMemoryTest, AnOperandElsewhereIsABug) {
  Tensor here({3}, DType::fp32, backend_.memory()), elsewhere({3});
  EXPECT_THROW(backend_.add(elsewhere, here), Bug);
}

// Ids, offsets and rows are uploaded once a pass, however many layers read them.
TEST_F(IsolatedMemoryTest, LayersShareTheIntegersOfAPass) {
  std::vector<int64_t> uploads;
  for (const int64_t layers : {1, 4}) {
    ModelConfig config = testing::small_config(11);
    config.encoder_layers = config.decoder_layers = layers;
    SequenceModel model(config);
    model.initialize(1);
    model.move_to(backend_.memory());
    TensorPool pool(backend_.memory());
    ForwardPass pass(backend_, pool);
    Tokens source, target;
    source.add(std::vector<TokenId>{2, 3, 0});
    target.add(std::vector<TokenId>{10, 4});
    const int64_t before = memory_.uploads();
    model.decode(pass, target, model.encode(pass, source));
    uploads.push_back(memory_.uploads() - before);
  }
  EXPECT_GT(uploads[0], 0);
  EXPECT_EQ(uploads[0], uploads[1]);
}

}  // namespace
}  // namespace heed
