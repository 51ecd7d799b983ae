// heed inspect: the structure of a model, its attention, or statistics and defects of a corpus.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <tuple>

#include "commands/commands.h"
#include "commands/inspect_alignment.h"
#include "commands/inspect_attention.h"
#include "commands/inspect_heads.h"
#include "commands/inspect_run.h"
#include "files/page_file.h"
#include "files/text_files.h"
#include "heed/core/files.h"
#include "heed/core/json_text.h"
#include "heed/core/utf8.h"
#include "heed/data/data_inspection.h"
#include "heed/model/directory.h"
#include "heed/run/train_options.h"
#include "pages/data_page.h"
#include "pages/heads_page.h"
#include "pages/model_html.h"
#include "pages/model_page.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

// Groups of options: for which inspection they are.
constexpr const char *kModel = "heed inspect model", *kAttention = "heed inspect attention",
                     *kData = "heed inspect data",
                     *kAttentionAndData = "heed inspect attention, heed inspect data",
                     *kModelAndData = "heed inspect model, heed inspect data",
                     *kPages = "heed inspect model, heed inspect run, heed inspect data";

struct InspectSettings {
  // Of a model
  int64_t vocabulary_size = 37000;
  int64_t length = 25;
  HeadsInspection heads;
  // Of a model and data
  std::optional<int64_t> threads;
  // Of attention and data
  std::string model;
  AttentionInspection attention;
  // Of data
  TsvOptions tabular;
  std::string test_source, test_target;
  std::string tokenizer_model;
  InspectionOptions inspection;
  // Of models, runs and data
  std::string html;

  bool json = false;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v.group(kModel);
    v("vocabulary_size", self.vocabulary_size,
      {.help = "Vocabulary size of a preset", .unit = "tokens", .minimum = 4, .maximum = 1 << 24});
    v("length", self.length,
      {.help = "Sentence length for the cost figures",
       .unit = "tokens",
       .minimum = 1,
       .maximum = 65536});
    HeadsInspection::visit(self.heads, v);
    v.group(kModelAndData);
    v("threads", self.threads, kThreadsOption);
    v.group(kAttentionAndData);
    v("model", self.model,
      {.help = "The model whose attention is shown; for data: count tokens with its tokenizers",
       .value = "DIR"});
    v.group(kAttention);
    AttentionInspection::visit(self.attention, v);
    v.group(kPages);
    v("html", self.html,
      {.help = "Also write an HTML page with pictures to this file", .value = "FILE"});
    v.group(kData);
    TsvOptions::visit(self.tabular, v);
    v("test_source", self.test_source,
      {.help = "Source side of the test set; its lines are looked for in the data",
       .value = "FILE"});
    v("test_target", self.test_target,
      {.help = "Target side of the test set; its words are looked for in the data",
       .value = "FILE"});
    v("tokenizer_model", self.tokenizer_model,
      {.help = "Count tokens with this SentencePiece model", .value = "FILE"});
    InspectionOptions::visit(self.inspection, v);
    v.group("Output");
    v("json", self.json,
      {.help = "Print one JSON object; of data with all lines of every finding"});
  }
};

class InspectCommand : public CommandOf<InspectSettings> {
 public:
  std::string name() const override { return "inspect"; }
  std::string summary() const override {
    return "Shows a model's structure or attention, training runs, or a corpus's defects";
  }
  std::string description() const override {
    return "'heed inspect model' prints the layers of a trained model (its directory) or of a "
           "preset (tiny, small, base, big), in the paper's words, with the shape, the number of "
           "parameters and the multiply-adds per token of each; with --source also what every head "
           "looks at over a text, and the loss without it, or with --alignment which heads align "
           "words; with --html as a page with the paper's "
           "Figure 1. 'heed inspect attention' "
           "translates a "
           "sentence and draws what every head looks at. 'heed inspect run' compares training "
           "runs: their best values and the options in which they differ. 'heed inspect data' "
           "prints lengths "
           "and words of parallel text, two files (or several pairs of files) or --tsv, and each "
           "kind of harmful pair, with "
           "line numbers, examples and advice. Texts may be pipes, as in <(zcat a b), and - is "
           "standard input.";
  }
  std::string words() const override {
    return "model DIR|PRESET | attention SENTENCE | run DIR... | data SOURCE TARGET...";
  }

  std::vector<std::string> first_words() const override {
    return {"model", "attention", "run", "data"};
  }

  std::string meant_by(const std::vector<std::string>& words) const override {
    std::error_code error;
    if (std::filesystem::is_directory(words[0], error) || is_preset(words[0]))
      return "heed inspect model " + words[0];
    if (!std::filesystem::exists(words[0], error)) return "";
    return fmt::format("heed inspect data {} {}", words[0], words.size() > 1 ? words[1] : "TARGET");
  }

  std::string memory_advice() const override { return "a smaller --max-table-entries takes less"; }

  int run(const std::vector<std::string>& words, Console& console) override {
    if (words.size() == 2 && words[0] == "model") {
      refuse_options_of({kAttention, kAttentionAndData, kData});
      return run_model(words[1], console);
    }
    if (words.size() == 2 && words[0] == "attention") {
      refuse_options_of({kModel, kModelAndData, kPages, kData});
      if (settings_.model.empty()) fail_usage("--model is missing: whose attention is to be shown");
      inspect_attention(settings_.model, words[1], settings_.attention, settings_.json, console);
      return 0;
    }
    if (words.size() >= 2 && words[0] == "run") {
      refuse_options_of({kModel, kModelAndData, kAttention, kAttentionAndData, kData});
      inspect_runs({words.begin() + 1, words.end()},
                   settings_.json ? RunsFormat::json : RunsFormat::text, settings_.html, console);
      return 0;
    }
    const bool tabular = !settings_.tabular.tsv.empty();
    const bool paired = words.size() >= 3 && words.size() % 2 == 1;
    if (words[0] == "data" && (tabular ? words.size() == 1 : paired)) {
      refuse_options_of({kModel, kAttention});
      settings_.tabular.check();
      return run_data(words, console);
    }
    if (words.size() >= 2 && words[0] == "data" && !tabular)
      fail_usage("TARGET is missing: expected heed inspect data SOURCE TARGET, or --tsv FILE");
    if (words.size() == 1 && words[0] == "run")
      fail_usage("DIR is missing: expected heed inspect run DIR...");
    fail_usage(
        "expected 'heed inspect model DIR', 'heed inspect model PRESET' (tiny, small, base, big), "
        "'heed inspect attention --model DIR SENTENCE', 'heed inspect run DIR...', 'heed inspect "
        "data SOURCE TARGET' or 'heed inspect data --tsv FILE'");
  }

 private:
  // Options of these groups, which belong to the other kinds of inspection.
  void refuse_options_of(const std::vector<std::string>& groups) {
    for (const Option& option : options()) {
      if (std::ranges::count(groups, option.group) > 0 && option.read() != option.defaults)
        fail_usage("{} changes nothing: it belongs to '{}'", option.flag(), option.group);
    }
  }

  int threads() const { return int(settings_.threads.value_or(available_threads())); }

  static bool is_preset(const std::string& name) {
    return std::ranges::any_of(
        enum_names(Preset{}), [&](const auto& preset) { return names_choice(name, preset.first); });
  }

  int run_model(const std::string& model, Console& console) {
    const HeadsInspection& heads = settings_.heads;
    std::error_code error;  // of a name that is too long
    const bool trained = std::filesystem::is_directory(model, error);
    if (heads.source.empty() &&
        (!heads.reference.empty() || heads.lines != HeadsInspection().lines))
      fail_usage("--reference and --lines change nothing without --source");
    const bool aligns = heads.alignment != AlignmentAction::none;
    if (aligns && (heads.source.empty() || heads.reference.empty()))
      fail_usage("--alignment {} needs --source and --reference: text and its translation",
                 to_text(heads.alignment));
    if (!heads.source.empty() && !trained && is_preset(model))
      fail_usage("--source needs a trained model, {} is a preset", model);
    std::vector<std::string> read = files_of_model(trained ? model : "");
    read.insert(read.end(), {heads.source, heads.reference});
    PageFile page(settings_.html, read, console);
    ModelConfig config;
    std::vector<Parameter> weights;
    if (trained) {
      expect_default_vocabulary_size(model);
      auto opened = load_model(model);
      config = opened.config();
      weights = parameters(opened);
    } else {
      config = preset_of(model);
    }
    std::optional<WeightFile> file;
    if (trained) file = weight_file(std::filesystem::path(model) / "model.safetensors");
    const HeadsTitle title{heads.source, heads.reference, config.heads};
    Json of_heads, json = model_json(model, config, settings_.length, file);
    std::string text = model_page(model, config, settings_.length, file);
    if (aligns) {
      const AlignmentInspection alignment = inspect_alignment(model, heads, threads(), console);
      json["alignment"] = alignment.json();
      text += alignment.text();
    } else if (!heads.source.empty()) {
      const HeadAnalysis analysis = inspect_heads(model, heads, threads(), console);
      json["heads"] = of_heads = heads_json(title, analysis);
      text += heads_text(title, analysis);
    }
    if (settings_.json) text = json_text(json, 2) + "\n";
    console.out().write(text);
    console.out().flush();
    if (!page.wanted()) return 0;
    page.write(model_html({model, settings_.length}, config, file, weights, of_heads));
    console.note(fmt::format("page of the model: {}", settings_.html));
    return 0;
  }

  int run_data(const std::vector<std::string>& words, Console& console) {
    std::vector<NamedInput> inputs{{"--test-source", settings_.test_source},
                                   {"--test-target", settings_.test_target}};
    for (size_t i = 1; i + 1 < words.size(); i += 2) {
      inputs.emplace_back("SOURCE", words[i]);
      inputs.emplace_back("TARGET", words[i + 1]);
    }
    for (const std::string& name : settings_.tabular.tsv) inputs.emplace_back("--tsv", name);
    expect_distinct_streams(inputs);
    std::vector<std::string> read = files_of_model(settings_.model);
    read.push_back(settings_.tokenizer_model);
    for (const auto& [flag, name] : inputs) read.push_back(name);
    PageFile page(settings_.html, read, console);
    const std::optional<TokenizerPair> tokenizers = open_tokenizers();
    Workers workers(threads());
    const InspectionFiles files = open_files(words, console);
    const DataTitle title{title_of(files.source), title_of(files.target)};
    const DataReport report =
        inspect_data(files, settings_.inspection, tokenizers ? &*tokenizers : nullptr, workers);
    console.out().write(settings_.json ? data_json(title, report) : data_text(title, report));
    console.out().flush();
    if (page.wanted()) {
      page.write(data_html(title, report));
      console.note(fmt::format("page with charts: {}", settings_.html));
    }
    expect_equal_lines(report);
    return 0;
  }

  static std::string title_of(const TextFiles& files) {
    const std::string first = files.front().title();
    return files.size() == 1 ? first : fmt::format("{} and {} more", first, files.size() - 1);
  }

  // After the report, which shows the line from which the files differ.
  static void expect_equal_lines(const DataReport& report) {
    const Finding& unequal = report[FindingKind::unequal_lines];
    if (unequal.pairs > 0)
      fail("{}: line i of both must belong to the same sentence", unequal.examples.front().note);
  }

  InspectionFiles open_files(const std::vector<std::string>& words, const Console& console) const {
    const CopyOptions whole = told_copying(console);
    CopyOptions first = whole;
    first.max_lines = settings_.inspection.pairs;
    InspectionFiles files;
    for (size_t i = 1; i + 1 < words.size(); i += 2) {
      files.source.emplace_back(words[i], first);
      files.target.emplace_back(words[i + 1], first);
    }
    if (words.size() == 1) {
      std::tie(files.source, files.target) = settings_.tabular.open(settings_.tabular.tsv, first);
    }
    files.test_source = InspectionFiles::optional_file(settings_.test_source, whole);
    files.test_target = InspectionFiles::optional_file(settings_.test_target, whole);
    return files;
  }

  std::optional<TokenizerPair> open_tokenizers() const {
    if (!settings_.model.empty() && !settings_.tokenizer_model.empty()) {
      fail_usage("--model brings its own vocabulary: it contradicts --tokenizer-model");
    }
    if (!settings_.model.empty()) return TokenizerPair::load(settings_.model);
    if (settings_.tokenizer_model.empty()) return std::nullopt;
    return TokenizerPair::joint(read_file(settings_.tokenizer_model), settings_.tokenizer_model);
  }

  void expect_default_vocabulary_size(const std::string& directory) const {
    if (settings_.vocabulary_size != InspectSettings().vocabulary_size)
      fail_usage("--vocabulary-size changes nothing: {} has a vocabulary of its own", directory);
  }

  ModelConfig preset_of(const std::string& model) const {
    std::vector<std::string> presets;
    for (const auto& [name, ignored] : enum_names(Preset{})) {
      presets.emplace_back(name);
      if (!names_choice(model, name)) continue;
      ModelConfig config = preset(name);
      config.vocabulary_size = settings_.vocabulary_size;
      config.output_vocabulary_size = settings_.vocabulary_size - 1;
      return config;
    }
    fail_usage("'{}' is neither a directory nor a preset (tiny, small, base, big){}",
               excerpt(model), suggestion(model, presets));
  }
};

}  // namespace

std::unique_ptr<Command> make_inspect_command() {
  return std::make_unique<InspectCommand>();
}

}  // namespace heed
