// Every kind of bad input that the program promises a clear word about: one line on standard error
// that says what and where, exit status 1 (2 for usage), and nothing half-written left behind.
#include <sys/stat.h>

#include "small_model_test.h"
#include "support/bytes.h"

namespace heed::testing {
namespace {

namespace fs = std::filesystem;

class BadInputTest : public SmallModelTest {
 protected:
  // Training on these two texts.
  static RunResult learn(const std::string& source, const std::string& target) {
    const RunResult result = heed(train_on(source, target, "new"));
    EXPECT_FALSE(fs::exists(*folder_ / "new/model.safetensors"));
    return result;
  }
  // A copy of the model "m" with one file replaced by these bytes.
  static RunResult translate_with(const std::string& file, const std::string& bytes) {
    copy_model();
    folder_->write("copy/" + file, bytes);
    return heed(translate("copy"), {}, "你好。\n");
  }
  static RunResult resume_with(const std::string& file, const std::string& bytes) {
    copy_model();
    folder_->write("copy/" + file, bytes);
    return heed(with(train("copy"), {"--resume", "--steps", "6"}));
  }
  static void copy_model() {
    fs::remove_all(*folder_ / "copy");
    fs::copy(*folder_ / "m", *folder_ / "copy", fs::copy_options::recursive);
  }
};

TEST_F(BadInputTest, TextsForTraining) {
  folder_->write("short", "one\ntwo\n");
  folder_->write("broken", "good\nbad \xe6\xb0 here\n");
  folder_->write("empty", "");
  folder_->write("cut.gz", gzip("one\ntwo\nthree\n").substr(0, 24));
  folder_->write("plain.gz", "one\ntwo\n");
  folder_->write("few", "你好。\n再见。\n");
  expect_failure(learn("absent", "short"), "absent");
  expect_failure(learn(".", "short"), "directory");
  expect_failure(learn("short", "train.en"), "short 2 train.en 5000");
  expect_failure(heed(with(train_on("short", "broken", "new"), {"--strict"})),
                 "broken:2 5 0xe6 UTF-8");
  expect_failure(learn("empty", "empty"), "empty");
  expect_failure(learn("cut.gz", "short"), "cut.gz");
  expect_failure(learn("plain.gz", "short"), "plain.gz");
  expect_failure(learn("few", "short"), "--vocabulary-size");
  EXPECT_FALSE(fs::exists(*folder_ / "new/training/state.safetensors"));
}

TEST_F(BadInputTest, ValuesOutOfRangeAndContradictions) {
  const auto usage = [](const std::vector<std::string>& more, const std::string& part) {
    expect_failure(heed(with(train("new"), more)), part, 2);
  };
  usage({"--dropout", "1"}, "--dropout: expected a number");
  usage({"--steps", "0"}, "--steps: expected a whole number");
  usage({"--steps", "many"}, "got 'many'");
  usage({"--patience", "3"}, "--patience needs --hold-out, or --valid-source and --valid-target");
  usage({"--resume", "--overwrite"}, "give one of them");
  usage({"--heads", "3"}, "d_model must be a multiple of heads");
  usage({"--target", "valid.en"}, "--source names 1 file --target 2");
}

TEST_F(BadInputTest, ModelDirectories) {
  expect_failure(heed(translate("absent")), "absent");
  for (const std::string file :
       {"config.json", "model.safetensors", "source.spm", "target.spm", "vocab.json"}) {
    const std::string whole = folder_->read("m/" + file);
    expect_failure(translate_with(file, whole.substr(0, whole.size() / 2)), file);
    expect_failure(translate_with(file, ""), file);
    copy_model();
    fs::remove(*folder_ / "copy" / file);
    expect_failure(heed(translate("copy")), file);
  }
  expect_failure(translate_with("config.json", R"({"model_type": "bart"})"), "model_type \"bart\"");
  expect_failure(translate_with("vocab.json", "{\"a\":" + std::string(300'000, '[')), "nested");
}

TEST_F(BadInputTest, Checkpoints) {
  const std::string state = folder_->read("m/training/state.safetensors");
  const std::string name = "training/state.safetensors";
  expect_failure(resume_with(name, state.substr(0, state.size() / 2)), "state.safetensors");
  expect_failure(resume_with(name, ""), "state.safetensors 0");
  expect_failure(resume_with(name, folder_->read("m/model.safetensors")), "training state");
  copy_model();
  expect_failure(heed(with(train("copy"), {"--resume", "--steps", "6", "--d-ff", "64"})),
                 "d_ff 32 64", 2);
  expect_failure(heed(with(train("copy", "2"), {"--resume", "--steps", "6"})), "seed 9 2", 2);
  expect_failure(heed(with(train_on("train.zh", "train.zh", "copy"), {"--resume"})),
                 "text vocabulary", 2);
  EXPECT_EQ(folder_->read("copy/training/state.safetensors"), state) << "none of these touched it";
}

TEST_F(BadInputTest, LinesToTranslate) {
  folder_->write("cut.gz", gzip("你好。\n再见。\n").substr(0, 24));
  const auto input = [](const std::string& file) {
    return heed(with(translate("m"), {"--input", file, "--output", "out"}));
  };
  expect_failure(input("absent"), "absent");
  expect_failure(input("cut.gz"), "cut.gz");
  expect_failure(input("."), "directory");
  expect_failure(heed(with(translate("m"), {"--strict"}), {}, "good\n\xff\n"), "line 2");
  EXPECT_FALSE(fs::exists(*folder_ / "out"));
  expect_nothing_half_written(folder_->path());
}

TEST_F(BadInputTest, VocabulariesOfOtherModels) {
  const std::string whole = folder_->read("m/vocab.json");
  std::string renamed = whole;
  const size_t at = renamed.rfind("\": 900,");
  ASSERT_NE(at, renamed.npos);
  renamed.insert(at, "x");
  const RunResult result = translate_with("vocab.json", renamed);
  expect_failure(result, "vocab.json");
  expect_failure(result, "source.spm");
}

TEST_F(BadInputTest, AStreamIsReadByOneOption) {
  const auto refused = [](const std::vector<std::string>& command, const std::string& flag) {
    expect_failure(heed(command, {}, "你好。\n"), flag, 2);
  };
  refused(with(translate("m"), {"--target-prefix", "-"}), "--target-prefix");
  refused({"score", "--model", "m", "--source", "-", "--target", "-"}, "--target");
  refused({"evaluate", "--hypothesis", "-", "--reference", "-"}, "--reference");
  refused({"quantize", "--model", "m", "--output", "q", "--source", "-", "--reference", "-"},
          "--reference");
  refused({"inspect", "data", "-", "-"}, "TARGET");
  refused(train_on("-", "-", "new"), "--target");
  ASSERT_EQ(mkfifo((*folder_ / "pipe").c_str(), 0600), 0);
  refused(train_on("pipe", "pipe", "new"), "pipe");
  refused({"score", "--model", "m", "--source", "pipe", "--target", "pipe"}, "pipe");
}

TEST_F(BadInputTest, WhatIsReadIsNotWrittenOver) {
  folder_->write("lines", "你好。\n");
  fs::create_symlink("lines", *folder_ / "link");
  const auto refused = [](const std::vector<std::string>& command, const std::string& output) {
    expect_failure(heed(with(command, {"--output", output})), "what is read would be lost", 2);
  };
  for (const char* output : {"lines", "./lines", "link"}) {
    refused(with(translate("m"), {"--input", "lines"}), output);
    refused(with(translate("m"), {"--input", "train.zh", "--target-prefix", "lines"}), output);
    refused({"score", "--model", "m", "--source", "lines", "--target", "train.en"}, output);
    refused({"score", "--model", "m", "--source", "train.zh", "--target", "lines"}, output);
  }
  EXPECT_EQ(folder_->read("lines"), "你好。\n");
  const std::string config = folder_->read("m/config.json");
  for (const char* file : {"m/config.json", "m/source.spm", "./m/model.safetensors"}) {
    refused(translate("m"), file);
    refused({"score", "--model", "m", "--source", "train.zh", "--target", "train.en"}, file);
    expect_failure(
        heed({"inspect", "data", "valid.zh", "valid.en", "--model", "m", "--html", file}),
        std::string("--html ") + file, 2);
  }
  EXPECT_EQ(folder_->read("m/config.json"), config);
  folder_->write("run.toml", "quiet = true\n");
  refused(with(translate("m"), {"--config", "run.toml"}), "run.toml");
  EXPECT_EQ(folder_->read("run.toml"), "quiet = true\n");
}

TEST_F(BadInputTest, StandardInputIsNotWrittenOver) {
  folder_->write("lines", "你好。\n");
  const auto refused = [](std::vector<std::string> command) {
    command.insert(command.end(), {"--output", "lines"});
    expect_failure(heed(command, {.input_file = *folder_ / "lines"}), "--output lines standard", 2);
  };
  refused(translate("m"));
  refused(with(translate("m"), {"--input", "-"}));
  refused(with(translate("m"), {"--input", "valid.zh", "--target-prefix", "-"}));
  refused({"score", "--model", "m", "--source", "-", "--target", "valid.en"});
  refused({"score", "--model", "m", "--source", "valid.zh", "--target", "-"});
  EXPECT_EQ(folder_->read("lines"), "你好。\n");
  // Standard input that is not read is no reason.
  const RunResult unread = heed(with(translate("m"), {"--input", "valid.zh", "--output", "lines"}),
                                {.input_file = *folder_ / "lines"});
  EXPECT_EQ(unread.status, 0) << unread.err;
}

TEST_F(BadInputTest, ModelsOfOtherProgramsStay) {
  fs::create_directory(*folder_ / "theirs");
  folder_->write("theirs/config.json", "{}");
  folder_->write("theirs/pytorch_model.bin", "weights");
  expect_failure(heed(train("theirs")), "theirs --overwrite", 2);
  expect_failure(heed({"average", "m", "--output", "theirs"}), "theirs --overwrite", 2);
  expect_failure(heed({"quantize", "--model", "m", "--output", "theirs"}), "theirs --overwrite", 2);
  EXPECT_EQ(folder_->read("theirs/config.json"), "{}");
}

// What is in the way is the command line's fault, whichever command it is.
TEST_F(BadInputTest, SlowWhatIsInTheWayIsAUsageError) {
  expect_failure(heed({"phrasebook", "--output", "."}), "train.zh --overwrite", 2);
  expect_failure(heed({"average", "m", "--output", "other"}), "other --overwrite", 2);
  expect_failure(heed({"quantize", "--model", "m", "--output", "other"}), "other --overwrite", 2);
  expect_failure(heed(train("m")), "m --overwrite", 2);
  expect_failure(heed({"demo", "--directory", "."}), "--directory", 2);
  fs::create_directories(*folder_ / "home/music");
  expect_failure(heed(train("home")), "home music --overwrite", 2);
}

TEST_F(BadInputTest, OverwritingRemovesARunAndNothingElse) {
  copy_model();
  folder_->write("copy/training/notes", "mine");
  folder_->write("copy/training/step-9.safetensors", "of the earlier run");
  fs::copy(*folder_ / "train.zh", *folder_ / "copy/held_out.source");
  const std::string model = folder_->read("copy/model.safetensors");
  const auto refused = [](const std::vector<std::string>& more, const std::string& name) {
    expect_failure(heed(with({"train", "--source", "train.zh", "--target", "train.en", "--model",
                              "copy", "--overwrite", "--no-inspect"},
                             more)),
                   "--overwrite " + name, 2);
  };
  refused({"--finetune-from", "copy"}, "copy");
  refused({"--tokenizer-model", "copy/source.spm"}, "copy/source.spm");
  refused({"--source", "copy/held_out.source", "--target", "train.en"}, "copy/held_out.source");
  EXPECT_EQ(folder_->read("copy/model.safetensors"), model);
  const RunResult replaced = heed(with(train("copy", "3"), {"--overwrite"}));
  EXPECT_EQ(replaced.status, 0) << replaced.err;
  EXPECT_NE(folder_->read("copy/model.safetensors"), model);
  EXPECT_EQ(folder_->read("copy/training/notes"), "mine");
  EXPECT_FALSE(fs::exists(*folder_ / "copy/training/step-9.safetensors"));
  EXPECT_FALSE(fs::exists(*folder_ / "copy/held_out.source"));
}

TEST_F(BadInputTest, AHyphenIsStandardInput) {
  EXPECT_EQ(heed(with(translate("m"), {"--input", "-"}), {}, "你好。\n").out,
            heed(translate("m"), {}, "你好。\n").out);
}

TEST_F(BadInputTest, Configurations) {
  const auto config = [](const std::string& text, const std::string& part, int status = 2) {
    folder_->write("run.toml", text);
    expect_failure(heed({"train", "--config", "run.toml"}), part, status);
  };
  config("model = \n", "run.toml:1: not TOML");
  std::string deep = "a";
  for (int i = 0; i < 40'000; ++i) deep += ".a";
  config("\n[" + deep + "]\n", "run.toml:2");
  config("\nmodle = 'm'\n", "run.toml:2: modle: unknown key; did you mean 'model'?");
  config("model = 'm'\nsource = [['a']]\n", "run.toml:2: source: expected a text");
  config("model = '\xff'\n", "run.toml");
  config("model = 'm'\nsource = ['a', \"b\\u0000c\"]\n", "run.toml:2: source");
  config("model = 'm'\n[train]\nconfig = 'other.toml'\n", "run.toml:3: config");
  config("learning-rate = 1\nseed = 2\nlearning_rate = 2\n", "run.toml:3: learning_rate");
  config("learning-rate = 1\nseed = 2\nlearning_rate = 2\n", "run.toml:1: learning-rate");
  config("a = " + std::string(100'000, '['), "run.toml");
  expect_failure(heed({"train", "--config", "absent.toml"}), "absent.toml");
}

}  // namespace
}  // namespace heed::testing
