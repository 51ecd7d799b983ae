// heed inspect model: the structure of a model, and what its heads look at.
#include <algorithm>
#include <filesystem>
#include <optional>

#include "commands/inspect.h"
#include "commands/inspect_heads.h"
#include "files/outputs.h"
#include "files/text_files.h"
#include "heed/core/json_text.h"
#include "heed/core/utf8.h"
#include "heed/model/directory.h"
#include "heed/pages/model_page.h"
#include "heed/run/train_options.h"

namespace heed {
namespace {

// Measuring the heads that align words, and storing the best.
enum class AlignmentAction { none, measure, store };
constexpr auto enum_names(AlignmentAction) {
  return std::array<std::pair<std::string_view, AlignmentAction>, 3>{
      {{"none", AlignmentAction::none},
       {"measure", AlignmentAction::measure},
       {"store", AlignmentAction::store}}};
}

struct InspectModelSettings {
  int64_t vocabulary_size = 37000;
  int64_t length = 25;
  std::string source, reference;
  int64_t lines = 100;
  AlignmentAction alignment = AlignmentAction::none;
  std::optional<int64_t> threads;
  std::string html;
  bool json = false;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v("vocabulary_size", self.vocabulary_size,
      {.help = "Vocabulary size of a preset", .unit = "tokens", .minimum = 4, .maximum = 1 << 24});
    v("length", self.length,
      {.help = "Sentence length for the cost figures",
       .unit = "tokens",
       .minimum = 1,
       .maximum = 65536});
    v("source", self.source,
      {.help = "Also show what each head looks at over this text, and the loss without it",
       .value = "FILE"});
    v("reference", self.reference,
      {.help = "Translations of --source, instead of the model's own", .value = "FILE"});
    v("lines", self.lines,
      {.help = "The first N lines of --source", .value = "N", .minimum = 1, .maximum = 1'000'000});
    v("alignment", self.alignment,
      {.help = "Measure instead which heads align the words of --source and --reference; store: "
               "and let the model's alignments be theirs from now on"});
    v("threads", self.threads, kThreadsOption);
    v("html", self.html, kInspectionPageOption);
    v.group("Output");
    v("json", self.json, kInspectionJsonOption);
  }
};

void check_settings(const InspectModelSettings& settings, const std::string& model, bool trained) {
  const InspectModelSettings usual;
  if (settings.source.empty() && (!settings.reference.empty() || settings.lines != usual.lines))
    fail_usage("--reference and --lines change nothing without --source");
  if (settings.alignment != AlignmentAction::none &&
      (settings.source.empty() || settings.reference.empty()))
    fail_usage("--alignment {} needs --source and --reference: text and its translation",
               to_text(settings.alignment));
  if (!settings.source.empty() && !trained && is_preset(model))
    fail_usage("--source needs a trained model, {} is a preset", model);
}

ModelConfig preset_of(const std::string& model, int64_t vocabulary_size) {
  std::vector<std::string> presets;
  for (const auto& [name, ignored] : enum_names(Preset{})) {
    presets.emplace_back(name);
    if (!names_choice(model, name)) continue;
    ModelConfig config = preset(name);
    config.vocabulary_size = vocabulary_size;
    config.output_vocabulary_size = vocabulary_size - 1;
    return config;
  }
  fail_usage("'{}' is neither a directory nor a preset (tiny, small, base, big){}", excerpt(model),
             suggestion(model, presets));
}

int run_model(const InspectModelSettings& settings, const Words& words, Console& console) {
  const std::string& model = words[0];
  std::error_code error;  // of a name that is too long
  const bool trained = std::filesystem::is_directory(model, error);
  check_settings(settings, model, trained);
  std::vector<std::string> read = files_read(trained ? model : "");
  read.insert(read.end(), {settings.source, settings.reference});
  PageFile page(settings.html, read, console);
  ModelConfig config;
  std::vector<Parameter> weights;
  std::optional<WeightFile> file;
  if (trained) {
    if (settings.vocabulary_size != InspectModelSettings().vocabulary_size)
      fail_usage("--vocabulary-size changes nothing: {} has a vocabulary of its own", model);
    auto opened = load_model(model);
    config = opened.config();
    weights = parameters(opened);
    file = weight_file(std::filesystem::path(model) / "model.safetensors");
  } else {
    config = preset_of(model, settings.vocabulary_size);
  }
  nlohmann::ordered_json of_heads, json = model_json(model, config, settings.length, file);
  std::string text = model_page(model, config, settings.length, file);
  const HeadsInspection heads{model, settings.source, settings.reference, settings.lines,
                              int(settings.threads.value_or(available_threads()))};
  if (settings.alignment != AlignmentAction::none) {
    AlignmentReport report = inspect_alignment(heads, console);
    if (settings.alignment == AlignmentAction::store) {
      store_alignment_heads(model, report.measured.best->heads);
      report.stored = true;
    }
    json["alignment"] = alignment_json(report);
    text += alignment_text(report);
  } else if (!settings.source.empty()) {
    const HeadsTitle title{settings.source, settings.reference, config.heads};
    const HeadAnalysis analysis = inspect_heads(heads, console);
    json["heads"] = of_heads = heads_json(title, analysis);
    text += heads_text(title, analysis);
  }
  console.out().write(settings.json ? json_text(json, 2) + "\n" : text);
  console.out().flush();
  if (!page.wanted()) return 0;
  page.write(model_html(model, config, settings.length, file, weights, of_heads));
  console.note(fmt::format("page of the model: {}", settings.html));
  return 0;
}

}  // namespace

bool is_preset(const std::string& name) {
  return std::ranges::any_of(enum_names(Preset{}),
                             [&](const auto& preset) { return names_choice(name, preset.first); });
}

Command make_inspect_model_command() {
  return with_settings(run_model, {.name = "model"});
}

}  // namespace heed
