// heed translate: one translation per line.
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <chrono>
#include <optional>
#include <span>

#include "commands/commands.h"
#include "commands/lines_page.h"
#include "files/lost_sentences.h"
#include "files/outputs.h"
#include "files/reverse_model.h"
#include "files/text_files.h"
#include "heed/core/counted.h"
#include "heed/core/json_text.h"
#include "heed/core/utf8.h"
#include "heed/decode/line_processor.h"
#include "heed/decode/model.h"
#include "heed/documents/document_translation.h"
#include "heed/model/sequence_model.h"
#include "heed/pages/translation_json.h"
#include "heed/text/text_file.h"

namespace heed {
namespace {

// Lines, or documents of the formats of these names.
enum class TextFormat { text, jsonl, html, json, markdown, po, rst, srt, xliff, xml };
constexpr auto enum_names(TextFormat) {
  return std::array<std::pair<std::string_view, TextFormat>, 10>{
      {{"text", TextFormat::text},
       {"jsonl", TextFormat::jsonl},
       {"html", TextFormat::html},
       {"json", TextFormat::json},
       {"markdown", TextFormat::markdown},
       {"po", TextFormat::po},
       {"rst", TextFormat::rst},
       {"srt", TextFormat::srt},
       {"xliff", TextFormat::xliff},
       {"xml", TextFormat::xml}}};
}

// The format of which a file's name has the ending, or an empty text.
std::string_view format_of_name(const std::string& file) {
  static constexpr std::pair<std::string_view, std::string_view> kEndings[] = {
      {".html", "html"}, {".htm", "html"},    {".json", "json"}, {".md", "markdown"},
      {".po", "po"},     {".pot", "po"},      {".rst", "rst"},   {".srt", "srt"},
      {".xlf", "xliff"}, {".xliff", "xliff"}, {".xml", "xml"}};
  for (const auto& [ending, format] : kEndings)
    if (file.ends_with(ending)) return format;
  return {};
}

struct TranslateSettings {
  std::string model, input, target_prefix, terms, reverse_model, output;
  LinesPageSettings page;
  TextFormat format = TextFormat::text;
  Alignments alignments = Alignments::none;
  std::optional<double> min_confidence;
  DecodeOptions decode;

  static void visit(auto& self, auto&& v) {
    v.group("Text");
    v("model", self.model, kModelOption);
    v("input", self.input,
      {.help = "Text to translate, plain or .gz, one sentence per line; - is standard input",
       .value = "FILE",
       .default_text = "standard input"});
    v("target_prefix", self.target_prefix,
      {.help = "Forced prefix of each translation, one per line; an empty line forces none; - is "
               "standard input",
       .value = "FILE"});
    v("terms", self.terms,
      {.help =
           "Words of the text and what they must be called: tab-separated lines of a source, its "
           "forms in the translation separated by |, and optionally any or exact (whether "
           "capitals count), hard, and a note. The translation of each has one of its forms",
       .value = "FILE"});
    v("output", self.output, kOutputOption);
    v("format", self.format,
      {.help =
           "text: lines, and their translations; jsonl: lines, and JSON objects with "
           "translation, score, status and pieces (its tokens); others: a document, of which the "
           "text is translated, with its tags around the words that they wrapped"});
    v("alignments", self.alignments,
      {.help =
           "Alignment to add to the JSON objects, from cross-attention: pairs of source and target "
           "words (characters in text without spaces) or tokens, or the attention weights"});
    v("min_confidence", self.min_confidence,
      {.help =
           "Mark translations for a person that are good with a lower probability than this, of a "
           "model that heed calibrate measured: status doubtful with --format jsonl, fuzzy in PO; "
           "text ends with their line numbers",
       .default_text = "none",
       .minimum = 0,
       .maximum = 1});
    v("reverse_model", self.reverse_model,
      {.help = "A model that translates back, for a better confidence: the one of heed calibrate "
               "--reverse-model",
       .value = "DIR"});
    LinesPageSettings::visit(self.page, v, LinesPageSettings::kOfSearch);
    DecodeOptions::visit(self.decode, v);
  }
};

// Counts for the summary at the end.
struct Tally {
  int64_t lines = 0, tokens = 0;
  LineWarnings warnings = {};
  std::vector<int64_t> doubtful = {};  // lines, from 1

  void count(const Translation& translation) {
    const LineStatus& status = translation.status;
    ++lines;
    tokens += int64_t(translation.hypotheses.front().pieces.size());
    if (status.doubtful) doubtful.push_back(translation.line + 1);
    warnings.add(
        {{"invalid UTF-8, replaced by U+FFFD (--strict makes it an error)", status.invalid_utf8},
         {"with characters that the training text did not have (--format jsonl lists them); "
          "sentences of these alone are copied",
          !status.unknown_characters.empty()},
         {"where a placeholder, address or character that the model left out or changed was put "
          "into its place (--protect)",
          status.restored},
         {"good with a lower probability than --min-confidence (--format jsonl, po and xliff mark "
          "them)",
          status.doubtful},
         {"without a term of --terms (--format jsonl says which, and why)", status.terms_missed},
         {"too long for the model, translated in parts", status.split},
         {"a character has more tokens than the model has positions for, truncated",
          status.truncated},
         {"the forced prefix leaves no room for more (--max-length, --extra-length) and is the "
          "translation (--strict makes it an error)",
          status.prefix_too_long},
         {"the translation ended without </s> (--max-length, --extra-length)", status.unfinished}});
  }
};

// Lines and their prefixes, of which there must be equally many.
class Source {
 public:
  Source(LineReader text, std::optional<LineReader> prefixes)
      : text_(std::move(text)), prefixes_(std::move(prefixes)) {}

  std::optional<TranslationInput> next() {
    std::string line, prefix;
    const bool more = text_.next(line);
    if (prefixes_ && prefixes_->next(prefix) != more) {
      const bool lacking = more;
      fail(
          "{} has {} and {} has more: expected a prefix for each line; an empty prefix forces "
          "nothing",
          (lacking ? *prefixes_ : text_).name(), detail::counted(lines_, "line"),
          (lacking ? text_ : *prefixes_).name());
    }
    if (!more) return std::nullopt;
    ++lines_;
    return TranslationInput(std::move(line), std::move(prefix));
  }

  bool wait(std::chrono::milliseconds time) {
    return text_.wait(time) && (!prefixes_ || prefixes_->wait(time));
  }

 private:
  LineReader text_;
  std::optional<LineReader> prefixes_;
  int64_t lines_ = 0;
};

// A reader of a text that can be read twice: of a regular file, also as standard input. Standard
// input is read from where it is, which does not change.
std::optional<LineReader> open_twice(const std::string& path) {
  struct stat status {};
  const bool found = (path == "-" ? ::fstat(0, &status) : ::stat(path.c_str(), &status)) == 0;
  if (!found || !S_ISREG(status.st_mode)) return std::nullopt;
  LineReader reader = TextFile(path).lines();
  reader.refuse_utf16();
  return reader;
}

// Errors of single lines, of texts that can be read twice: so that they are known before anything
// is translated, and no translation is lost.
void check_lines(const std::string& input, const std::string& prefixes, const Model& model,
                 const DecodeOptions& options) {
  const ModelParts parts = model.parts();
  const LineProcessor processor(parts.tokenizers, parts.model.config());
  if (processor.languages().empty() && prefixes.empty() && !options.strict) return;
  std::optional<LineReader> text = open_twice(input);
  if (!text) return;
  Source source(std::move(*text), prefixes.empty() ? std::nullopt : open_twice(prefixes));
  for (int64_t line = 0; const std::optional<TranslationInput> one = source.next(); ++line) {
    const bool may_fail =
        options.strict ? !one->prefix.empty() || find_invalid_utf8(one->text)
                       : options.split == TextUnit::sentences && !processor.languages().empty();
    if (may_fail)
      processor.preprocess(*one, line, options);
    else
      processor.languages().of(one->text, line, "input");
  }
}

void check_settings(const TranslateSettings& settings) {
  const int64_t nbest = settings.decode.search.nbest;
  const bool text = settings.format != TextFormat::jsonl;
  if (nbest > 1 && text)
    fail_usage("--nbest {}: needs --format jsonl, since text has one line for each line", nbest);
  if (settings.alignments != Alignments::none && text)
    fail_usage("--alignments {}: needs --format jsonl, since text is translations alone",
               to_text(settings.alignments));
  check_options(settings.decode.search);
  const std::string format = to_text(settings.format);
  if (!document_format(format)) return;
  if (!settings.target_prefix.empty())
    fail_usage("--target-prefix is for lines: it contradicts --format {}", format);
  if (!settings.page.html.empty())
    fail_usage("--html shows lines and their attention: it contradicts --format {}", format);
  if (settings.decode.split != DecodeOptions().split)
    fail_usage("--split is for lines: --format {} translates sentences", format);
}

// With the terms, which are read.
DecodeOptions decode_options(const TranslateSettings& settings) {
  DecodeOptions options = settings.decode;
  options.min_confidence = settings.min_confidence;
  if (!settings.terms.empty())
    options.terms = std::make_shared<const TermList>(TermList::load(settings.terms));
  options.protected_kinds =
      std::make_shared<const ProtectedKinds>(ProtectedKinds::with_files(options.protect));
  check_options(options);
  return options;
}

// "doubtful lines: 3, 7, 12".
std::string list_of(const std::vector<int64_t>& lines) {
  constexpr size_t kMaxLines = 100;
  const std::span<const int64_t> first = std::span(lines).first(std::min(lines.size(), kMaxLines));
  const std::string rest =
      lines.size() > kMaxLines
          ? fmt::format(" and {} more (--format jsonl marks all)", lines.size() - kMaxLines)
          : "";
  return fmt::format("doubtful lines: {}{}", fmt::join(first, ", "), rest);
}

void print_summary(const Tally& tally, const std::string& unit,
                   const std::chrono::duration<double>& seconds, const Model& model,
                   Console& console) {
  const std::string all = detail::counted(tally.lines, unit);
  tally.warnings.print(console, all);
  console.note(fmt::format("{}, {} in {:.2f} s: {:.0f} tokens/s on {}", all,
                           detail::counted(tally.tokens, "token"), seconds.count(),
                           double(tally.tokens) / seconds.count(), model.backend().name()));
}

int translate_file(const TranslateSettings& settings, DocumentFormat format, Console& console) {
  const std::string input = settings.input.empty() ? "-" : settings.input;
  expect_another_file(
      "--output", settings.output,
      files_read(settings.model, {{"--input", input}, {"--terms", settings.terms}}));
  DecodeOptions options = decode_options(settings);
  LineReader reader = open_lines(input);
  reader.keep_byte_order_mark();
  const std::string name = reader.name();
  const FormattedDocument document(read_text(std::move(reader)), format, name);
  const Computation computation(settings.decode.compute, settings.decode.device);
  const Model model(settings.model, computation);
  options.reverse = open_reverse_model(settings.reverse_model, computation, model, settings.model);
  TextOutput output(settings.output, console);
  Tally tally;
  const auto start = std::chrono::steady_clock::now();
  output.write(translate_document(model, document, options,
                                  [&](const Translation& one) { tally.count(one); }));
  output.commit();
  print_summary(tally, "text", std::chrono::steady_clock::now() - start, model, console);
  return 0;
}

int run_translate(const TranslateSettings& settings, const Words&, Console& console) {
  check_settings(settings);
  if (const auto format = document_format(to_text(settings.format)))
    return translate_file(settings, *format, console);
  DecodeOptions options = decode_options(settings);
  options.attention = settings.alignments != Alignments::none;
  const std::string input = settings.input.empty() ? "-" : settings.input;
  if (const std::string_view format = format_of_name(input); !format.empty())
    console.warn(
        fmt::format("{} is read as lines of text; --format {} translates the text of a document",
                    input, format));
  const std::vector<std::string> read =
      files_read(settings.model, {{"--input", input},
                                  {"--target-prefix", settings.target_prefix},
                                  {"--terms", settings.terms}});
  expect_another_file("--output", settings.output, read);
  LinesPage page(settings.page, read, console, settings.output);
  std::optional<LineReader> prefixes;
  if (!settings.target_prefix.empty()) prefixes = open_lines(settings.target_prefix);
  Source source(open_lines(input), std::move(prefixes));
  const Computation computation(settings.decode.compute, settings.decode.device);
  const Model model(settings.model, computation);
  options.reverse = open_reverse_model(settings.reverse_model, computation, model, settings.model);
  check_lines(input, settings.target_prefix, model, options);
  TextOutput output(settings.output, console);

  Tally tally;
  LostSentences lost(options.split);
  const TranslationFields fields{.alignments = settings.alignments,
                                 .nbest = options.search.nbest > 1};
  const auto emit = [&](const Translation& translation) {
    tally.count(translation);
    lost.add_translation(translation.hypotheses.front().text);
    std::string line = translation.hypotheses.front().text;
    if (settings.format == TextFormat::jsonl) {
      nlohmann::ordered_json object;
      add_translation(translation, fields, object);
      line = json_text(object);
    }
    output.write(line + "\n");
    output.flush();  // a reader may be waiting for this line
  };
  const auto start = std::chrono::steady_clock::now();
  model.translator(options).translate(
      [&] {
        auto line = source.next();
        if (line) lost.add_source(line->text), page.add(*line);
        return line;
      },
      emit, [&](std::chrono::milliseconds time) { return source.wait(time); });
  output.commit();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (const std::string warning = lost.warning(); !warning.empty()) console.warn(warning);
  if (settings.format == TextFormat::text && !tally.doubtful.empty())
    console.warn(list_of(tally.doubtful));
  print_summary(tally, "line", seconds, model, console);
  page.write(model, settings.model, options, tally.lines);
  return 0;
}

}  // namespace

Command make_translate_command() {
  return with_settings(
      run_translate,
      {.name = "translate",
       .summary = "Translates lines of text",
       .description =
           "Prints one translation for each line, in order, and translates the lines that have "
           "arrived rather than wait for a full batch. A translation depends on the line, the "
           "model and the search options alone. An empty line gives an empty one; a line too long "
           "for the model is translated in parts (status \"split\" with --format jsonl). With "
           "--format html, xliff, po or another the input is a document, and so is the output.",
       .memory_advice = "a smaller --batch-tokens, fewer --threads or shorter lines take less"});
}

}  // namespace heed
