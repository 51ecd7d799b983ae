// heed score: log-probabilities of given translations.
#include <chrono>
#include <cmath>
#include <optional>

#include "commands/commands.h"
#include "commands/shared_options.h"
#include "files/text_files.h"
#include "files/text_output.h"
#include "heed/core/counted.h"
#include "heed/core/json_text.h"
#include "heed/decode/model.h"
#include "heed/text/text_file.h"

namespace heed {
namespace {

enum class ScoreFormat { text, tokens, jsonl, corpus };
constexpr auto enum_names(ScoreFormat) {
  return std::array<std::pair<std::string_view, ScoreFormat>, 4>{{{"text", ScoreFormat::text},
                                                                  {"tokens", ScoreFormat::tokens},
                                                                  {"jsonl", ScoreFormat::jsonl},
                                                                  {"corpus", ScoreFormat::corpus}}};
}

struct ScoreSettings {
  std::string model, source, target, output;
  ScoreFormat format = ScoreFormat::text;
  ScoreOptions score;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v.group("Text");
    v("model", self.model, kModelOption);
    v("source", self.source,
      {.help = "Source text, plain or .gz, one sentence per line; - is standard input",
       .value = "FILE",
       .required = true});
    v("target", self.target,
      {.help = "Translation of --source, line by line; - is standard input",
       .value = "FILE",
       .required = true});
    v("output", self.output, kOutputOption);
    v("format", self.format,
      {.help =
           "Output format; text: log-probability of each pair; tokens: the same, a tab, and each "
           "token with its log-probability; jsonl: the same and a status as JSON objects; corpus: "
           "one JSON object for the whole text"});
    ScoreOptions::visit(self.score, v);
  }
};

std::string text_line(const PairScore& pair) {
  return fmt::format("{:.6f}", pair.log_probability);
}

std::string tokens_line(const PairScore& pair) {
  std::string line = text_line(pair);
  for (size_t i = 0; i < pair.pieces.size(); ++i)
    line +=
        fmt::format("{}{} {:.6f}", i == 0 ? '\t' : ' ', pair.pieces[i], pair.log_probabilities[i]);
  return line;
}

std::string one_line_of(const nlohmann::ordered_json& object) {
  return json_text(object);
}

std::string json_line(const PairScore& pair) {
  return one_line_of({{"log_probability", pair.log_probability},
                      {"tokens", pair.pieces.size()},
                      {"status", pair.status.text()},
                      {"pieces", pair.pieces},
                      {"log_probabilities", pair.log_probabilities}});
}

std::string json_line(const CorpusScore& corpus) {
  return one_line_of({{"pairs", corpus.pairs},
                      {"skipped", corpus.skipped},
                      {"tokens", corpus.tokens},
                      {"log_probability", corpus.log_probability},
                      {"loss", corpus.loss()},
                      {"perplexity", corpus.perplexity()}});
}

// Both texts, pair by pair; an Error at the end of the shorter one if they differ in length: the
// other may be endless.
class PairSource {
 public:
  explicit PairSource(const ScoreSettings& settings)
      : settings_(settings),
        source_(open_lines(settings.source)),
        target_(open_lines(settings.target)) {}

  std::optional<TextPair> next() {
    TextPair pair;
    const bool has_source = source_.next(pair.source), has_target = target_.next(pair.target);
    if (has_source && has_target) {
      ++pairs_;
      return pair;
    }
    if (has_source) fail_unequal_lines({settings_.target, pairs_}, settings_.source);
    if (has_target) fail_unequal_lines({settings_.source, pairs_}, settings_.target);
    return {};
  }

 private:
  const ScoreSettings& settings_;
  LineReader source_, target_;
  size_t pairs_ = 0;
};

// Counts of pairs by status, and the score of the corpus.
class Summary {
 public:
  void count(const PairScore& pair) {
    corpus_ += pair;
    empty_ += pair.status.empty;
    truncated_ += pair.status.truncated;
    invalid_utf8_ += pair.status.invalid_utf8;
  }

  const CorpusScore& corpus() const { return corpus_; }

  void print(const Console& console, double seconds, const std::string& backend) const {
    const int64_t lines = corpus_.pairs + corpus_.skipped;
    const auto warn = [&](int64_t count, const char* what) {
      if (count > 0)
        console.warn(fmt::format("{} of {}: {}", count, detail::counted(lines, "pair"), what));
    };
    warn(invalid_utf8_, "invalid UTF-8, replaced by U+FFFD (--strict makes it an error)");
    warn(empty_, "an empty side, excluded from the corpus score");
    warn(truncated_, "too long for the model, truncated and excluded from the corpus score");
    if (corpus_.tokens > 0)
      console.note(fmt::format("loss {:.4f}, perplexity {:.4f} of {} in {}", corpus_.loss(),
                               corpus_.perplexity(), detail::counted(corpus_.tokens, "token"),
                               detail::counted(corpus_.pairs, "pair")));
    console.note(fmt::format("{} in {:.2f} s: {:.0f} target tokens/s on {}",
                             detail::counted(lines, "pair"), seconds,
                             double(corpus_.tokens) / seconds, backend));
  }

 private:
  CorpusScore corpus_;
  int64_t empty_ = 0, truncated_ = 0, invalid_utf8_ = 0;
};

class ScoreCommand : public CommandOf<ScoreSettings> {
 public:
  std::string name() const override { return "score"; }
  std::string summary() const override { return "Prints log-probabilities of given translations"; }
  std::string description() const override {
    return "Prints one line for each pair of lines, in order: the natural logarithm of the "
           "probability of the target and </s>, given the source. Ends with the cross entropy "
           "per token (without label smoothing) and the perplexity of the corpus; the perplexity "
           "is the one that heed train reports for validation. A pair's score depends on the pair "
           "and the model alone. A pair with an empty side, or "
           "with more tokens than the model has positions for, gets a line too (--format jsonl "
           "has its status), but is excluded from the corpus score.";
  }

  std::string memory_advice() const override {
    return "a smaller --batch-tokens or fewer --threads take less";
  }

  int run(const std::vector<std::string>&, Console& console) override {
    expect_distinct_streams({{"--source", settings_.source}, {"--target", settings_.target}});
    std::vector<std::string> read = files_of_model(settings_.model);
    read.insert(read.end(), {settings_.source, settings_.target});
    expect_another_file("--output", settings_.output, read);
    PairSource pairs(settings_);
    const Model model(settings_.model, settings_.score.compute);
    TextOutput output(settings_.output, console);
    const auto write = [&](const std::string& line) { output.write(line + "\n"); };

    Summary summary;
    const auto start = std::chrono::steady_clock::now();
    model.scorer(settings_.score)
        .score([&] { return pairs.next(); },
               [&](const PairScore& pair) {
                 summary.count(pair);
                 if (settings_.format != ScoreFormat::corpus) write(line(pair));
               });
    if (settings_.format == ScoreFormat::corpus) write(json_line(summary.corpus()));
    output.commit();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    summary.print(console, seconds.count(), model.backend().name());
    return 0;
  }

 private:
  std::string line(const PairScore& pair) const {
    switch (settings_.format) {
      case ScoreFormat::tokens:
        return tokens_line(pair);
      case ScoreFormat::jsonl:
        return json_line(pair);
      default:
        return text_line(pair);
    }
  }
};

}  // namespace

std::unique_ptr<Command> make_score_command() {
  return std::make_unique<ScoreCommand>();
}

}  // namespace heed
