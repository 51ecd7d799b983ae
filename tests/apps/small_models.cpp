#include "small_models.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "run_heed.h"

namespace heed::testing {

namespace fs = std::filesystem;

std::vector<std::string> train_small_model(const std::string& source, const std::string& target,
                                           const std::string& model, const std::string& seed) {
  return {
      "train", "--source",       source, "--target", target, "--model", model, "--preset",
      "tiny",  "--d-model",      "16",   "--d-ff",   "32",   "--seed",  seed,  "--vocabulary-size",
      "1500",  "--batch-tokens", "256",  "--steps",  "4",    "--quiet"};
}

std::vector<std::string> train_small_language_model(const std::string& model) {
  return {"train",
          "--task",
          "language-model",
          "--text",
          "train.en",
          "--model",
          model,
          "--preset",
          "tiny",
          "--d-model",
          "16",
          "--d-ff",
          "32",
          "--vocabulary-size",
          "300",
          "--batch-tokens",
          "512",
          "--hold-out",
          "20",
          "--steps",
          "30",
          "--schedule",
          "constant",
          "--learning-rate",
          "0.01",
          "--compute",
          "fp32",
          "--seed",
          kSmallModelSeed};
}

namespace {

// Short ones are a little likelier than long ones, so that the length penalty decides.
void make_brief_model(const fs::path& folder) {
  std::ofstream source(folder / "brief.zh"), target(folder / "brief.en");
  for (int i = 0; i < 200; ++i) {
    for (int k = 0; k < 1 + i % 4; ++k) source << (i >> k & 1 ? "two " : "one ");
    source << "\n";
    target << (i % 5 < 2 ? "yes yes yes\n" : "yes\n");
  }
  source.close(), target.close();
  std::vector<std::string> command = train_small_model("brief.zh", "brief.en", "brief", "1");
  command.insert(command.end(), {"--tokenizer", "word", "--vocabulary-size", "8", "--schedule",
                                 "constant", "--learning-rate", "0.02", "--dropout", "0",
                                 "--compute", "fp32", "--steps", "100", "--no-inspect"});
  const RunResult trained = run_heed(command, folder);
  ASSERT_EQ(trained.status, 0) << trained.err;
}

// Words in capitals are UP, others low; a line with "one" is YES.
void make_classifiers(const fs::path& folder) {
  std::ofstream tagged(folder / "tagged.tsv"), classified(folder / "classified.tsv");
  for (int i = 0; i < 300; ++i) {
    std::string words, tags;
    for (int k = 0; k < 1 + i % 4; ++k) {
      words += std::array{"one ", "TWO ", "three ", "FOUR "}[size_t(i >> 2 * k) % 4];
      tags += words[words.size() - 2] < 'a' ? "UP " : "low ";
    }
    tagged << words << "\t" << tags << "\n";
    classified << words << "\t" << (words.find("one") == words.npos ? "NO" : "YES") << "\n";
  }
  tagged.close(), classified.close();
  for (const auto& [task, model, text] :
       {std::array{"tag", "tagger", "tagged.tsv"}, {"classify", "classifier", "classified.tsv"}}) {
    const RunResult trained = run_heed(
        {"train",        "--task",         task,   "--tsv",       text,       "--model",
         model,          "--hold-out",     "5",    "--preset",    "tiny",     "--d-model",
         "16",           "--d-ff",         "32",   "--tokenizer", "char",     "--vocabulary-size",
         "40",           "--batch-tokens", "512",  "--schedule",  "constant", "--learning-rate",
         "0.02",         "--compute",      "fp32", "--steps",     "150",      "--seed",
         kSmallModelSeed},
        folder);
    ASSERT_EQ(trained.status, 0) << trained.err;
  }
}

// Nouns with articles, and sentences of them.
void make_parser(const fs::path& folder) {
  std::ofstream trees(folder / "bank.trees");
  for (int i = 0; i < 200; ++i) {
    const std::string noun =
        std::string("(NP (DT ") + (i % 2 ? "a" : "the") + ") (NN " + (i % 3 ? "cat" : "dog") + "))";
    if (i % 5 < 2)
      trees << "(ROOT " << noun << ")\n";
    else
      trees << "(ROOT (S (NP-SBJ (PRP we)) (VP (VB " << (i % 7 ? "see" : "hear") << ") " << noun
            << ") (. .)))\n";
  }
  trees.close();
  const RunResult trained = run_heed(
      {"train",        "--task",         "parse", "--trees",     "bank.trees", "--model",
       "parser",       "--hold-out",     "5",     "--preset",    "tiny",       "--d-model",
       "16",           "--d-ff",         "32",    "--tokenizer", "char",       "--vocabulary-size",
       "40",           "--batch-tokens", "512",   "--schedule",  "constant",   "--learning-rate",
       "0.01",         "--compute",      "fp32",  "--steps",     "40",         "--seed",
       kSmallModelSeed},
      folder);
  ASSERT_EQ(trained.status, 0) << trained.err;
}

void make_kept_model(const fs::path& folder) {
  std::vector<std::string> command = train_small_model("train.zh", "train.en", "kept", "3");
  command.insert(command.end(), {"--validate-every", "2", "--keep-checkpoints", "2"});
  const RunResult trained = run_heed(command, folder);
  ASSERT_EQ(trained.status, 0) << trained.err;
  fs::copy_file(folder / "kept/training/step-2.safetensors", folder / "loose.safetensors");
}

void make_runs_to_average(const fs::path& folder) {
  for (const char* name : {"run", "mean"}) {
    std::vector<std::string> command =
        train_small_model("train.zh", "train.en", name, kSmallModelSeed);
    command.insert(command.end(),
                   {"--steps", "6", "--validate-every", "2", "--keep-checkpoints", "3"});
    if (name[0] == 'm') command.insert(command.end(), {"--average", "last:2"});
    const RunResult trained = run_heed(command, folder);
    ASSERT_EQ(trained.status, 0) << trained.err;
  }
}

}  // namespace

void make_small_models(const fs::path& folder) {
  const RunResult book = run_heed({"phrasebook", "--output", ".", "--pairs", "5000",
                                   "--valid-pairs", "20", "--test-pairs", "20"},
                                  folder);
  ASSERT_EQ(book.status, 0) << book.err;
  for (const char* name : {"m", "other"}) {
    const RunResult trained = run_heed(
        train_small_model("train.zh", "train.en", name, name[0] == 'm' ? kSmallModelSeed : "2"),
        folder);
    ASSERT_EQ(trained.status, 0) << trained.err;
  }
  const RunResult learned = run_heed(train_small_language_model("lm"), folder);
  ASSERT_EQ(learned.status, 0) << learned.err;
  make_classifiers(folder);
  make_parser(folder);
  make_brief_model(folder);
  make_kept_model(folder);
  make_runs_to_average(folder);
}

// What ctest runs before all tests that need them.
TEST(SmallModels, AreMadeOnce) {
  const char* folder = std::getenv("HEED_SMALL_MODELS");
  if (folder == nullptr) GTEST_SKIP() << "HEED_SMALL_MODELS names no folder to leave them in";
  const fs::path fresh = std::string(folder) + ".new";
  fs::remove_all(fresh);
  fs::create_directories(fresh);
  make_small_models(fresh);
  fs::remove_all(folder);
  fs::rename(fresh, folder);
}

}  // namespace heed::testing
