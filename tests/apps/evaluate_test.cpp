// heed evaluate, on files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "heed/core/files.h"
#include "run_heed.h"
#include "support/facts.h"
#include "support/page_data.h"
#include "support/temporary_folder.h"

namespace heed::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class EvaluateTest : public ::testing::Test {
 protected:
  const TemporaryFolder folder_;
  const std::string right_ =
      folder_.write("right", "The cat sat on the mat .\nA dog barks loudly .\n");
  const std::string wrong_ =
      folder_.write("wrong", "the cat sat on a mat .\nA dog sings loudly .\n");
  const std::string moved_ =
      folder_.write("moved", "on the mat The cat sat .\nA DOG barks, loudly.\n");

  // The first score of a hypothesis.
  static nlohmann::json score(const std::string& hypothesis, const std::string& reference,
                              const std::vector<std::string>& options) {
    std::vector<std::string> command{"evaluate",    "--hypothesis", hypothesis,
                                     "--reference", reference,      "--json"};
    command.insert(command.end(), options.begin(), options.end());
    const RunResult result = run_heed(command);
    EXPECT_EQ(result.status, 0) << result.err;
    return nlohmann::json::parse(result.out)[0];
  }

  // The systems `wrong` and `moved` against `right`.
  RunResult compare(const std::vector<std::string>& options) const {
    std::vector<std::string> command{"evaluate", "--hypothesis", wrong_,
                                     moved_,     "--reference",  right_};
    command.insert(command.end(), options.begin(), options.end());
    return run_heed(command);
  }
};

TEST_F(EvaluateTest, AgreesWithSacreBleu) {
  // sacrebleu right -i wrong -m bleu chrf -w 4, and -m chrf --chrf-word-order 2
  const RunResult result = run_heed({"evaluate", "--hypothesis", wrong_, "--reference", right_,
                                     "--metrics", "bleu,chrf,chrf++", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto scores = nlohmann::json::parse(result.out);
  ASSERT_EQ(scores.size(), 3u);
  EXPECT_EQ(scores[0]["name"], "BLEU");
  EXPECT_NEAR(scores[0]["score"], 25.6673, 5e-5);
  EXPECT_THAT(scores[0]["signature"].get<std::string>(),
              HasSubstr("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:heed-"));
  EXPECT_EQ(scores[1]["name"], "chrF2");
  EXPECT_NEAR(scores[1]["score"], 56.8367, 5e-5);
  EXPECT_EQ(scores[2]["name"], "chrF2++");
  EXPECT_NEAR(scores[2]["score"], 59.3033, 5e-5);
}

TEST_F(EvaluateTest, OptionsReachTheMetric) {
  const std::string lower =
      folder_.write("lower", "the cat sat on the mat .\na dog barks loudly .\n");
  EXPECT_LT(score(lower, right_, {})["score"], 90);
  EXPECT_NEAR(score(lower, right_, {"--lowercase"})["score"], 100, 1e-9);
  EXPECT_NEAR(score(lower, right_, {"--lowercase", "--metrics", "chrf"})["score"], 100, 1e-9);
  EXPECT_THAT(score(lower, right_, {"--reference", wrong_})["signature"].get<std::string>(),
              HasSubstr("nrefs:2"));
}

// sacrebleu right -i wrong -w 4 -s floor -sv 0.5, and so on.
TEST_F(EvaluateTest, SmoothingReachesBleu) {
  const auto smoothed = [&](const std::vector<std::string>& options) {
    return score(wrong_, right_, options)["score"].get<double>();
  };
  EXPECT_NEAR(smoothed({"--smooth-method", "exp"}), 25.6673, 5e-5);
  EXPECT_EQ(smoothed({"--smooth-method", "none"}), 0);
  EXPECT_NEAR(smoothed({"--smooth-method", "floor"}), 17.1647, 5e-5);
  EXPECT_NEAR(smoothed({"--smooth-method", "floor", "--smooth-value", "0.5"}), 25.6673, 5e-5);
  EXPECT_NEAR(smoothed({"--smooth-method", "add-k"}), 34.6591, 5e-5);
  EXPECT_NEAR(smoothed({"--smooth-method", "add-k", "--smooth-value", "2"}), 43.6968, 5e-5);
}

// sacrebleu right -i wrong -s add-k -w 4 -tok intl, and so on.
TEST_F(EvaluateTest, TokenizersReachBleu) {
  const std::string right = folder_.write("right.zh", "我 爱，你 。\nb c。\n");
  const std::string wrong = folder_.write("wrong.zh", "我爱你\nb c 。\n");
  const auto tokenized = [&](const char* tokenizer) {
    return score(wrong, right, {"--bleu-tokenize", tokenizer, "--smooth-method", "add-k"})["score"]
        .get<double>();
  };
  EXPECT_NEAR(tokenized("13a"), 35.1863, 5e-5);
  EXPECT_NEAR(tokenized("none"), 35.1863, 5e-5);
  EXPECT_NEAR(tokenized("char"), 61.2329, 5e-5);
  EXPECT_NEAR(tokenized("zh"), 61.2329, 5e-5);
  EXPECT_NEAR(tokenized("intl"), 34.2350, 5e-5);
}

TEST_F(EvaluateTest, TextWithoutSpacesIsWarnedOf) {
  const std::string right = folder_.write("right.zh", "昨天我的老师买了三本书。\n");
  const std::string wrong = folder_.write("wrong.zh", "昨天我的老师买了两本书。\n");
  const auto evaluate = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"evaluate", "--hypothesis", wrong, "--reference", right});
    return run_heed(options);
  };
  const RunResult usual = evaluate({});
  EXPECT_THAT(usual.out, HasSubstr("tok:13a"));  // as sacreBLEU has it
  EXPECT_THAT(usual.err, ::testing::AllOf(StartsWith("heed: warning: "), HasSubstr("right.zh"),
                                          HasSubstr("--bleu-tokenize zh")));
  EXPECT_THAT(evaluate({"--bleu-tokenize", "zh"}).err, IsEmpty());
  EXPECT_THAT(evaluate({"--bleu-tokenize", "13a"}).err, IsEmpty());
  EXPECT_THAT(evaluate({"--metrics", "chrf"}).err, IsEmpty());
  const RunResult latin = run_heed({"evaluate", "--hypothesis", wrong_, "--reference", right_});
  EXPECT_THAT(latin.err, IsEmpty());
  // sacreBLEU's name leads to heed's.
  const RunResult named = evaluate({"--tokenize", "zh"});
  EXPECT_EQ(named.status, 2);
  EXPECT_THAT(named.err, HasSubstr("'--bleu-tokenize'"));
}

// sacrebleu right -i moved -m ter -w 4 --ter-normalized, and so on.
TEST_F(EvaluateTest, OptionsReachTer) {
  const auto ter = [&](const std::string& hypothesis, const std::string& reference,
                       std::vector<std::string> options) {
    options.insert(options.end(), {"--metrics", "ter"});
    return score(hypothesis, reference, options)["score"].get<double>();
  };
  EXPECT_NEAR(ter(moved_, right_, {}), 33.3333, 5e-5);
  EXPECT_NEAR(ter(moved_, right_, {"--ter-normalized"}), 16.6667, 5e-5);
  EXPECT_NEAR(ter(moved_, right_, {"--ter-no-punct"}), 10, 5e-5);
  EXPECT_NEAR(ter(moved_, right_, {"--ter-case-sensitive"}), 41.6667, 5e-5);
  const std::string right = folder_.write("right.zh", "我 爱，你 。\nb c。\n");
  const std::string wrong = folder_.write("wrong.zh", "我爱你\nb c 。\n");
  EXPECT_NEAR(ter(wrong, right, {"--ter-normalized"}), 100, 5e-5);
  EXPECT_NEAR(ter(wrong, right, {"--ter-normalized", "--ter-asian-support"}), 25, 5e-5);
  EXPECT_NEAR(ter(wrong, right, {"--ter-no-punct", "--ter-asian-support"}), 50, 5e-5);
}

// sacrebleu right -i wrong -sl -w 4
TEST_F(EvaluateTest, ScoresSentences) {
  std::vector<std::string> command{"evaluate", "--hypothesis", wrong_,      "--reference",
                                   right_,     "--sentence",   "--metrics", "bleu,ter"};
  const RunResult text = run_heed(command);
  EXPECT_EQ(text.out,
            "BLEU = 32.17 85.7/50.0/20.0/12.5 (BP = 1.000 ratio = 1.000 hyp_len = 7 ref_len = 7)"
            "\tTER = 14.29\n"
            "BLEU = 30.21 80.0/50.0/16.7/12.5 (BP = 1.000 ratio = 1.000 hyp_len = 5 ref_len = 5)"
            "\tTER = 20.00\n");
  EXPECT_THAT(text.err, HasFacts("BLEU nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version"));
  command.push_back("--json");
  const RunResult json = run_heed(command);
  const auto first = nlohmann::json::parse(json.out.substr(0, json.out.find('\n')));
  EXPECT_NEAR(first[0]["score"], 32.1729, 5e-5);
  EXPECT_EQ(first[1]["name"], "TER");
}

// The table is what sacrebleu prints with -f text -w 2.
TEST_F(EvaluateTest, SeveralSystemsStandInATable) {
  const RunResult result = run_heed({"evaluate", "--hypothesis", "wrong", "moved", "--reference",
                                     "right", "--metrics", "bleu,ter"},
                                    folder_.path());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("╒══════════╤════════╤═══════╕\n"
                                     "│   System │  BLEU  │  TER  │\n"
                                     "╞══════════╪════════╪═══════╡\n"
                                     "│    wrong │ 25.67  │ 16.67 │\n"
                                     "├──────────┼────────┼───────┤\n"
                                     "│    moved │ 27.95  │ 33.33 │\n"
                                     "╘══════════╧════════╧═══════╛\n"));
  EXPECT_THAT(result.out, HasSubstr(" - TER        nrefs:1|case:lc|tok:tercom|"));
}

TEST_F(EvaluateTest, PairedTestsStandInTheTable) {
  const RunResult result = compare({"--metrics", "ter", "--paired", "bootstrap"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("Baseline: "));
  EXPECT_THAT(result.out, HasSubstr("TER (μ ± 95% CI)"));
  EXPECT_THAT(result.out, HasSubstr("(p = "));
  EXPECT_THAT(result.out,
              HasSubstr("Paired bootstrap resampling test with 1000 resampling trials"));
  EXPECT_THAT(result.out, HasSubstr("nrefs:1|bs:1000|seed:12345|case:lc|tok:tercom|"));
}

// sacrebleu right -i wrong moved -m bleu ter --paired-ar
TEST_F(EvaluateTest, PairedRandomizationAgreesWithSacreBleu) {
  const auto tested = [&](const std::vector<std::string>& options) {
    const RunResult result = compare(options);
    EXPECT_EQ(result.status, 0) << result.err;
    return nlohmann::json::parse(result.out);
  };
  const auto systems = tested({"--metrics", "bleu,ter", "--paired", "randomization", "--json"});
  ASSERT_EQ(systems.size(), 2u);
  EXPECT_EQ(systems[0]["system"], wrong_);
  EXPECT_TRUE(systems[0]["scores"][0]["p_value"].is_null());
  EXPECT_NEAR(systems[1]["scores"][0]["score"], 27.9526, 5e-5);
  EXPECT_DOUBLE_EQ(systems[1]["scores"][0]["p_value"], 0.49975002499750026);
  EXPECT_DOUBLE_EQ(systems[1]["scores"][1]["p_value"], 9.999000099990002e-05);
  // Trials and seed are what was asked for.
  const std::vector<std::string> ten{"--paired", "bootstrap", "--paired-trials", "10", "--json"};
  const auto first = tested(ten);
  EXPECT_THAT(first[1]["scores"][0]["signature"].get<std::string>(), HasSubstr("bs:10|seed:12345"));
  std::vector<std::string> other = ten;
  other.insert(other.end(), {"--paired-seed", "7"});
  const auto second = tested(other);
  EXPECT_THAT(second[1]["scores"][0]["signature"].get<std::string>(), HasSubstr("bs:10|seed:7"));
  EXPECT_NE(first[1]["scores"][0]["mean"], second[1]["scores"][0]["mean"]);
}

// sacrebleu right -i wrong copy --paired-bs: p = 0.0010 for equal systems too.
TEST_F(EvaluateTest, EqualSystemsAreWarnedOf) {
  const std::string copy = folder_.write("copy", read_file(wrong_));
  for (const auto& [test, value] :
       {std::pair{"bootstrap", "0.0010"}, {"randomization", "0.0001"}}) {
    const RunResult result = run_heed({"evaluate", "--hypothesis", wrong_, moved_, copy,
                                       "--reference", right_, "--paired", test});
    EXPECT_EQ(result.status, 0);
    EXPECT_THAT(result.out, HasSubstr(std::string("(p = ") + value + ")*"));
    EXPECT_THAT(result.err, HasFacts("wrong copy same sacreBLEU"));
    EXPECT_THAT(result.err, Not(HasFacts("moved")));
  }
  EXPECT_THAT(run_heed({"evaluate", "--hypothesis", wrong_, copy, "--reference", right_}).err,
              IsEmpty());
  // BLEU sees no blanks around words, chrF no blanks at all.
  std::string blanks;
  for (const char c : read_file(wrong_))
    blanks += c == '\n' ? std::string(" \n") : std::string(1, c);
  EXPECT_THAT(run_heed({"evaluate", "--hypothesis", wrong_, folder_.write("blanks", blanks),
                        "--reference", right_, "--paired", "bootstrap", "--metrics", "bleu,chrf"})
                  .err,
              HasFacts("wrong blanks BLEU, chrF2 line sacreBLEU"));
}

TEST_F(EvaluateTest, ABleuOfZeroIsExplained) {
  const std::string brief = folder_.write("brief", "ja\nnein danke\n");
  const auto evaluate = [&](const std::string& text, const std::vector<std::string>& options) {
    std::vector<std::string> command{"evaluate", "--hypothesis", text, "--reference", text};
    command.insert(command.end(), options.begin(), options.end());
    return run_heed(command);
  };
  EXPECT_THAT(evaluate(brief, {}).out, StartsWith("BLEU = 0.00"));
  EXPECT_THAT(evaluate(brief, {}).err, HasFacts("brief 4 words --metrics chrf --sentence"));
  EXPECT_THAT(evaluate(brief, {"--metrics", "chrf"}).err, IsEmpty());
  EXPECT_THAT(evaluate(brief, {"--sentence"}).err, Not(HasSubstr("warning")));
  EXPECT_THAT(evaluate(right_, {}).err, IsEmpty());
  // Nothing in common: 0 for a reason.
  const std::string other = folder_.write("other", "x\ny z\n");
  EXPECT_THAT(run_heed({"evaluate", "--hypothesis", other, "--reference", brief}).err, IsEmpty());
}

TEST_F(EvaluateTest, ReadsStandardInputAndPrintsForReaders) {
  const RunResult result = run_heed({"evaluate", "--hypothesis", "-", "--reference", right_}, ".",
                                    folder_.read("right"));
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("BLEU = 100.00 100.0/100.0/100.0/100.0"));
}

TEST_F(EvaluateTest, BadInputIsNamed) {
  const auto error = [&](std::vector<std::string> arguments, int status) {
    arguments.insert(arguments.begin(), "evaluate");
    const RunResult result = run_heed(arguments);
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  const std::string shorter = folder_.write("shorter", "one\n");
  EXPECT_THAT(error({"--hypothesis", shorter, "--reference", right_}, 1),
              HasFacts("shorter 1 line right"));
  EXPECT_THAT(error({"--hypothesis", "absent", "--reference", right_}, 1), HasSubstr("absent"));
  EXPECT_THAT(error({"--hypothesis", shorter}, 2), HasFacts("--reference"));
  EXPECT_THAT(error({"--reference", right_}, 2), HasFacts("--hypothesis --model --source"));
  EXPECT_THAT(error({"--hypothesis", right_, shorter, "--reference", right_}, 1),
              HasFacts("right 2 lines shorter 1 line"));
  EXPECT_THAT(error({"--hypothesis", right_, right_, "--reference", right_}, 2),
              HasSubstr("twice: name each once"));
}

// What --json prints, and the page of the same command with more options.
TEST_F(EvaluateTest, ThePageHasTheNumbersOfTheCommand) {
  const std::string page = (folder_.path() / "page.html").string();
  const RunResult result =
      compare({"--metrics", "bleu,chrf,ter", "--paired", "bootstrap", "--paired-trials", "100",
               "--json", "--html", page, "--source", right_});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasFacts("2 sentences " + page));
  const auto printed = nlohmann::json::parse(result.out);
  const std::string html = read_file(page);
  const auto data = data_of(html);
  EXPECT_EQ(data["systems"], nlohmann::json({wrong_, moved_}));
  EXPECT_EQ(data["references"], nlohmann::json({right_}));
  EXPECT_EQ(data["source"], right_);
  EXPECT_EQ(data["test"]["trials"], 100);
  for (size_t system = 0; system < 2; ++system) {
    for (size_t metric = 0; metric < 3; ++metric) {
      const auto& score = printed[system]["scores"][metric];
      const auto& shown = data["metrics"][metric]["systems"][system];
      EXPECT_EQ(data["metrics"][metric]["name"], score["name"]);
      EXPECT_EQ(data["metrics"][metric]["signature"], score["signature"]);
      EXPECT_NEAR(shown["score"], score["score"], 5.1e-3);
      EXPECT_NEAR(shown["mean"], score["mean"], 5.1e-3);
      EXPECT_NEAR(shown["half_width"], score["ci"], 5.1e-3);
      EXPECT_EQ(shown.contains("p_value"), system > 0);
      EXPECT_NEAR(shown.value("p_value", 0.0), system > 0 ? score["p_value"].get<double>() : 0,
                  5.1e-5);
    }
  }
  const auto scores = block_of(html, 0).json["scores"];
  EXPECT_EQ(scores[0][0], nlohmann::json({32.17, 30.21}));  // as --sentence prints them
  EXPECT_EQ(block_of(html, 1).json["systems"][1][1], "A DOG barks, loudly.");
  EXPECT_EQ(block_of(html, 1).json["source"][1], "A dog barks loudly .");
}

TEST_F(EvaluateTest, ThePageOfSentencesHasTheSameScores) {
  const std::string page = (folder_.path() / "page.html").string();
  const std::vector<std::string> command{"evaluate",    "--hypothesis", wrong_,
                                         "--reference", right_,         "--metrics",
                                         "chrf,bleu",   "--html",       page};
  const auto page_of = [&](std::vector<std::string> more) {
    more.insert(more.begin(), command.begin(), command.end());
    const RunResult result = run_heed(more);
    EXPECT_EQ(result.status, 0) << result.err;
    return read_file(page);
  };
  const std::string html = page_of({});
  EXPECT_EQ(data_of(html)["metrics"][1]["systems"][0]["score"], 25.67);
  EXPECT_EQ(block_of(html, 0).json["scores"][1][0], nlohmann::json({32.17, 30.21}));
  EXPECT_EQ(html, page_of({"--sentence"}));
}

TEST_F(EvaluateTest, ThePageIsAFileOfItsOwn) {
  const RunResult dash = compare({"--html", "-"});
  EXPECT_EQ(dash.status, 2);
  EXPECT_THAT(dash.err, HasSubstr("--html -"));
  for (const std::string& file : {wrong_, right_}) {
    const std::string before = read_file(file);
    const RunResult result = compare({"--html", file});
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.err, HasFacts("--html " + file));
    EXPECT_EQ(read_file(file), before);
  }
}

TEST_F(EvaluateTest, TheSourceOfThePageHasAsManyLines) {
  const std::string page = (folder_.path() / "page.html").string();
  const std::string longer = folder_.write("longer", "1\n2\n3\n");
  const RunResult result = compare({"--html", page, "--source", longer});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasFacts(longer + " 2"));
  const RunResult useless = compare({"--source", right_});
  EXPECT_EQ(useless.status, 2);
  EXPECT_THAT(useless.err, HasSubstr("--source changes nothing: give --model to translate it, or "
                                     "--html to show it"));
}

TEST_F(EvaluateTest, OptionsThatSayNothingAreRefused) {
  const auto error = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"evaluate", "--hypothesis", right_, "--reference", right_});
    const RunResult result = run_heed(options);
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_THAT(error({"--metrics", "blue"}),
              HasSubstr("--metrics: expected bleu, chrf, chrf++, ter, brackets, accuracy, f1, "
                        "spans or aer, got 'blue'"));
  EXPECT_THAT(error({"--metrics", "ter,ter"}), HasSubstr("--metrics names ter twice"));
  EXPECT_THAT(error({"--bleu-tokenize", "14a"}),
              HasSubstr("--bleu-tokenize: expected 13a, none, char, intl or zh, got '14a'"));
  EXPECT_THAT(error({"--smooth-method", "more"}),
              HasSubstr("--smooth-method: expected none, floor, add-k or exp, got 'more'"));
  EXPECT_THAT(error({"--smooth-value", "1"}), HasSubstr("floor or add-k, not exp"));
  EXPECT_THAT(error({"--smooth-method", "floor", "--smooth-value", "-1"}),
              HasSubstr("--smooth-value: expected a number"));
  EXPECT_THAT(error({"--metrics", "ter", "--bleu-tokenize", "char"}),
              HasSubstr("--bleu-tokenize changes nothing: --metrics is ter, add bleu"));
  EXPECT_THAT(error({"--metrics", "ter", "--lowercase"}), HasSubstr("--lowercase changes nothing"));
  EXPECT_THAT(error({"--ter-normalized"}), HasSubstr("--ter-normalized changes nothing"));
  EXPECT_THAT(error({"--metrics", "ter", "--ter-asian-support"}),
              HasSubstr("needs --ter-normalized or --ter-no-punct"));
  EXPECT_THAT(error({"--paired", "bootstrap"}), HasSubstr("--paired compares systems"));
  EXPECT_THAT(error({"--paired-trials", "10"}), HasSubstr("go with --paired"));
  EXPECT_THAT(error({"--paired-trials", "0"}), HasSubstr("--paired-trials: expected"));
  EXPECT_THAT(error({"--hypothesis", wrong_, "--sentence"}),
              HasSubstr("--sentence scores one system"));
}

TEST_F(EvaluateTest, BrokenUtf8IsToldOrRefused) {
  const std::string broken = folder_.write("broken", "The cat\xff sat .\nA dog \xe6 barks .\n");
  const auto evaluate = [&](const std::vector<std::string>& more) {
    std::vector<std::string> command{"evaluate", "--hypothesis", broken, "--reference", right_};
    command.insert(command.end(), more.begin(), more.end());
    return run_heed(command);
  };
  const RunResult warned = evaluate({"--quiet"});
  EXPECT_EQ(warned.status, 0);
  EXPECT_THAT(warned.err, AllOf(HasSubstr("warning"), HasSubstr(broken + ":1: byte 8"),
                                HasSubstr("2 of 2 lines")));
  const RunResult refused = evaluate({"--strict"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr(broken + ":1: byte 8"));
  EXPECT_EQ(refused.out, "");
  // References too.
  const RunResult reference = run_heed({"evaluate", "--hypothesis", right_, "--reference", broken});
  EXPECT_THAT(reference.err, HasSubstr(broken + ":1:"));
}

}  // namespace
}  // namespace heed::testing
