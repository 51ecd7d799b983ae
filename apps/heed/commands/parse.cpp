// heed parse: sentences to trees.
#include <chrono>

#include "commands/commands.h"
#include "commands/lines_page.h"
#include "files/outputs.h"
#include "files/text_files.h"
#include "heed/core/counted.h"
#include "heed/core/json_text.h"
#include "heed/decode/parser.h"
#include "heed/pages/translation_json.h"
#include "heed/text/linear_tree.h"
#include "heed/text/text_file.h"

namespace heed {
namespace {

enum class ParseFormat { text, jsonl };
constexpr auto enum_names(ParseFormat) {
  return std::array<std::pair<std::string_view, ParseFormat>, 2>{
      {{"text", ParseFormat::text}, {"jsonl", ParseFormat::jsonl}}};
}

struct ParseSettings {
  std::string model, input, trees, output;
  LinesPageSettings page;
  ParseFormat format = ParseFormat::text;
  DecodeOptions decode;

  static void visit(auto& self, auto&& v) {
    v.group("Text");
    v("model", self.model, kModelOption);
    v("input", self.input,
      {.help = "Sentences to parse, plain or .gz, one per line, their words separated by spaces; - "
               "is standard input",
       .value = "FILE",
       .default_text = "standard input"});
    v("trees", self.trees,
      {.help = "Parse the words of these trees, one per line, instead of --input",
       .value = "FILE",
       .default_text = "none"});
    v("output", self.output, kOutputOption);
    v("format", self.format,
      {.help = "Output format; text: trees; jsonl: JSON objects with tree, score, status and "
               "pieces (the symbols of the tree)"});
    LinesPageSettings::visit(self.page, v, LinesPageSettings::kOfSearch);
    DecodeOptions::visit_to_parse(self.decode, v);
  }
};

void check_parse(const ParseSettings& settings) {
  const int64_t nbest = settings.decode.search.nbest;
  if (nbest > 1 && settings.format == ParseFormat::text)
    fail_usage("--nbest {}: needs --format jsonl, since text has one tree for each line", nbest);
  if (!settings.trees.empty() && !settings.input.empty())
    fail_usage("--trees has the sentences: it contradicts --input");
  check_options(settings.decode.search);
}

LineReader open_sentences(const ParseSettings& settings) {
  if (settings.trees.empty()) return open_lines(settings.input.empty() ? "-" : settings.input);
  return words_and_symbols(TextFile(settings.trees), FunctionTags::drop).first.lines();
}

void warn_of_sentence(const LineStatus& status, LineWarnings& warnings) {
  warnings.add(
      {{"invalid UTF-8, replaced by U+FFFD (--strict makes it an error)", status.invalid_utf8},
       {"with characters that the training text did not have (--format jsonl lists them)",
        !status.unknown_characters.empty()},
       {"too long for the model, parsed in parts", status.split},
       {"with a word too long for the model, which reads its beginning", status.truncated}});
}

int run_parse(const ParseSettings& settings, const Words&, Console& console) {
  check_parse(settings);
  const std::string input = settings.input.empty() ? "-" : settings.input;
  const std::vector<std::string> read =
      files_read(settings.model, {settings.trees.empty() ? NamedInput{"--input", input}
                                                         : NamedInput{"--trees", settings.trees}});
  expect_another_file("--output", settings.output, read);
  LinesPage page(settings.page, read, console, settings.output);
  const Parser model(settings.model, {settings.decode.compute, settings.decode.device});
  LineReader sentences = open_sentences(settings);
  TextOutput output(settings.output, console);
  LineWarnings warnings;
  int64_t lines = 0, symbols = 0;
  const auto next = [&]() -> std::optional<TranslationInput> {
    std::string line;
    if (!sentences.next(line)) return {};
    page.add(line);
    return line;
  };
  const auto emit = [&](const Translation& parsed) {
    ++lines, symbols += int64_t(parsed.hypotheses.front().pieces.size());
    warn_of_sentence(parsed.status, warnings);
    std::string line = parsed.hypotheses.front().text;
    if (settings.format == ParseFormat::jsonl)
      line = json_text(tree_json(parsed, settings.decode.search));
    output.write(line + "\n");
    output.flush();  // a reader may be waiting for this line
  };
  const auto start = std::chrono::steady_clock::now();
  model.parser(settings.decode).translate(next, emit, [&](std::chrono::milliseconds time) {
    return sentences.wait(time);
  });
  output.commit();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const std::string all_lines = detail::counted(lines, "sentence");
  warnings.print(console, all_lines);
  console.note(fmt::format("{}, {} in {:.2f} s: {:.0f} symbols/s on {}", all_lines,
                           detail::counted(symbols, "symbol"), seconds.count(),
                           double(symbols) / seconds.count(), model.backend().name()));
  page.write(model, settings.model, settings.decode, lines);
  return 0;
}

}  // namespace

Command make_parse_command() {
  return with_settings(
      run_parse,
      {.name = "parse",
       .summary = "Parses sentences into trees",
       .description =
           "Prints one tree for each sentence, in order, over exactly its words, which white space "
           "separates: (ROOT (NP (DT the) (NN cat))). Round brackets in words become -LRB- and "
           "-RRB-. The model is one of heed train --task parse. A tree depends on the sentence, "
           "the model and the search options alone. An empty line gives an empty one; a sentence "
           "too long for the model is parsed in parts under one root (status \"split\" with "
           "--format jsonl).",
       .memory_advice = "a smaller --batch-tokens, fewer --threads or a smaller --beam take less"});
}

}  // namespace heed
