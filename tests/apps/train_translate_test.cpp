// heed train, translate, evaluate and inspect on a model of seconds.
#include <csignal>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "small_model_test.h"
#include "support/facts.h"

namespace heed::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TrainTranslateTest : public SmallModelTest {
 protected:
  // Twelve steps, reported and validated.
  static std::vector<std::string> watched(const std::string& model) {
    return with(train(model),
                {"--no-quiet", "--valid-source", "valid.zh", "--valid-target", "valid.en",
                 "--steps", "12", "--report-every", "5", "--validation-metric", "bleu"});
  }
  static RunResult translate(const std::vector<std::string>& more, const std::string& input) {
    return heed(with({"translate", "--model", "m", "--max-length", "8"}, more), {}, input);
  }
};

TEST_F(TrainTranslateTest, TrainingReportsOnStandardErrorAlone) {
  const RunResult trained = heed(watched("watched"));
  ASSERT_EQ(trained.status, 0) << trained.err;
  EXPECT_THAT(trained.err, HasSubstr("cpu ("));
  EXPECT_THAT(trained.out, IsEmpty());
  EXPECT_THAT(trained.err, HasFacts("step 5 epoch"));
  EXPECT_THAT(trained.err, HasSubstr("tokens/s"));
  EXPECT_THAT(trained.err, HasSubstr("validation loss"));
  EXPECT_THAT(trained.err, HasSubstr("BLEU"));
  EXPECT_EQ(trained.err.find('\r'), std::string::npos);
  EXPECT_THAT(trained.err, HasSubstr("heed: warning: "));  // twelve steps of 4,000 to warm up
}

// Where an epoch ends, one line tells its loss.
TEST_F(TrainTranslateTest, AnEpochEndsWithOneLine) {
  const RunResult trained = heed(with(train_on("valid.zh", "valid.en", "epochs"),
                                      {"--no-quiet", "--batch-tokens", "100", "--steps", "30",
                                       "--no-inspect", "--vocabulary-size", "250"}));
  ASSERT_EQ(trained.status, 0) << trained.err;
  int ends = 0, lines = 0;
  for (const std::string& line : lines_of(trained.err)) {
    if (line.find(", epoch 1.00: ") == line.npos) continue;
    ++lines;
    ends += has_fact(line, "training loss of the epoch");
  }
  EXPECT_EQ(ends, 1) << trained.err;
  EXPECT_EQ(lines, 1) << trained.err;
}

// The commands that a training ends with can be typed.
TEST_F(TrainTranslateTest, SlowTrainingEndsWithWhatTheModelIsWorthAndWhatComesNext) {
  const RunResult trained = heed(with(watched("ended"), {"--average", "last:2"}));
  ASSERT_EQ(trained.status, 0) << trained.err;
  const std::vector<std::string> lines = lines_of(trained.err);
  auto next = std::find(lines.begin(), lines.end(), "Next:");
  ASSERT_EQ(lines.end() - next, 5) << trained.err;
  EXPECT_THAT(next[-1], ::testing::AllOf(HasSubstr("ended: "), HasSubstr("validation loss"),
                                         HasSubstr("perplexity"), HasSubstr("BLEU")));
  const std::string whole = HEED_PROGRAM,
                    relative = std::filesystem::proximate(whole, folder_->path()).string();
  const std::string program = relative.size() < whole.size() ? relative : whole;
  for (const char* command : {"translate --model ended", "evaluate --model ended --source valid.zh",
                              "inspect model ended"}) {
    const std::string line = *++next;
    ASSERT_THAT(line, HasSubstr(command));
    EXPECT_THAT(line, HasSubstr(" " + program + " "));
    const std::string run = "cd " + folder_->path().string() + " && " + line + " >/dev/null 2>&1";
    EXPECT_EQ(std::system(run.c_str()), 0) << line;
  }
  EXPECT_THAT(lines.back(), HasSubstr("serve --model SOURCE-TARGET=ended"));
  const RunResult quiet = heed(with(watched("quiet"), {"--quiet", "--warmup-steps", "2"}));
  EXPECT_THAT(quiet.err, HasFacts("warning: perplexity 12 steps"));  // it learned nothing
  EXPECT_EQ(lines_of(quiet.err).size(), 1u) << quiet.err;
}

// As after PATH=$PWD/build/release:$PATH.
TEST_F(TrainTranslateTest, WhatComesNextCallsTheProgramAsTheShellFindsIt) {
  const std::string path = std::getenv("PATH");
  const std::string folder = std::filesystem::path(HEED_PROGRAM).parent_path().string();
  setenv("PATH", (folder + ":" + path).c_str(), 1);
  const std::vector<std::string> lines = lines_of(heed(watched("found")).err);
  setenv("PATH", path.c_str(), 1);
  EXPECT_THAT(lines, ::testing::Contains("  heed inspect model found"));
}

// The run has succeeded by then, whatever has become of the text that its commands would name.
TEST_F(TrainTranslateTest, SlowTextThatIsGoneOrBrokenAtTheEndFailsNoTraining) {
  folder_->write("going.zh", folder_->read("valid.zh"));
  folder_->write("going.en", folder_->read("valid.en"));
  const auto ended = [&](const std::string& model, const std::vector<std::string>& more,
                         const std::function<void()>& harm) {
    RunningHeed running(with(train(model), with({"--no-quiet", "--report-every", "1", "--steps",
                                                 "1000000", "--minutes", "0.04"},
                                                more)),
                        folder_->path());
    std::string next, line = running.read_error_line();
    while (!line.empty() && line.find("loss") == line.npos) line = running.read_error_line();
    harm();
    while (!(line = running.read_error_line()).empty())
      if (line.starts_with("Next:") || !next.empty()) next += line;
    EXPECT_EQ(running.wait(), 0) << model;
    return next;
  };
  const auto remove = [](const std::string& name) { std::filesystem::remove(*folder_ / name); };
  EXPECT_THAT(
      ended("gone", {"--hold-out", "5"},
            [&] {
              remove("gone/held_out.source");
              remove("gone/held_out.target");
            }),
      ::testing::AllOf(HasSubstr("translate --model gone"), ::testing::Not(HasSubstr("held_out"))));
  EXPECT_THAT(ended("broken", {"--valid-source", "going.zh", "--valid-target", "going.en"},
                    [&] { folder_->write("going.zh", "\x1F\x8B no gzip"); }),
              HasSubstr("translate --model broken"));
}

TEST_F(TrainTranslateTest, BrokenPairsAreToldUnderQuiet) {
  folder_->write("broken.zh", "\xFF\n" + folder_->read("train.zh"));
  folder_->write("broken.en", "a\n" + folder_->read("train.en"));
  const RunResult trained =
      heed(with(train_on("broken.zh", "broken.en", "quiet-broken"), {"--no-inspect"}));
  EXPECT_EQ(trained.status, 0) << trained.err;
  EXPECT_THAT(trained.err, HasFacts("warning: 1 5001 broken.zh:1 --strict"));
}

TEST_F(TrainTranslateTest, AVariedTextIsScoredBesideTheTextItself) {
  const std::vector<std::string> evaluate{"evaluate", "--model",   "m",       "--max-length",
                                          "8",        "--source",  "test.zh", "--reference",
                                          "test.en",  "--metrics", "chrf",    "--json"};
  const auto scores = [&](const std::vector<std::string>& more) {
    const RunResult result = heed(with(evaluate, more));
    EXPECT_EQ(result.status, 0) << result.err;
    return nlohmann::json::parse(result.out);
  };
  const nlohmann::json found = scores({"--vary", "noise,upper"});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0], scores({})[0]);
  EXPECT_EQ(found[1]["variation"], "noise");
  EXPECT_EQ(found[1]["without"], found[0]["score"]);
  EXPECT_NE(found[1]["score"], found[0]["score"]);
  EXPECT_EQ(found[2]["variation"], "upper");
  EXPECT_EQ(found[2]["without"], scores({"--lowercase"})[0]["score"]);
  // Chinese has no capitals, so the translations are the same, and case is ignored.
  EXPECT_EQ(found[2]["score"], found[2]["without"]);
  const RunResult text = heed(with(evaluate, {"--no-json", "--vary", "upper"}));
  EXPECT_THAT(text.out, HasFacts("chrF2 under upper, ignoring case without"));
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& facts) {
    const RunResult result = heed(arguments);
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.err, HasFacts(facts));
  };
  refused(with(evaluate, {"--vary", "joined"}), "--vary joined is for training");
  refused(with(evaluate, {"--vary", "noise", "--sentence"}), "--vary --sentence");
  refused({"evaluate", "--hypothesis", "test.en", "--reference", "test.en", "--vary", "noise"},
          "--vary --model");
}

TEST_F(TrainTranslateTest, ChineseIsScoredByItsOwnTokenizer) {
  const std::vector<std::string> onto{"--source", "test.en", "--reference", "test.zh", "--json"};
  const RunResult evaluated = heed(with({"evaluate", "--model", "m", "--max-length", "8"}, onto));
  EXPECT_THAT(evaluated.out, HasSubstr("tok:zh"));
  EXPECT_THAT(evaluated.err, HasFacts("test.zh"));
  const auto quantized = [&](const std::string& output, const std::vector<std::string>& more) {
    return heed(with(with({"quantize", "--model", "m", "--output", output}, onto), more)).out;
  };
  EXPECT_THAT(quantized("zh", {}), HasSubstr("tok:zh"));
  EXPECT_THAT(quantized("char", {"--bleu-tokenize", "char"}), HasSubstr("tok:char"));
  EXPECT_EQ(heed({"quantize", "--model", "m", "--output", "x", "--bleu-tokenize", "zh"}).status, 2);
}

TEST_F(TrainTranslateTest, AModelIsNotReplacedUnasked) {
  const RunResult again = heed(watched("m"));
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.err, HasSubstr("--overwrite"));
}

TEST_F(TrainTranslateTest, GivesOneLineForEachLine) {
  const std::string text = "你好。\n\n他是老师。\nno newline at the end";
  const RunResult result = translate({}, text);
  EXPECT_EQ(result.status, 0) << result.err;
  const std::vector<std::string> lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[1], "");
  EXPECT_EQ(translate({"--threads", "1", "--batch-tokens", "7"}, text).out, result.out);
}

TEST_F(TrainTranslateTest, JsonLinesSayWhatHappened) {
  const RunResult result =
      translate({"--format", "jsonl", "--nbest", "2"}, "你好。\n\n\xFF broken\n");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasFacts("1 3 UTF-8"));
  const std::vector<std::string> lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 3u);
  const auto first = nlohmann::json::parse(lines[0]);
  EXPECT_TRUE(first["translation"].is_string());
  EXPECT_LT(first["score"], 0);
  EXPECT_FALSE(first["pieces"].empty());
  EXPECT_EQ(first["nbest"].size(), 2u);
  EXPECT_EQ(nlohmann::json::parse(lines[1])["status"], "empty");
  EXPECT_THAT(nlohmann::json::parse(lines[2])["status"].get<std::string>(),
              HasSubstr("invalid_utf8"));
}

TEST_F(TrainTranslateTest, AFailureLeavesNoOutputFile) {
  const RunResult strict = translate({"--strict", "--output", "o.txt"}, "你好。\n\xFF\n");
  EXPECT_EQ(strict.status, 1);
  EXPECT_THAT(strict.err, HasFacts("line 2"));
  for (const auto& entry : std::filesystem::directory_iterator(folder_->path())) {
    EXPECT_NE(entry.path().filename().string().rfind("o.txt", 0), 0u) << entry.path();
  }
  EXPECT_EQ(translate({"--output", "o.txt"}, "你好。\n").status, 0);
  EXPECT_EQ(lines_of(folder_->read("o.txt")).size(), 1u);
}

TEST_F(TrainTranslateTest, AFolderThatIsBeingTrainedHasNoModelYet) {
  RunningHeed training(with(watched("begun"), {"--steps", "1000000", "--report-every", "1"}),
                       folder_->path());
  await_message(training, "step 1,");
  const RunResult early = heed({"translate", "--model", "begun"});
  EXPECT_EQ(early.status, 1);
  EXPECT_THAT(early.err, HasFacts("begun another process training"));
}

TEST_F(TrainTranslateTest, BadInputIsNamed) {
  const auto error = [&](const std::vector<std::string>& arguments, int status) {
    const RunResult result = heed(arguments);
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    return result.err;
  };
  EXPECT_THAT(error({"translate", "--model", "absent"}, 1), HasSubstr("absent"));
  EXPECT_THAT(error({"translate", "--model", "m", "--input", "absent"}, 1), HasSubstr("absent"));
  EXPECT_THAT(error({"translate", "--model", "m", "--nbest", "2"}, 2), HasSubstr("jsonl"));
  EXPECT_THAT(error({"translate", "--model", "m", "--beam", "0"}, 2),
              HasSubstr("--beam: expected a whole number from 1 to"));
  EXPECT_THAT(error({"inspect", "model", "absent"}, 2),
              HasSubstr("neither a directory nor a preset"));
  EXPECT_THAT(error({"train", "--source", "train.zh", "--target", "valid.en", "--model", "n"}, 1),
              HasSubstr("5000"));
  EXPECT_FALSE(std::filesystem::exists(folder_->path() / "n"));
}

TEST_F(TrainTranslateTest, EvaluateTranslatesFirst) {
  const RunResult result = heed({"evaluate", "--model", "m", "--source", "test.zh", "--reference",
                                 "test.en", "--max-length", "8", "--json"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)[0]["name"], "BLEU");
}

TEST_F(TrainTranslateTest, InspectReadsTheDirectory) {
  const RunResult result = heed({"inspect", "model", "m", "--json"});
  EXPECT_EQ(result.status, 0) << result.err;
  const auto page = nlohmann::json::parse(result.out);
  EXPECT_EQ(page["d_model"], 16);
  EXPECT_EQ(page["vocabulary"], 1500);
}

TEST_F(TrainTranslateTest, ComputeTypesAreSaidAndCanBeChosen) {
  const std::string text = folder_->read("test.zh");
  for (const std::string compute : {"fp32", "bf16", "int8"}) {
    const RunResult run = translate({"--compute", compute}, text);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.err, HasFacts("tokens/s"));
    EXPECT_EQ(run.err.find(", " + compute + ")") != std::string::npos, compute != "fp32")
        << run.err;
  }
  const RunResult refused = heed(with(watched("n"), {"--compute", "int8"}));
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("--compute"), HasSubstr("int8")));
}

TEST_F(TrainTranslateTest, AQuantizedCopyTranslatesAsTheOriginalDoesInItsType) {
  const std::string text = folder_->read("test.zh");
  for (const std::string type : {"int8", "bf16"}) {
    const RunResult run = heed({"quantize", "--model", "m", "--output", type, "--type", type,
                                "--source", "test.zh", "--reference", "test.en", "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const auto report = nlohmann::json::parse(run.out);
    EXPECT_LT(report["bytes"], report["bytes_before"]);
    const std::string page = heed({"inspect", "model", type}).out;
    EXPECT_THAT(page, HasFacts("MB " + (type == "bf16" ? std::string("bfloat16") : type)));
    EXPECT_THAT(page, ::testing::Not(HasFacts("float32")));
    const auto json = nlohmann::json::parse(heed({"inspect", "model", type, "--json"}).out);
    EXPECT_LE(json["weights"]["bytes"], report["bytes"]);
    EXPECT_EQ(report["lines"], 20);
    EXPECT_TRUE(report.contains("changed") && report.contains("bleu_before"));
    const RunResult original = translate({"--compute", type}, text);
    const RunResult copy =
        heed({"translate", "--model", type, "--max-length", "8", "--compute", type}, {}, text);
    EXPECT_EQ(copy.out, original.out);
    const RunResult again = heed({"quantize", "--model", "m", "--output", type});
    EXPECT_EQ(again.status, 2);
    EXPECT_THAT(again.err, HasSubstr("--overwrite"));
  }
  const RunResult onto = heed({"quantize", "--model", "m", "--output", "./m", "--overwrite"});
  EXPECT_EQ(onto.status, 2);
  EXPECT_THAT(onto.err, HasFacts("--output"));
  const RunResult lone = heed({"quantize", "--model", "m", "--output", "x", "--reference", "r"});
  EXPECT_EQ(lone.status, 2);
  EXPECT_THAT(lone.err, HasSubstr("--source"));
}

TEST_F(TrainTranslateTest, ALineComesOutWhileTheInputPauses) {
  RunningHeed heed({"translate", "--model", "m", "--max-length", "8"}, folder_->path());
  for (const char* line : {"你好。\n", "\n", "他是老师。\n"}) {
    heed.write(line);
    const std::string expected = translate({}, line).out;
    EXPECT_EQ(heed.read_output_line() + "\n", expected);  // the input is still open
  }
  EXPECT_EQ(heed.wait(), 0);
}

TEST_F(TrainTranslateTest, SignalsEndTrainingSaved) {
  std::vector<std::string> command =
      with(watched("stopped"), {"--steps", "1000000", "--report-every", "1"});
  {
    RunningHeed heed(command, folder_->path());
    await_message(heed, "step 3,");
    heed.send(SIGINT);
    EXPECT_THAT(await_message(heed, "stopped after step"), HasSubstr("--resume"));
    EXPECT_EQ(heed.wait(), 130);
  }
  command.push_back("--resume");
  RunningHeed heed(command, folder_->path());
  await_message(heed, "resuming after step");
  await_message(heed, "step ");
  heed.send(SIGTERM);
  await_message(heed, "stopped after step");
  EXPECT_EQ(heed.wait(), 143);
}

// Shell and kernel each send a SIGHUP, so that a second one is no request to stop at once.
TEST_F(TrainTranslateTest, AClosedTerminalEndsTrainingSaved) {
  std::vector<std::string> command =
      with(watched("closed"), {"--steps", "1000000", "--report-every", "1"});
  HeedInTerminal heed(command, folder_->path());
  EXPECT_THAT(heed.read_until("step 3 "), HasSubstr("step 3 "));
  heed.send(SIGHUP);
  heed.close_terminal();
  heed.send(SIGHUP);
  EXPECT_EQ(heed.wait(), 128 + SIGHUP);
  EXPECT_TRUE(std::filesystem::exists(*folder_ / "closed/training/state.safetensors"));
  RunningHeed again(with(command, {"--resume"}), folder_->path());
  await_message(again, "resuming after step");
}

// What a refusal to resume tells to type, typed: also where the run has not written its model yet.
TEST_F(TrainTranslateTest, ARefusalToResumeTellsHowToTrainOn) {
  std::vector<std::string> changed =
      with(train("a run"), {"--resume", "--learning-rate", "2", "--source-language", "zh"});
  ASSERT_EQ(heed(train("a run")).status, 0);
  const auto advised = [&] {
    const RunResult refused = heed(changed);
    EXPECT_EQ(refused.status, 2);
    return refused.err;
  };
  const auto between = [](const std::string& text, const std::string& start,
                          const std::string& end) {
    const size_t begin = text.find(start);
    EXPECT_NE(begin, std::string::npos) << text;
    return text.substr(begin + start.size(), text.find(end, begin) - begin - start.size());
  };
  // The command of the refusal, but for the sizes, and as it tells.
  const auto train_on = [&](const std::string& model, const std::string& name) {
    return heed({"train", "--source", "train.zh", "--target", "train.en", "--vocabulary-size",
                 "1500", "--batch-tokens", "256", "--steps", "4", "--quiet", "--learning-rate", "2",
                 "--finetune-from", model, "--model", name});
  };
  EXPECT_THAT(advised(), HasSubstr("--finetune-from 'a run' and another --model"));
  EXPECT_EQ(train_on("a run", "on").status, 0);

  for (const char* name : {"config.json", "model.safetensors"})
    std::filesystem::remove(*folder_ / "a run" / name);
  const std::string text = advised();
  EXPECT_THAT(text, HasSubstr("--finetune-from 'a run-weights' and another --model"));
  const std::string command = "cd " + folder_->path().string() + " && " + HEED_PROGRAM + " " +
                              between(text, "(heed ", ") and") + " 2>/dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  EXPECT_EQ(train_on("a run-weights", "too").status, 0);
  EXPECT_EQ(folder_->read("too/model.safetensors"), folder_->read("on/model.safetensors"));
}

TEST_F(TrainTranslateTest, TrainingUnderNohupGoesOn) {
  HeedInTerminal heed(with(watched("nohup"), {"--steps", "40", "--report-every", "1"}),
                      folder_->path(), HeedInTerminal::Hangup::ignored);
  EXPECT_THAT(heed.read_until("step 3 "), HasSubstr("step 3 "));
  heed.send(SIGHUP);
  heed.close_terminal();
  EXPECT_EQ(heed.wait(), 0);
}

}  // namespace
}  // namespace heed::testing
