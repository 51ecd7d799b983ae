// heed tag and heed classify: labels for words, and for lines.
#include <chrono>

#include "commands/commands.h"
#include "commands/lines_page.h"
#include "files/outputs.h"
#include "files/text_files.h"
#include "heed/core/counted.h"
#include "heed/core/json_text.h"
#include "heed/decode/classifier.h"
#include "heed/pages/translation_json.h"
#include "heed/text/text_file.h"

namespace heed {
namespace {

enum class TagFormat { text, tags, jsonl };
constexpr auto enum_names(TagFormat) {
  return std::array<std::pair<std::string_view, TagFormat>, 3>{
      {{"text", TagFormat::text}, {"tags", TagFormat::tags}, {"jsonl", TagFormat::jsonl}}};
}

enum class ClassFormat { text, jsonl };
constexpr auto enum_names(ClassFormat) {
  return std::array<std::pair<std::string_view, ClassFormat>, 2>{
      {{"text", ClassFormat::text}, {"jsonl", ClassFormat::jsonl}}};
}

template <class Format>
struct LabelSettings {
  std::string model, input, output;
  LinesPageSettings page;
  Format format = Format::text;
  ScoreOptions score;

  static void visit(auto& self, auto&& v) {
    v.group("Text");
    v("model", self.model, kModelOption);
    v("input", self.input,
      {.help = "Text to label, plain or .gz, one sentence per line; - is standard input",
       .value = "FILE",
       .default_text = "standard input"});
    v("output", self.output, kOutputOption);
    v("format", self.format, {.help = kFormatHelp});
    LinesPageSettings::visit(self.page, v, LinesPageSettings::kOfLabels);
    ScoreOptions::visit(self.score, v);
  }

  static constexpr const char* kFormatHelp =
      std::is_same_v<Format, TagFormat>
          ? "Output format; text: the words, a tab, and their labels; tags: the labels alone; "
            "jsonl: JSON objects with words, labels, probabilities and status"
          : "Output format; text: the label of each line; jsonl: JSON objects with label, "
            "probability and status";
};

std::string joined(const ClassifiedLine& line) {
  std::string labels;
  for (const ClassChoice& choice : line.choices)
    labels += (labels.empty() ? "" : " ") + choice.label;
  return labels;
}

std::string text_of(const ClassifiedLine& line, TagFormat format) {
  if (format == TagFormat::tags) return joined(line);
  if (format == TagFormat::text)
    return fmt::format("{}{}{}", fmt::join(line.words, " "), line.words.empty() ? "" : "\t",
                       joined(line));
  return json_text(tags_json(line));
}

std::string text_of(const ClassifiedLine& line, ClassFormat format) {
  return format == ClassFormat::text ? line.choices.front().label : json_text(class_json(line));
}

template <class Format>
int run_labels(const LabelSettings<Format>& settings, ClassesOf of, Console& console) {
  const std::string input = settings.input.empty() ? "-" : settings.input;
  const std::vector<std::string> read = files_read(settings.model, {{"--input", input}});
  expect_another_file("--output", settings.output, read);
  LinesPage page(settings.page, read, console, settings.output);
  const Classifier model(settings.model, {settings.score.compute, settings.score.device}, of);
  LineReader lines = open_lines(input);
  TextOutput output(settings.output, console);
  LineWarnings warnings;
  int64_t count = 0, labels = 0;
  const auto start = std::chrono::steady_clock::now();
  const auto next = [&]() -> std::optional<std::string> {
    std::string line;
    if (!lines.next(line)) return {};
    page.add(line);
    return line;
  };
  model.classify(
      next,
      [&](const ClassifiedLine& line) {
        ++count, labels += int64_t(line.choices.size());
        warnings.add(
            {{"invalid UTF-8, replaced by U+FFFD (--strict makes it an error)",
              line.status.invalid_utf8},
             {"with characters that the training text did not have (--format jsonl lists them)",
              !line.status.unknown_characters.empty()},
             {"too long for the model, labelled in parts", line.status.split},
             {"too long for the model, truncated", line.status.truncated}});
        output.write(text_of(line, settings.format) + "\n");
      },
      settings.score);
  output.commit();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const std::string all_lines = detail::counted(count, "line");
  warnings.print(console, all_lines);
  console.note(fmt::format("{}, {} in {:.2f} s: {:.0f} labels/s on {}", all_lines,
                           detail::counted(labels, "label"), seconds.count(),
                           double(labels) / seconds.count(), model.backend().name()));
  DecodeOptions options;
  options.threads = settings.score.threads;
  page.write(model, settings.model, options, count);
  return 0;
}

int run_tag(const LabelSettings<TagFormat>& settings, const Words&, Console& console) {
  return run_labels(settings, ClassesOf::words, console);
}

int run_classify(const LabelSettings<ClassFormat>& settings, const Words&, Console& console) {
  return run_labels(settings, ClassesOf::texts, console);
}

}  // namespace

Command make_tag_command() {
  return with_settings(
      run_tag,
      {.name = "tag",
       .summary = "Labels each word of lines with a tagger",
       .description =
           "Prints one line for each line, in order: its words, which white space separates, "
           "a tab, and the likeliest label of each. The model is one of heed train --task "
           "tag. The labels of a line depend on the line and the model alone.",
       .memory_advice = "a smaller --batch-tokens or fewer --threads take less"});
}

Command make_classify_command() {
  return with_settings(
      run_classify,
      {.name = "classify",
       .summary = "Labels lines with a classifier",
       .description =
           "Prints the likeliest label of each line, in order. The model is one of heed "
           "train --task classify. The label of a line depends on the line and the model "
           "alone.",
       .memory_advice = "a smaller --batch-tokens or fewer --threads take less"});
}

}  // namespace heed
