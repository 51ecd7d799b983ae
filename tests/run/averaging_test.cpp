#include "heed/run/averaging.h"

#include <gtest/gtest.h>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/model/sequence_model.h"
#include "heed/run/training_state.h"
#include "support/bytes.h"
#include "support/damage.h"
#include "support/facts.h"
#include "support/folder_test.h"
#include "support/small_model.h"

namespace heed {
namespace {

class AveragingTest : public FolderTest {
 protected:
  static SequenceModel model(uint64_t seed, int64_t vocabulary = 20) {
    SequenceModel made(testing::small_config(vocabulary));
    made.initialize(seed);
    return made;
  }
  static std::vector<float> values(SequenceModel model) {
    std::vector<float> all;
    for (const Parameter& p : parameters(model))
      all.insert(all.end(), p.tensor.span<float>().begin(), p.tensor.span<float>().end());
    return all;
  }
  std::filesystem::path checkpoint(const std::string& name, SequenceModel model) const {
    std::filesystem::create_directories(folder_ / "run/training");
    save_checkpoint(folder_ / "run/training" / name, parameters(model));
    return folder_ / "run/training" / name;
  }
  std::filesystem::path directory(const std::string& name, SequenceModel model) const {
    save_model(folder_ / name, model);
    return folder_ / name;
  }
  static std::vector<float> average(const std::vector<std::filesystem::path>& paths) {
    SequenceModel mean(testing::small_config(20));
    load_average(paths, mean.config(), parameters(mean));
    return values(std::move(mean));
  }
};

TEST_F(AveragingTest, MeansOfFilesAndOfFoldersAreOne) {
  const auto first = values(model(1)), second = values(model(2)), third = values(model(3));
  std::vector<float> expected(first.size());
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] = float((double(first[i]) + double(second[i]) + double(third[i])) / 3);
  const auto a = checkpoint("step-1.safetensors", model(1)), b = directory("b", model(2)),
             c = directory("c", model(3));
  EXPECT_EQ(average({a, b, c}), expected);
  EXPECT_EQ(average({a}), first);
  EXPECT_EQ(average({b}), second);
}

TEST_F(AveragingTest, ACheckpointThatChangedOnDiskIsRefused) {
  const auto path = checkpoint("step-1.safetensors", model(1));
  std::string bytes = read_file(path);
  bytes.replace(bytes.size() - 8, 8, 8, '\x3f');
  write_file_atomically(path, bytes);
  EXPECT_THAT(testing::error_of([&] { average({path}); }),
              HasFacts("step-1.safetensors checksum damaged"));
  write_file_atomically(path, without_checksum(bytes));
  EXPECT_NE(average({path}), values(model(1)));
}

TEST_F(AveragingTest, AStateStandsForWhatItsRunWouldLeave) {
  const auto backend = make_cpu_backend();
  Workers workers(1);
  RunIdentity identity;
  identity.backend = backend->name();
  identity.text_fingerprint = 1;
  const auto path = folder_ / "state.safetensors";
  SequenceModel one = model(1);
  save_training_state(path, identity, {}, Adam(parameters(one), *backend, workers));
  EXPECT_EQ(average({path}), values(one.clone()));
  Adam averaged(parameters(one), *backend, workers, Ema::on);
  one.initialize(2);
  save_training_state(path, identity, {}, averaged);
  EXPECT_EQ(average({path}), values(model(1)));
}

// As of a version that named the EMA otherwise: the weights without it would be taken.
TEST_F(AveragingTest, AStateWithUnknownTensorsIsRefused) {
  const auto backend = make_cpu_backend();
  Workers workers(1);
  const auto path = folder_ / "state.safetensors";
  SequenceModel one = model(1);
  save_training_state(path, {}, {}, Adam(parameters(one), *backend, workers, Ema::on));
  std::string bytes = without_checksum(read_file(path));
  for (size_t at = 0; (at = bytes.find("\"ema.", at)) != bytes.npos;)
    bytes.replace(at, 5, "\"old.");
  write_file_atomically(path, bytes);
  EXPECT_THAT(testing::error_of([&] { average({path}); }),
              HasFacts("state.safetensors old. version"));
}

TEST_F(AveragingTest, WeightsOfAnotherModelAreRefused) {
  EXPECT_NE(error_of([&] { average({directory("d", model(1, 21))}); }).find("another model"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              average({checkpoint("step-1.safetensors", model(1, 21))});
            }).find("step-1.safetensors: tensor"),
            std::string::npos);
  ModelConfig smaller = testing::small_config(20);
  smaller.decoder_layers = 1;
  const auto path = checkpoint("step-2.safetensors", model(1));
  SequenceModel mean(smaller);
  EXPECT_NE(error_of([&] {
              load_average({path}, smaller, parameters(mean));
            }).find("parameters, the model has"),
            std::string::npos);
  EXPECT_NE(error_of([&] { average({folder_ / "absent"}); }).find("absent"), std::string::npos);
}

TEST_F(AveragingTest, TheLastCheckpointsAreThoseOfTheLastSteps) {
  for (const char* name : {"step-9.safetensors", "step-10.safetensors", "step-100.safetensors",
                           "step-x.safetensors", "state.safetensors"})
    checkpoint(name, model(1));
  const auto training = folder_ / "run/training";
  EXPECT_EQ(last_checkpoints(folder_ / "run", 2),
            (std::vector{training / "step-10.safetensors", training / "step-100.safetensors"}));
  EXPECT_NE(error_of([&] { last_checkpoints(folder_ / "run", 4); }).find("keeps 3 checkpoints"),
            std::string::npos);
  EXPECT_NE(error_of([&] { last_checkpoints(folder_ / "none", 1); }).find("keeps 0 checkpoints"),
            std::string::npos);
}

}  // namespace
}  // namespace heed
