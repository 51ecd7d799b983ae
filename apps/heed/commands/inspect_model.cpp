// heed inspect model: the structure of a model, what its heads look at over a text, which of them
// the model needs, which align words best, and with which search it translates best.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "commands/commands.h"
#include "files/outputs.h"
#include "files/text_files.h"
#include "heed/core/counted.h"
#include "heed/core/json_text.h"
#include "heed/core/utf8.h"
#include "heed/decode/model.h"
#include "heed/evaluate/bleu.h"
#include "heed/model/directory.h"
#include "heed/model/sequence_model.h"
#include "heed/pages/heads_page.h"
#include "heed/pages/json_parts.h"
#include "heed/pages/model_page.h"
#include "heed/run/train_options.h"
#include "heed/tasks/search_choice.h"

namespace heed {
namespace {

// Measuring a choice, and storing the best in the model's directory.
enum class Choice { none, measure, store };
constexpr auto enum_names(Choice) {
  return std::array<std::pair<std::string_view, Choice>, 3>{
      {{"none", Choice::none}, {"measure", Choice::measure}, {"store", Choice::store}}};
}

constexpr int64_t kLinesOfHeads = 100, kLinesOfSearch = 1000;

struct InspectModelSettings {
  int64_t vocabulary_size = 37000;
  int64_t length = 25;
  std::string source, reference;
  std::optional<int64_t> lines;
  Choice alignment = Choice::none, search = Choice::none;
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
      {.help = "The first N lines of --source",
       .value = "N",
       .default_text = "100; 1000 with --search",
       .minimum = 1,
       .maximum = 1'000'000});
    v("alignment", self.alignment,
      {.help = "Measure instead which heads align the words of --source and --reference; store: "
               "and let the model's alignments be theirs from now on"});
    v("search", self.search,
      {.help =
           "Measure instead with which length penalty and beam the model translates --source "
           "best, by BLEU against --reference; store: and let them be the model's from now on"});
    v("threads", self.threads, kThreadsOption);
    v("html", self.html, kInspectionPageOption);
    v.group("Output");
    v("json", self.json, kInspectionJsonOption);
  }
};

void check_settings(const InspectModelSettings& settings, const std::string& model, bool trained) {
  if (settings.source.empty() && (!settings.reference.empty() || settings.lines))
    fail_usage("--reference and --lines change nothing without --source");
  const auto needs_text = [&](Choice choice, const char* flag) {
    if (choice != Choice::none && (settings.source.empty() || settings.reference.empty()))
      fail_usage("{} {} needs --source and --reference: text and its translation", flag,
                 to_text(choice));
  };
  needs_text(settings.alignment, "--alignment");
  needs_text(settings.search, "--search");
  if (settings.alignment != Choice::none && settings.search != Choice::none)
    fail_usage("--alignment and --search: give one at a time");
  if (!settings.source.empty() && !trained && is_preset(model))
    fail_usage("--source needs a trained model, {} is a preset", model);
}

ModelConfig preset_of(const std::string& model, int64_t vocabulary_size) {
  if (!is_preset(model)) {
    std::vector<std::string> presets;
    for (const auto& [name, ignored] : enum_names(Preset{})) presets.emplace_back(name);
    fail_usage("'{}' is neither a directory nor a preset (tiny, small, base, big){}",
               excerpt(model), suggestion(model, presets));
  }
  Preset named{};
  from_text(model, {}, named);
  ModelConfig config = preset(to_text(named));
  config.vocabulary_size = vocabulary_size;
  config.output_vocabulary_size = vocabulary_size - 1;
  return config;
}

int threads_of(const InspectModelSettings& settings) {
  return int(settings.threads.value_or(available_threads()));
}

void warn_of_left_out(const std::string& lines, const ModelConfig& config, const Console& console) {
  console.warn(fmt::format(
      "{} left out: empty, or with more tokens than the {} that the model has positions for", lines,
      config.max_positions - 1));
}

// Pairs that the model can be given; `left_out` counts the others.
AlignmentText text_of(const Model& model, const std::vector<std::string>& sources,
                      const std::vector<std::string>& targets, int64_t lines, int64_t& left_out) {
  const TokenizerPair& tokenizers = model.tokenizers();
  AlignmentText text;
  double token_pairs = 0;
  for (size_t i = 0; i < sources.size(); ++i) {
    EncodedText source = encode_to_fit(tokenizers.source(), sources[i], model.config());
    EncodedText target = encode_to_fit(tokenizers.target(), targets[i], model.config());
    if (source.ids.empty() || target.ids.empty() || source.truncated || target.truncated) {
      ++left_out;
      continue;
    }
    TokenPair pair{std::move(source.ids), std::move(target.ids)};
    token_pairs += double(pair.source.size()) * double(pair.target.size());
    if (int64_t(i) < lines) text.measured.push_back(pair);
    if (token_pairs <= WordLinks::kMaxTokenPairs)
      text.lexical.push_back(std::move(pair));
    else if (int64_t(i) >= lines)
      break;
  }
  return text;
}

// Prints how far it is if it takes long.
HeadAnalysis inspect_heads(const InspectModelSettings& settings, const std::string& directory,
                           Console& console) {
  EqualTexts texts(console);
  std::vector<std::string> sources = texts.read(settings.source), targets;
  if (sources.empty()) fail("{}: no lines to look at", settings.source);
  if (!settings.reference.empty()) targets = texts.read(settings.reference);
  sources.resize(std::min(sources.size(), size_t(settings.lines.value_or(kLinesOfHeads))));
  const std::unique_ptr<Backend> backend = make_backend(ComputeChoice::fp32, Purpose::training);
  auto model = load_model(directory);
  model.move_to(backend->memory());
  const TokenizerPair tokenizers = TokenizerPair::load(directory);
  Workers workers(threads_of(settings));
  pack(model, *backend, Purpose::training, &workers);
  const ModelParts parts{{model, *backend}, tokenizers};
  if (targets.empty()) {
    DecodeOptions decode;
    decode.threads = threads_of(settings);
    decode.search.beam = 1;
    targets = best_translations(Translator(parts, decode), sources);
  }
  std::vector<std::pair<std::string, std::string>> pairs;
  for (size_t i = 0; i < sources.size(); ++i) pairs.emplace_back(sources[i], targets[i]);
  // Says from time to time how many heads are done.
  auto last = std::chrono::steady_clock::now();
  const auto progress = [&](int64_t done, int64_t all) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last < std::chrono::seconds(10) || done == all) return;
    console.note(fmt::format("left out {} of {} heads", done, all));
    last = now;
  };
  HeadAnalysis analysis = analyze_heads(parts, parameters(model), pairs, workers, progress);
  if (analysis.left_out > 0)
    warn_of_left_out(
        fmt::format("{} of {}", analysis.left_out, detail::counted(int64_t(pairs.size()), "line")),
        model.config(), console);
  return analysis;
}

// Measures the model's heads on the first lines of the text; its lexicon is of all lines. Stores
// what is best if the settings say so.
AlignmentReport inspect_alignment(const InspectModelSettings& settings,
                                  const std::string& directory, Console& console) {
  EqualTexts texts(console);
  const std::vector<std::string> sources = texts.read(settings.source),
                                 targets = texts.read(settings.reference);
  const Model model(directory, ComputeChoice::fp32);
  const ModelParts parts = model.parts();
  int64_t left_out = 0;
  const AlignmentText text =
      text_of(model, sources, targets, settings.lines.value_or(kLinesOfHeads), left_out);
  if (left_out > 0) warn_of_left_out(detail::counted(left_out, "line"), model.config(), console);
  Workers workers(threads_of(settings));
  AlignmentReport found{model.config(), alignment_heads_of(parts.model), false,
                        measure_alignment(parts, text, workers)};
  if (found.measured.candidates.empty() &&
      attention_layers(model.config(), AttentionSite::cross) == 0)
    fail("{}: the model has no attention to the source", directory);
  if (!found.measured.best)
    fail("{} and {}: {} word links in {}, expected at least {}: give more text, or more --lines",
         settings.source, settings.reference, found.measured.links,
         detail::counted(found.measured.pairs, "pair"), AlignmentMeasurement::kMinLinks);
  if (settings.alignment == Choice::store) {
    store_alignment_heads(directory, found.measured.best->heads);
    found.stored = true;
  }
  return found;
}

struct SearchReport {
  SearchChoice choice;
  size_t lines = 0;
  std::string tokenize;  // of BLEU
  bool stored = false;
};

// Translates the first lines of the text with different searches. Stores the best if the settings
// say so.
SearchReport inspect_search(const InspectModelSettings& settings, const std::string& directory,
                            Console& console) {
  EqualTexts texts(console);
  Lines sources = texts.read(settings.source);
  std::vector<Lines> references = {texts.read(settings.reference)};
  if (sources.empty()) fail("{}: no lines to translate", settings.source);
  const size_t count = std::min(sources.size(), size_t(settings.lines.value_or(kLinesOfSearch)));
  sources.resize(count);
  references[0].resize(count);
  const BleuTokenizer tokenizer = suitable_bleu_tokenizer(references);
  const Model model(directory);
  DecodeOptions decode;
  decode.threads = threads_of(settings);
  SearchReport report{
      .choice = choose_search([&](int64_t beam, double length_penalty) {
        decode.search.beam = beam;
        decode.search.length_penalty = length_penalty;
        return bleu(model.translate(sources, decode), references, {.tokenizer = tokenizer}).score;
      }),
      .lines = count,
      .tokenize = to_text(tokenizer)};
  if (settings.search == Choice::store) {
    store_search_defaults(directory, report.choice.defaults());
    report.stored = true;
  }
  return report;
}

nlohmann::ordered_json search_json(const SearchReport& report) {
  const auto json_of = [](const SearchTrial& trial) {
    return nlohmann::ordered_json{
        {"beam", trial.beam}, {"length_penalty", trial.length_penalty}, {"bleu", trial.score}};
  };
  return {{"lines", report.lines},
          {"bleu_tokenize", report.tokenize},
          {"trials", json_list(report.choice.trials, json_of)},
          {"best", json_of(report.choice.best)},
          {"stored", report.stored}};
}

std::string search_text(const SearchReport& report) {
  std::string text = fmt::format("\nBLEU ({}) of {} by search\n  beam  length penalty   BLEU\n",
                                 report.tokenize, detail::counted(int64_t(report.lines), "line"));
  for (const SearchTrial& trial : report.choice.trials)
    text +=
        fmt::format("{:>6}  {:>14.1f}  {:>5.2f}\n", trial.beam, trial.length_penalty, trial.score);
  const SearchTrial& best = report.choice.best;
  return text + fmt::format("best: beam {}, length penalty {:.1f}{}\n", best.beam,
                            best.length_penalty,
                            report.stored ? ", from now on the model's own"
                                          : " (--search store makes them the model's own)");
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
  SearchDefaults search;
  if (trained) {
    if (settings.vocabulary_size != InspectModelSettings().vocabulary_size)
      fail_usage("--vocabulary-size changes nothing: {} has a vocabulary of its own", model);
    config = settings.source.empty() ? read_config(model) : read_translator_config(model);
    auto opened = load_model(model);
    weights = parameters(opened);
    search = opened.generation_defaults().search;
    file = weight_file(std::filesystem::path(model) / "model.safetensors");
  } else {
    config = preset_of(model, settings.vocabulary_size);
  }
  nlohmann::ordered_json of_heads, json = model_json(model, config, settings.length, file);
  std::string text = model_page(model, config, settings.length, file);
  if (search != SearchDefaults()) {
    const SearchOptions with = with_defaults(SearchOptions(), search);
    json["search"] = {{"beam", with.beam_size()},
                      {"length_penalty", with.length_penalty_or_default()}};
    text += fmt::format("\nThe model's search: beam {}, length penalty {}\n", with.beam_size(),
                        with.length_penalty_or_default());
  }
  if (settings.alignment != Choice::none) {
    const AlignmentReport report = inspect_alignment(settings, model, console);
    json["alignment"] = alignment_json(report);
    text += alignment_text(report);
  } else if (settings.search != Choice::none) {
    const SearchReport report = inspect_search(settings, model, console);
    json["search_trials"] = search_json(report);
    text += search_text(report);
  } else if (!settings.source.empty()) {
    const HeadsTitle title{settings.source, settings.reference, config.heads};
    const HeadAnalysis analysis = inspect_heads(settings, model, console);
    json["heads"] = of_heads = heads_json(title, analysis);
    text += heads_text(title, analysis);
  }
  console.out().write(settings.json ? json_text(json, 2) + "\n" : text);
  console.out().flush();
  page.write([&] { return model_html(model, config, settings.length, file, weights, of_heads); },
             "page of the model");
  return 0;
}

}  // namespace

bool is_preset(const std::string& name) {
  Preset preset{};
  return from_text(name, {}, preset);
}

Command make_inspect_model_command() {
  return with_settings(run_model, {.name = "model"});
}

}  // namespace heed
