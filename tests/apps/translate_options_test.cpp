// heed translate: sampled, forced, diverse and aligned.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "heed/core/utf8.h"
#include "heed/text/sentences.h"
#include "small_model_test.h"
#include "support/facts.h"

namespace heed::testing {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kText =
    "你好。\n他是老师。\n我的朋友今天去学校。\n你好。\n\n她昨天买了三本书。\n";

class TranslateOptionsTest : public SmallModelTest {
 protected:
  // Standard output of a translation of `text` that must succeed.
  static std::string run(const std::vector<std::string>& options, const std::string& text = kText) {
    const RunResult result = translated(options, text);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  }
  static std::vector<Json> objects(std::vector<std::string> options,
                                   const std::string& text = kText) {
    options.insert(options.end(), {"--format", "jsonl"});
    std::vector<Json> all;
    for (const std::string& line : lines_of(run(options, text))) all.push_back(Json::parse(line));
    return all;
  }
  static RunResult translated(const std::vector<std::string>& options, const std::string& text) {
    return heed(with({"translate", "--model", "m", "--max-length", "12"}, options), {}, text);
  }
  static void refused(const std::vector<std::string>& options, const std::string& part) {
    expect_failure(translated(options, kText), part, 2);
  }
};

TEST_F(TranslateOptionsTest, SamplesFollowTheSeedAndTheText) {
  const std::string sampled = run({"--sample"});
  EXPECT_EQ(sampled, run({"--sample", "--seed", "1"}));
  EXPECT_NE(sampled, run({"--sample", "--seed", "2"}));
  EXPECT_NE(sampled, run({}));
  for (const std::string threads : {"1", "2"})
    for (const std::string batch : {"1", "9", "5000"})
      EXPECT_EQ(sampled, run({"--sample", "--threads", threads, "--batch-tokens", batch}));
  const std::vector<std::string> lines = lines_of(sampled);
  EXPECT_EQ(lines[0], lines[3]) << "the same text, the same draws";
  EXPECT_EQ(lines[4], "");
}

TEST_F(TranslateOptionsTest, HtmlKeepsItsTags) {
  const std::string line = run({}, "他是老师。\n");
  const std::string text = line.substr(0, line.size() - 1);
  EXPECT_EQ(run({"--format", "html"}, "<p>\r\n 他是老师。</p><!-- a --> \n\n"),
            "<p>\r\n " + text + "</p><!-- a --> \n\n");
  EXPECT_EQ(run({"--format", "html"}, "<b>他是老师。</b>"), "<b>" + text + "</b>")
      << "no line break is added";
  EXPECT_EQ(run({"--format", "html"}, ""), "");
  const std::string tags =
      run({"--format", "html"}, "<p>我的<b>朋友</b>今天去<i>学校</i>。<pre>a</pre>");
  for (const char* tag : {"<b>", "</b>", "<i>", "</i>", "<pre>a</pre>"})
    EXPECT_EQ(tags.find(tag), tags.rfind(tag)) << tags;
  EXPECT_LT(tags.find("<b>"), tags.find("</b>"));
  EXPECT_LT(tags.find("</i>"), tags.find("<pre>a</pre>"));
  expect_failure(translated({"--format", "html"}, "abc\xff"), "byte 3 is not UTF-8", 1);
  EXPECT_EQ(run({"--format", "po"}, "msgid \"他是老师。\"\nmsgstr \"\"\n"),
            "msgid \"他是老师。\"\nmsgstr \"" + text + "\"\n");
  EXPECT_EQ(run({"--format", "json"}, "\xEF\xBB\xBF{\"a\": \"他是老师。\"}\n"),
            "\xEF\xBB\xBF{\"a\": \"" + text + "\"}\n");
  expect_failure(translated({"--format", "xml"}, "<a>\n<b></a>"),
                 "standard input: line 2, column 6: not well-formed: mismatched tag", 1);
  refused({"--format", "html", "--split", "sentences"}, "--split");
  refused({"--format", "html", "--html", "page.html"}, "--html");
  refused({"--format", "html", "--nbest", "2"}, "--nbest");
  refused({"--format", "html", "--alignments", "words"}, "--alignments");
}

TEST_F(TranslateOptionsTest, SentencesOfALineAreTranslatedAsLinesOfTheirOwn) {
  const std::vector<std::string> sentences = {"你好。", "他是老师。", "我的朋友今天去学校。"};
  const std::string text = sentences[0] + sentences[1] + "  " + sentences[2] + "\n\n" + kText;
  std::string lines;
  for (const std::string& sentence : sentences) lines += sentence + "\n";
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{}, {"--sample"}, {"--nbest", "2", "--beam", "3"}}) {
    const std::vector<Json> alone = objects(options, lines);
    const std::vector<Json> joined = objects(with(options, {"--split", "sentences"}), text);
    ASSERT_EQ(joined.size(), 8u) << "a line for each line";
    const auto of = [&](size_t i) { return alone[i]["translation"].get<std::string>(); };
    const std::vector<std::string> translations = {of(0), of(1), of(2)};
    EXPECT_EQ(
        joined[0]["translation"],
        join_sentences({{"", translations[0]}, {"", translations[1]}, {"  ", translations[2]}}));
    double score = 0;
    for (const Json& sentence : alone) score += sentence["score"].get<double>();
    EXPECT_NEAR(joined[0]["score"].get<double>(), score, 1e-6);
    EXPECT_EQ(joined[0]["status"], alone[2]["status"]);
    EXPECT_EQ(joined[1]["status"], "empty");
    EXPECT_EQ(joined[2]["translation"], alone[0]["translation"]) << "a line of one sentence";
  }
}

TEST_F(TranslateOptionsTest, TemperatureTopKAndTopPShapeTheSamples) {
  const std::string sampled = run({"--sample"}), greedy = run({"--beam", "1"});
  EXPECT_EQ(run({"--sample", "--temperature", "0.000001"}), greedy);
  EXPECT_EQ(run({"--sample", "--top-k", "1"}), greedy);
  EXPECT_EQ(run({"--sample", "--top-p", "0.000001"}), greedy);
  EXPECT_NE(run({"--sample", "--temperature", "0.3"}), sampled);
  EXPECT_NE(run({"--sample", "--top-k", "5"}), sampled);
  EXPECT_NE(run({"--sample", "--top-p", "0.2"}), sampled);
}

TEST_F(TranslateOptionsTest, SamplesAreAsManyAsAskedForAndSorted) {
  for (const Json& line : objects({"--sample", "--nbest", "6"})) {
    if (line["status"] == "empty") continue;
    ASSERT_EQ(line["nbest"].size(), 6u);
    EXPECT_EQ(line["translation"], line["nbest"][0]["translation"]);
    for (size_t n = 1; n < 6; ++n)
      EXPECT_GE(line["nbest"][n - 1]["score"], line["nbest"][n]["score"]);
  }
}

TEST_F(TranslateOptionsTest, PrefixesAreKept) {
  const std::vector<std::string> prefixes = {"Hel", "He is a ", "", "I", "No", "She boug"};
  std::string file;
  for (const std::string& prefix : prefixes) file += prefix + "\n";
  folder_->write("prefixes", file);
  const std::vector<std::string> free = lines_of(run({}));
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--beam", "1"}, {"--sample"}, {"--threads", "1"}}) {
    const auto lines = lines_of(run(with({"--target-prefix", "prefixes"}, more)));
    ASSERT_EQ(lines.size(), prefixes.size());
    for (size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(lines[i].rfind(prefixes[i], 0), 0u);
    if (more.empty()) {
      EXPECT_EQ(lines[2], free[2]);
    }
    EXPECT_EQ(lines[4], "No") << "nothing to translate";
  }
}

TEST_F(TranslateOptionsTest, ProtectsWhatExpressionsMatch) {
  folder_->write("tickets", "[A-Z]+-\\d+\n");
  const std::string line = "老师 HEED-12 书。\n";
  EXPECT_THAT(run({"--protect", "tickets"}, line), HasSubstr("HEED-12"));
  EXPECT_THAT(run({"--protect", "none"}, line), Not(HasSubstr("HEED-12")));
  refused({"--protect", "ticket"}, "numbers, paths, code, or none alone, or a file");
  folder_->write("bad", "(\n");
  expect_failure(translated({"--protect", "bad"}, line), "bad line 1 expression");
}

TEST_F(TranslateOptionsTest, TermsArriveOrAreNamed) {
  folder_->write("input", "你好。\n你好。\n");
  folder_->write("terms.tsv", "你\tqueen|king\n好\t\u0175\n");
  const RunResult result =
      translated({"--input", "input", "--terms", "terms.tsv", "--format", "jsonl"}, "");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasFacts("2 of 2 term --terms jsonl"));
  for (const std::string& text : lines_of(result.out)) {
    const Json line = Json::parse(text);
    EXPECT_THAT(line["status"].get<std::string>(), HasSubstr("terms_missed"));
    EXPECT_EQ(line["terms"][0]["source"], "你");
    EXPECT_THAT(line["translation"].get<std::string>(),
                HasSubstr(line["terms"][0]["target"].get<std::string>()));
    EXPECT_EQ(line["terms"][1]["missed"], "vocabulary");
  }
  expect_failure(translated({"--terms", "absent"}, "你好。\n"), "absent");
  folder_->write("bad.tsv", "你\n");
  expect_failure(translated({"--terms", "bad.tsv"}, "你好。\n"), "bad.tsv line 1 columns");
  refused({"--terms", "terms.tsv", "--sample"}, "--sample");
  refused({"--terms", "terms.tsv", "--output", "terms.tsv"}, "--output");
}

// The fault: a prefix that was too long, or missing, lost the translations of all lines.
TEST_F(TranslateOptionsTest, APrefixLosesNoLine) {
  folder_->write("input", "你好。\n你好。\n你好。\n");
  folder_->write("long", "\na b c d e f g h i j k l m n\nHel\n");
  const RunResult result =
      translated({"--input", "input", "--target-prefix", "long", "--output", "o"}, "");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasFacts("1 of 3 prefix --max-length --strict"));
  const std::vector<std::string> lines = lines_of(folder_->read("o"));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1], "a b c d e f g h i j k l m n");
  EXPECT_TRUE(lines[2].starts_with("Hel"));
  // Of files it is known before anything is translated.
  folder_->write("fewer", "\n\n");
  folder_->write("broken", "你好。\n你好。\n\xff\n");
  const auto said_nothing = [&](std::vector<std::string> arguments, const std::string& facts) {
    const RunResult refused = translated(arguments, "");
    expect_failure(refused, facts);
    EXPECT_EQ(refused.out, "");
  };
  said_nothing({"--input", "input", "--target-prefix", "fewer"}, "fewer 2 lines input");
  said_nothing({"--input", "input", "--target-prefix", "long", "--strict"}, "line 2 prefixes");
  said_nothing({"--input", "broken", "--strict"}, "line 3 UTF-8");
}

TEST_F(TranslateOptionsTest, PrefixesAreReadAsTheLinesAre) {
  folder_->write("two", "A\nB\n");
  expect_failure(translated({"--target-prefix", "two", "--output", "unwritten"}, kText),
                 "two 2 lines standard input");
  EXPECT_FALSE(std::filesystem::exists(folder_->path() / "unwritten"));
  expect_failure(translated({"--target-prefix", "two"}, "你好。\n"), "standard input 1 line two");
  expect_failure(translated({"--target-prefix", "absent"}, kText), "absent");
  folder_->write("long", "a b c d e f g h i j k l m n\n");
  expect_failure(translated({"--target-prefix", "long", "--strict"}, "你好。\n"),
                 "line 1 prefixes");
  folder_->write("broken", "A\n\xff\n");
  expect_failure(translated({"--target-prefix", "broken", "--strict"}, "你好。\n你好。\n"),
                 "2 UTF-8");
  // The input pauses.
  RunningHeed heed({"translate", "--model", "m", "--max-length", "8", "--target-prefix", "two"},
                   folder_->path());
  for (const std::string start : {"A", "B"}) {
    heed.write("你好。\n");
    EXPECT_EQ(heed.read_output_line().rfind(start, 0), 0u);
  }
  EXPECT_EQ(heed.wait(), 0);
}

TEST_F(TranslateOptionsTest, AFailureEndsTheProgramWhileInputPauses) {
  // Standard input stays open.
  RunningHeed heed({"translate", "--model", "m", "--strict"}, folder_->path());
  heed.write("\xff\n");
  EXPECT_THAT(heed.read_error_line(), HasFacts("line 1 input"));
  EXPECT_EQ(heed.wait(), 1);
}

TEST_F(TranslateOptionsTest, NoNgramComesTwice) {
  const auto repeated = [](const std::vector<Json>& lines) {
    int64_t count = 0;
    for (const Json& line : lines) {
      const auto pieces = line["pieces"].get<std::vector<std::string>>();
      std::set<std::string> seen;
      for (size_t i = 1; i < pieces.size(); ++i)
        count += !seen.insert(pieces[i - 1] + " " + pieces[i]).second;
    }
    return count;
  };
  EXPECT_GT(repeated(objects({"--min-length", "11"})), 0);
  EXPECT_EQ(repeated(objects({"--min-length", "11", "--no-repeat-ngram-size", "2"})), 0);
}

TEST_F(TranslateOptionsTest, DiverseGroupsBeginDifferently) {
  const auto starts = [](const std::vector<Json>& lines) {
    std::set<std::string> all;
    for (const Json& each : lines[0]["nbest"])
      all.insert(each["pieces"].empty() ? "" : each["pieces"][0].get<std::string>());
    return all.size();
  };
  EXPECT_EQ(starts(objects({"--beam-groups", "4", "--diversity-penalty", "90", "--nbest", "4"})),
            4u);
  EXPECT_LT(starts(objects({"--beam-groups", "4", "--diversity-penalty", "0", "--nbest", "4"})),
            4u);
}

TEST_F(TranslateOptionsTest, AlignmentsStandBesideTheTranslations) {
  const auto plain = objects({}), words = objects({"--alignments", "words"}),
             pieces = objects({"--alignments", "tokens"}),
             weights = objects({"--alignments", "weights", "--nbest", "2"});
  int64_t beyond_first = 0;
  for (size_t i = 0; i < plain.size(); ++i) {
    EXPECT_FALSE(plain[i].contains("alignment") || plain[i].contains("attention"));
    EXPECT_EQ(plain[i]["pieces"], words[i]["pieces"]);
    EXPECT_FALSE(words[i].contains("source_pieces"));
    // Target units that are paired, each with at least one of the source.
    const auto pairs = [](const Json& object) {
      std::istringstream stream(object["alignment"].get<std::string>());
      size_t units = 0;
      for (std::string pair; stream >> pair;) {
        const size_t unit = std::stoul(pair.substr(pair.find('-') + 1));
        EXPECT_TRUE(unit == units || unit + 1 == units) << pair;
        units = unit + 1;
      }
      return units;
    };
    size_t characters = 0;
    for (const Json& piece : plain[i]["pieces"])
      characters += decode_utf8(piece.get<std::string>()).size();
    const bool empty = plain[i]["status"] == "empty";
    EXPECT_LE(pairs(words[i]), characters);
    EXPECT_EQ(pairs(pieces[i]), plain[i]["pieces"].size());
    for (const Json& each : weights[i]["nbest"]) {
      EXPECT_EQ(each["attention"].size(), each["pieces"].size());
      for (const Json& row : each["attention"])
        EXPECT_EQ(row.size(), weights[i]["source_pieces"].size());
    }
    for (const size_t source : {1, 2, 3})
      beyond_first += (" " + words[i]["alignment"].get<std::string>())
                          .find(" " + std::to_string(source) + "-") != std::string::npos;
    EXPECT_EQ(empty, pieces[i]["source_pieces"].empty());
    if (!empty) {
      EXPECT_EQ(pieces[i]["source_pieces"].back(), "</s>");
    }
  }
  EXPECT_GT(beyond_first, 0) << "a Chinese line is no single word";
}

TEST_F(TranslateOptionsTest, AttentionOfALongLineIsWrittenByPart) {
  std::string line;
  for (int i = 0; i < 300; ++i) line += "他是老师。";
  const auto written =
      objects({"--alignments", "weights", "--nbest", "2"}, line + "\n他是老师。\n");
  ASSERT_EQ(written[0]["status"].get<std::string>().rfind("split", 0), 0u);
  const Json& pieces = written[0]["source_pieces"];
  std::set<size_t> parts;
  for (const Json& each : written[0]["nbest"]) {
    ASSERT_EQ(each["attention"].size(), each["pieces"].size());
    ASSERT_EQ(each["attention_offsets"].size(), each["pieces"].size());
    for (size_t t = 0; t < each["attention"].size(); ++t) {
      const size_t offset = each["attention_offsets"][t], size = each["attention"][t].size();
      ASSERT_LE(offset + size, pieces.size());
      EXPECT_EQ(pieces[offset + size - 1], "</s>");
      EXPECT_LT(size, pieces.size());
      parts.insert(offset);
    }
  }
  EXPECT_GT(parts.size(), 1u);
  EXPECT_FALSE(written[1].contains("attention_offsets")) << "a line in one part";
}

// What evaluate translates by itself is what translate gives with the same options.
TEST_F(TranslateOptionsTest, SlowTheyReachTheEvaluation) {
  const std::string text = folder_->read("train.zh").substr(0, 2000);
  folder_->write("some.zh", text.substr(0, text.rfind('\n') + 1));
  folder_->write("some.en", run({}, folder_->read("some.zh")));
  const auto score = [](const std::vector<std::string>& more) {
    const RunResult result =
        heed(with({"evaluate", "--reference", "some.en", "--metrics", "chrf", "--json"}, more));
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  };
  std::set<std::string> scores = {score({"--hypothesis", "some.en"})};
  const std::vector<std::vector<std::string>> sets = {{"--sample"},
                                                      {"--sample", "--seed", "3"},
                                                      {"--sample", "--temperature", "0.5"},
                                                      {"--sample", "--top-k", "9"},
                                                      {"--sample", "--top-p", "0.3"},
                                                      {"--no-repeat-ngram-size", "1"},
                                                      {"--no-repeat-ngram-size", "2"},
                                                      {"--beam", "1"}};
  for (const auto& set : sets) {
    folder_->write("out", run(set, folder_->read("some.zh")));
    const std::string by_itself =
        score(with({"--model", "m", "--source", "some.zh", "--max-length", "12"}, set));
    EXPECT_EQ(by_itself, score({"--hypothesis", "out"})) << set.back();
    scores.insert(by_itself);
  }
  EXPECT_GE(scores.size(), sets.size()) << "most of them change what is scored";
}

TEST_F(TranslateOptionsTest, WhatIsWrongIsSaid) {
  refused({"--top-k", "5"}, "--top-k: changes nothing without --sample");
  refused({"--temperature", "1"}, "--temperature: changes nothing without --sample");
  refused({"--top-p", "0.5"}, "--top-p: changes nothing without --sample");
  refused({"--seed", "5"}, "--seed: changes nothing without --sample");
  refused({"--sample", "--temperature", "0"}, "--temperature: expected a number above 0");
  refused({"--sample", "--top-k", "0"}, "--top-k: expected a whole number of at least 1");
  refused({"--sample", "--top-p", "1.5"}, "--top-p: expected a number above 0 and of at most 1");
  for (const std::string beam : {"1", "4", "8"})
    refused({"--sample", "--beam", beam}, "--beam " + beam);
  refused({"--sample", "--beam-groups", "2"}, "--beam-groups 2: belongs to beam search");
  refused({"--beam-groups", "3"}, "--beam-groups: expected a divisor of the beam, 4");
  refused({"--diversity-penalty", "1"},
          "--diversity-penalty: changes nothing without --beam-groups");
  refused({"--min-length", "9", "--max-length", "8"},
          "--min-length: expected at most --max-length");
  refused({"--no-repeat-ngram-size", "-1"},
          "--no-repeat-ngram-size: expected a whole number from 0");
  refused({"--alignments", "words"}, "--alignments words: needs --format jsonl");
  refused({"--alignments", "lines", "--format", "jsonl"}, "--alignments: expected");
  refused({"--sample", "--nbest", "3"}, "--nbest 3: needs --format jsonl");
}

}  // namespace
}  // namespace heed::testing
