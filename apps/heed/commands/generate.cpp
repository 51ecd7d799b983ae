// heed generate: prompts, continued by a language model.
#include <algorithm>
#include <chrono>

#include "commands/commands.h"
#include "commands/lines_page.h"
#include "files/outputs.h"
#include "files/text_files.h"
#include "heed/core/counted.h"
#include "heed/core/json_text.h"
#include "heed/decode/language_model.h"
#include "heed/pages/translation_json.h"
#include "heed/text/text_file.h"

namespace heed {
namespace {

enum class GeneratedFormat { text, jsonl };
constexpr auto enum_names(GeneratedFormat) {
  return std::array<std::pair<std::string_view, GeneratedFormat>, 2>{
      {{"text", GeneratedFormat::text}, {"jsonl", GeneratedFormat::jsonl}}};
}

struct GenerateSettings {
  std::string model, output;
  std::optional<std::string> prompt;
  std::string input;
  LinesPageSettings page;
  GeneratedFormat format = GeneratedFormat::text;
  DecodeOptions decode;

  static void visit(auto& self, auto&& v) {
    v.group("Text");
    v("model", self.model, kModelOption);
    v("prompt", self.prompt,
      {.help = "A prompt to continue, one line of text",
       .value = "TEXT",
       .default_text = "--input"});
    v("input", self.input,
      {.help = "Prompts, plain or .gz, one per line, of which an empty one begins a text; - is "
               "standard input",
       .value = "FILE",
       .default_text = "standard input"});
    v("output", self.output, kOutputOption);
    v("format", self.format,
      {.help = "Output format; text: prompts with their continuations; jsonl: JSON objects with "
               "text, score, status and pieces (its tokens)"});
    LinesPageSettings::visit(self.page, v, LinesPageSettings::kOfSearch);
    DecodeOptions::visit_to_generate(self.decode, v);
  }
};

// The one prompt of --prompt, or the lines of --input.
class Prompts {
 public:
  explicit Prompts(const GenerateSettings& settings) : one_(settings.prompt) {
    if (!one_) lines_.emplace(open_lines(settings.input.empty() ? "-" : settings.input));
  }

  std::optional<TranslationInput> next() {
    if (!lines_) return std::exchange(one_, {});
    std::string line;
    if (!lines_->next(line)) return {};
    if (line.ends_with('\r')) line.pop_back();  // the line ends in CRLF
    return line;
  }
  bool wait(std::chrono::milliseconds time) { return !lines_ || lines_->wait(time); }

 private:
  std::optional<std::string> one_;
  std::optional<LineReader> lines_;
};

// Counts for the summary at the end.
struct GeneratedTally {
  int64_t lines = 0, tokens = 0;
  LineWarnings warnings = {};

  void count(const Translation& generated) {
    const LineStatus& status = generated.status;
    ++lines;
    tokens += int64_t(generated.hypotheses.front().pieces.size());
    warnings.add(
        {{"invalid UTF-8, replaced by U+FFFD (--strict makes it an error)", status.invalid_utf8},
         {"with characters that the training text did not have (--format jsonl lists them)",
          !status.unknown_characters.empty()},
         {"the prompt leaves no room for more (--max-length, --extra-length) and is the result "
          "(--strict makes it an error)",
          status.prefix_too_long}});
  }
};

void check_generate(const GenerateSettings& settings) {
  const int64_t nbest = settings.decode.search.nbest;
  if (nbest > 1 && settings.format == GeneratedFormat::text)
    fail_usage("--nbest {}: needs --format jsonl, since text has one line for each prompt", nbest);
  if (settings.prompt && !settings.input.empty())
    fail_usage("--prompt is one prompt: it contradicts --input");
  if (settings.prompt && settings.prompt->find('\n') != std::string::npos)
    fail_usage("--prompt: expected one line");
  check_options(settings.decode.search);
}

int run_generate(const GenerateSettings& settings, const Words&, Console& console) {
  check_generate(settings);
  const std::string input = settings.prompt ? "" : settings.input.empty() ? "-" : settings.input;
  const std::vector<std::string> read = files_read(settings.model, {{"--input", input}});
  expect_another_file("--output", settings.output, read);
  LinesPage page(settings.page, read, console, settings.output);
  const LanguageModel model(settings.model, {settings.decode.compute, settings.decode.device});
  Prompts prompts(settings);
  TextOutput output(settings.output, console);
  GeneratedTally tally;
  const auto emit = [&](const Translation& generated) {
    tally.count(generated);
    std::string line = generated.hypotheses.front().text;
    std::ranges::replace(line, '\n', ' ');  // a prompt has one line
    if (settings.format == GeneratedFormat::jsonl)
      line = json_text(generation_json(generated, settings.decode.search));
    output.write(line + "\n");
    output.flush();  // a reader may be waiting for this line
  };
  const auto start = std::chrono::steady_clock::now();
  model.generator(settings.decode)
      .translate(
          [&] {
            auto prompt = prompts.next();
            if (prompt) page.add(*prompt);
            return prompt;
          },
          emit, [&](std::chrono::milliseconds time) { return prompts.wait(time); });
  output.commit();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const std::string all_lines = detail::counted(tally.lines, "prompt");
  tally.warnings.print(console, all_lines);
  console.note(fmt::format("{}, {} in {:.2f} s: {:.0f} tokens/s on {}", all_lines,
                           detail::counted(tally.tokens, "token"), seconds.count(),
                           double(tally.tokens) / seconds.count(), model.backend().name()));
  page.write(model, settings.model, settings.decode, tally.lines);
  return 0;
}

}  // namespace

Command make_generate_command() {
  return with_settings(
      run_generate,
      {.name = "generate",
       .summary = "Continues prompts with a language model",
       .description =
           "Prints one line for each prompt, in order: the prompt, byte for byte, and what the "
           "model (of heed train --task language-model, or a published GPT-2) continues it with; a "
           "line end within a continuation is printed as a space. Searches for the most "
           "probable continuation, or draws one with --sample. A result depends on the prompt, the "
           "model and the search options alone.",
       .memory_advice = "a smaller --batch-tokens, fewer --threads or a smaller --beam take less"});
}

}  // namespace heed
