// heed evaluate: scores of translations against references.
#include <nlohmann/json.hpp>

#include "command.h"
#include "heed/evaluate/bleu.h"
#include "heed/evaluate/chrf.h"
#include "loaded_model.h"
#include "text_files.h"

namespace heed {

// For the option's visit: the names that evaluate/ gives.
inline auto enum_names(BleuTokenizer) {
  using Pair = std::pair<std::string_view, BleuTokenizer>;
  const auto named = [](BleuTokenizer tokenizer) { return Pair(name(tokenizer), tokenizer); };
  return std::array<Pair, 3>{named(BleuTokenizer::mteval_13a), named(BleuTokenizer::none),
                             named(BleuTokenizer::character)};
}

namespace {

struct EvaluateSettings {
  std::string hypothesis;
  std::string model, source;
  std::vector<std::string> reference;
  std::string metrics = "bleu";
  BleuTokenizer tokenize = BleuTokenizer::mteval_13a;
  bool lowercase = false;
  bool json = false;
  DecodeOptions decode;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v.group("Text");
    v("hypothesis", self.hypothesis,
      {.help = "Translations to score, one a line; - is standard input", .value = "FILE"});
    v("model", self.model,
      {.help = "Instead of --hypothesis: translate --source with this model first",
       .value = "DIR"});
    v("source", self.source, {.help = "Text to translate with --model", .value = "FILE"});
    v("reference", self.reference,
      {.help = "Right translations, one a line; several files are several references",
       .value = "FILE",
       .required = true});
    v.group("Metrics");
    v("metrics", self.metrics,
      {.help = "Which, with commas between: bleu, chrf (chrF2), chrf++ (chrF2++)",
       .value = "LIST"});
    v("tokenize", self.tokenize, {.help = "How BLEU cuts lines into tokens"});
    v("lowercase", self.lowercase, {.help = "Take capital and small letters as equal"});
    v.group("Output");
    v("json", self.json, {.help = "Print a JSON list of name, score and signature"});
    DecodeOptions::visit(self.decode, v);
  }
};

// What one metric found: for a program, and for a reader.
struct Report {
  MetricScore score;
  std::string line;
};

template <class Score>
Report report(const Score& score) {
  return {score.metric(), score.line()};
}

std::vector<std::string> split_names(const std::string& list) {
  std::vector<std::string> names{""};
  for (const char c : list) {
    if (c == ',') {
      names.emplace_back();
    } else if (c != ' ') {
      names.back() += c;
    }
  }
  return names;
}

class EvaluateCommand : public CommandOf<EvaluateSettings> {
 public:
  std::string name() const override { return "evaluate"; }
  std::string summary() const override { return "Scores translations against references"; }
  std::string description() const override {
    return "Scores are equal to those of sacreBLEU 2.6 to every digit that it prints, and carry "
           "its "
           "signature.";
  }

  int run(const std::vector<std::string>&, Console& console) override {
    check_metrics();
    check_text();
    const bool translates = settings_.hypothesis.empty();
    const std::string& path = translates ? settings_.source : settings_.hypothesis;
    Lines lines = read_lines(path);
    const std::vector<Lines> references = read_references(path, lines.size());
    if (translates) {
      const auto model = open_model(settings_.model, settings_.decode.compute);
      console.note(fmt::format("translating {} lines on {}", lines.size(), model->backend->name()));
      lines = best_translations(model->translator(settings_.decode), lines);
    }
    print(score(lines, references), console.out());
    return 0;
  }

 private:
  void check_text() const {
    const bool both = !settings_.model.empty() && !settings_.source.empty();
    const bool either = !settings_.model.empty() || !settings_.source.empty();
    if (settings_.hypothesis.empty() ? !both : either) {
      fail_usage("give either --hypothesis, or --model and --source to translate first");
    }
  }

  // Every reference must have as many lines as the text at `path`.
  std::vector<Lines> read_references(const std::string& path, size_t lines) const {
    std::vector<Lines> references;
    for (const std::string& reference : settings_.reference) {
      references.push_back(read_lines(reference));
      if (references.back().size() != lines) {
        fail("{} has {} lines and {} has {}: line i of both must belong to the same sentence", path,
             lines, reference, references.back().size());
      }
    }
    return references;
  }

  void check_metrics() const {
    const std::vector<std::string> known{"bleu", "chrf", "chrf++"};
    for (const std::string& metric : split_names(settings_.metrics)) {
      if (std::find(known.begin(), known.end(), metric) == known.end()) {
        fail_usage("--metrics: expected bleu, chrf or chrf++, got '{}'", metric);
      }
    }
  }

  std::vector<Report> score(const Lines& hypotheses, const std::vector<Lines>& references) const {
    std::vector<Report> reports;
    for (const std::string& metric : split_names(settings_.metrics)) {
      if (metric == "bleu") {
        reports.push_back(
            report(bleu(hypotheses, references, {settings_.tokenize, settings_.lowercase})));
      } else {
        reports.push_back(
            report(chrf(hypotheses, references,
                        {metric == "chrf++" ? kChrfWordOrder : 0, settings_.lowercase})));
      }
    }
    return reports;
  }

  void print(const std::vector<Report>& reports, Output& out) const {
    auto list = nlohmann::ordered_json::array();
    for (const auto& [score, line] : reports) {
      list.push_back(
          {{"name", score.name}, {"score", score.score}, {"signature", score.signature}});
      if (!settings_.json) out.write(fmt::format("{}\n  {}\n", line, score.signature));
    }
    if (settings_.json) out.write(list.dump() + "\n");
  }
};

}  // namespace

std::unique_ptr<Command> make_evaluate_command() {
  return std::make_unique<EvaluateCommand>();
}

}  // namespace heed
