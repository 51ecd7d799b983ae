#include "model_output.h"

#include "heed/core/error.h"
#include "heed/core/files.h"
#include "heed/model/directory.h"
#include "heed/text/tokenizer.h"
#include "heed/train/earlier_run.h"

namespace heed {

namespace fs = std::filesystem;

namespace {

void expect_no_model(const fs::path& output, Existing existing) {
  if (existing == Existing::refuse && holds_model(output))
    fail_usage("{} holds a model already: give --overwrite to replace it, or another --output",
               output.string());
}

}  // namespace

void check_output(const fs::path& output, const std::vector<fs::path>& inputs, Existing existing) {
  std::error_code error;
  for (const fs::path& input : inputs) {
    if (fs::exists(output, error) && fs::equivalent(output, input, error))
      fail_usage("--output is the model itself, expected another folder");
  }
  expect_no_model(output, existing);
}

FolderClaim claim_output(const fs::path& output, Existing existing) {
  FolderClaim claim(output);
  const EarlierRun puts_back(output);
  expect_no_model(output, existing);
  return claim;
}

void copy_vocabulary(const fs::path& from, const fs::path& to) {
  const auto copy = [&](const char* name) {
    std::error_code error;
    if (fs::exists(from / name, error)) write_file_atomically(to / name, read_file(from / name));
  };
  for (const char* name : tokenizer_files()) copy(name);
  copy("generation_config.json");
}

}  // namespace heed
