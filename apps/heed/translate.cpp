// heed translate: lines in, lines out.
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "command.h"
#include "heed/core/files.h"
#include "heed/decode/model.h"
#include "heed/text/lines.h"

namespace heed {
namespace {

enum class OutputFormat { text, jsonl };
constexpr auto enum_names(OutputFormat) {
  return std::array<std::pair<std::string_view, OutputFormat>, 2>{
      {{"text", OutputFormat::text}, {"jsonl", OutputFormat::jsonl}}};
}

struct TranslateSettings {
  std::string model, input, output;
  OutputFormat format = OutputFormat::text;
  DecodeOptions decode;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v.group("Text");
    v("model", self.model, {.help = "Model directory", .value = "DIR", .required = true});
    v("input", self.input,
      {.help = "Text to translate, plain or .gz, one sentence a line",
       .value = "FILE",
       .default_text = "standard input"});
    v("output", self.output,
      {.help = "Where to; the file appears when it is complete",
       .value = "FILE",
       .default_text = "standard output"});
    v("format", self.format,
      {.help = "Translations alone, or JSON objects with translation, score, status and pieces"});
    DecodeOptions::visit(self.decode, v);
  }
};

// What came out of the ordinary, for one line at the end.
struct Tally {
  int64_t lines = 0, tokens = 0, split = 0, cut = 0, repaired = 0;

  void count(const Translation& translation) {
    const LineStatus& status = translation.status;
    ++lines;
    tokens += int64_t(translation.alternatives.front().pieces.size());
    split += status.split;
    cut += status.cut;
    repaired += status.repaired;
  }

  void tell(const Console& console) const {
    const auto warn = [&](int64_t count, const char* what) {
      if (count > 0) console.warn(fmt::format("{} of {} lines {}", count, lines, what));
    };
    warn(repaired, "are not UTF-8: broken bytes were read as U+FFFD (--strict refuses them)");
    warn(split, "are too long for the model and were translated in parts");
    warn(cut, "reached the greatest length without an end (--max-length, --extra-length)");
  }
};

nlohmann::ordered_json json_of(const Alternative& alternative) {
  return {{"translation", alternative.text},
          {"score", alternative.score},
          {"pieces", alternative.pieces}};
}

std::string json_line(const Translation& translation, int64_t nbest) {
  nlohmann::ordered_json object = json_of(translation.alternatives.front());
  object["status"] = translation.status.text();
  if (nbest > 1) {
    for (const Alternative& a : translation.alternatives) object["nbest"].push_back(json_of(a));
  }
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class TranslateCommand : public CommandOf<TranslateSettings> {
 public:
  std::string name() const override { return "translate"; }
  std::string summary() const override { return "Translates lines of text"; }
  std::string description() const override {
    return "Gives one line for each line, in order, as soon as the input pauses. A line's "
           "translation depends on the line, the model and the search options alone. An empty line "
           "gives an empty one; a line too long for the model is translated in parts, as its "
           "status "
           "says.";
  }

  int run(const std::vector<std::string>&, Console& console) override {
    const int64_t nbest = settings_.decode.search.nbest;
    if (nbest > 1 && settings_.format == OutputFormat::text) {
      fail_usage("--nbest {}: needs --format jsonl, since text has one line for each line", nbest);
    }
    LineReader reader =
        settings_.input.empty() ? LineReader(0, "standard input") : LineReader(settings_.input);
    const Model model(settings_.model, settings_.decode.compute);
    std::optional<AtomicFile> file;
    if (!settings_.output.empty()) file.emplace(settings_.output);

    Tally tally;
    const auto emit = [&](const Translation& translation) {
      tally.count(translation);
      const std::string line = settings_.format == OutputFormat::jsonl
                                   ? json_line(translation, nbest)
                                   : translation.alternatives.front().text;
      if (file) {
        file->write(line + "\n");
        return;
      }
      console.out().write(line + "\n");
      console.out().flush();  // a reader may be waiting for this very line
    };
    const auto next = [&]() -> std::optional<std::string> {
      std::string line;
      if (!reader.next(line)) return std::nullopt;
      return line;
    };
    const auto start = std::chrono::steady_clock::now();
    model.translator(settings_.decode).translate(next, emit);
    if (file) file->commit();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    tally.tell(console);
    console.note(fmt::format("{} lines, {} tokens in {:.2f} s: {:.0f} tokens/s on {}", tally.lines,
                             tally.tokens, seconds.count(), double(tally.tokens) / seconds.count(),
                             model.backend().name()));
    return 0;
  }
};

}  // namespace

std::unique_ptr<Command> make_translate_command() {
  return std::make_unique<TranslateCommand>();
}

}  // namespace heed
