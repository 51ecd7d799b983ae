// heed quantize: a smaller copy of a model, and a comparison with the original.
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands/commands.h"
#include "commands/shared_options.h"
#include "files/model_output.h"
#include "files/text_files.h"
#include "heed/decode/model.h"
#include "heed/evaluate/bleu.h"
#include "heed/model/directory.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

enum class QuantizedType { int8, bf16 };
constexpr auto enum_names(QuantizedType) {
  return std::array<std::pair<std::string_view, QuantizedType>, 2>{
      {{"int8", QuantizedType::int8}, {"bf16", QuantizedType::bf16}}};
}

struct QuantizeSettings {
  std::string model, output;
  QuantizedType type = QuantizedType::int8;
  bool overwrite = false;
  std::string source;
  std::vector<std::string> reference;
  std::optional<BleuTokenizer> bleu_tokenize;
  std::optional<int64_t> threads;
  bool json = false;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v.group("Model");
    v("model", self.model, kModelOption);
    v("output", self.output,
      {.help = "Output model directory, created if missing", .value = "DIR", .required = true});
    v("type", self.type,
      {.help =
           "Type of the stored weights; int8: a quarter of the size, in heed's own layout; bf16: "
           "half of the size, in a layout that transformers reads"});
    v("overwrite", self.overwrite, {.help = "Overwrite an existing model"});
    v.group("Report");
    v("source", self.source,
      {.help = "Text to translate with both models, to count the lines that change",
       .value = "FILE"});
    v("reference", self.reference,
      {.help = "Reference translations of --source, to report the change in BLEU",
       .value = "FILE..."});
    v("bleu_tokenize", self.bleu_tokenize,
      {.help = "Tokenizer of BLEU, named as sacreBLEU's --tokenize",
       .default_text = "by the writing system of the reference"});
    v("threads", self.threads, kThreadsOption);
    v("json", self.json, {.help = "Print the report as one JSON object"});
  }
};

// The translations of one model.
struct Outcome {
  int64_t bytes = 0;  // of model.safetensors
  Lines translations;
  std::optional<BleuScore> bleu;
};

class QuantizeCommand : public CommandOf<QuantizeSettings> {
 public:
  std::string name() const override { return "quantize"; }
  std::string summary() const override { return "Makes a smaller copy of a model"; }
  std::string description() const override {
    return "Rounds the weights to int8, one scale per row, or to bf16, and reports the size and, "
           "with --source and --reference, changed translations and BLEU (beam 4, length penalty "
           "0.6). With the int8 copy, heed translate prints exactly what it prints with the "
           "original and --compute int8; the copy is smaller on disk and starts faster.";
  }

  int run(const std::vector<std::string>&, Console& console) override {
    if (!settings_.reference.empty() && settings_.source.empty())
      fail_usage("--reference needs --source: the text that it translates");
    if (settings_.bleu_tokenize && settings_.reference.empty())
      fail_usage("--bleu-tokenize changes nothing: BLEU is measured with --reference");
    check_output(settings_.output, {settings_.model}, existing());
    std::vector<NamedInput> inputs{{"--source", settings_.source}};
    for (const std::string& name : settings_.reference) inputs.emplace_back("--reference", name);
    expect_distinct_streams(inputs);
    Lines source;
    std::vector<Lines> references;
    if (!settings_.source.empty()) source = read_text(settings_.source, {}, console);
    for (const std::string& path : settings_.reference)
      references.push_back(read_text(path, {settings_.source, source.size()}, {}, console));
    write();
    const bool int8 = settings_.type == QuantizedType::int8;
    const Outcome before = outcome(settings_.model, ComputeChoice::fp32, source, references);
    const Outcome after = outcome(
        settings_.output, int8 ? ComputeChoice::int8 : ComputeChoice::bf16, source, references);
    report(before, after, console.out());
    return 0;
  }

 private:
  Existing existing() const { return settings_.overwrite ? Existing::replace : Existing::refuse; }

  void write() const {
    auto model = load_model(settings_.model);
    TokenizerPair::load(settings_.model);  // fails if the directory cannot translate
    write_model(settings_.output, existing(),
                {{model.config(), parameters(model)},
                 settings_.model,
                 settings_.type == QuantizedType::int8 ? DType::int8 : DType::bf16});
  }

  Outcome outcome(const fs::path& directory, ComputeChoice compute, const Lines& source,
                  const std::vector<Lines>& references) const {
    Outcome found;
    found.bytes = int64_t(fs::file_size(directory / "model.safetensors"));
    if (source.empty()) return found;
    DecodeOptions options;
    options.threads = settings_.threads;
    const Model model(directory, compute);
    found.translations = model.translate(source, options);
    if (!references.empty()) {
      const BleuTokenizer tokenizer =
          settings_.bleu_tokenize.value_or(suitable_bleu_tokenizer(references));
      found.bleu = bleu(found.translations, references, {.tokenizer = tokenizer});
    }
    return found;
  }

  void report(const Outcome& before, const Outcome& after, Output& out) const {
    int64_t changed = 0;
    for (size_t i = 0; i < before.translations.size(); ++i)
      changed += before.translations[i] != after.translations[i];
    if (settings_.json) {
      nlohmann::ordered_json object = {{"bytes_before", before.bytes}, {"bytes", after.bytes}};
      if (!before.translations.empty())
        object["lines"] = before.translations.size(), object["changed"] = changed;
      if (before.bleu) {
        object["bleu_before"] = before.bleu->score;
        object["bleu"] = after.bleu->score;
        object["bleu_signature"] = after.bleu->signature;
      }
      out.write(object.dump() + "\n");
      return;
    }
    out.write(fmt::format("model.safetensors: {:.1f} MiB, before {:.1f}\n",
                          double(after.bytes) / 1048576, double(before.bytes) / 1048576));
    if (!before.translations.empty())
      out.write(fmt::format("translations that changed: {} of {}\n", changed,
                            before.translations.size()));
    if (before.bleu)
      out.write(fmt::format("BLEU: {:.2f}, before {:.2f}\n  {}\n", after.bleu->score,
                            before.bleu->score, after.bleu->signature));
  }
};

}  // namespace

std::unique_ptr<Command> make_quantize_command() {
  return std::make_unique<QuantizeCommand>();
}

}  // namespace heed
