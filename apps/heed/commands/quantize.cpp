// heed quantize: a smaller copy of a model, and a comparison with the original.
#include <array>
#include <filesystem>

#include "commands/commands.h"
#include "files/model_output.h"
#include "files/text_files.h"
#include "heed/decode/model.h"
#include "heed/model/directory.h"
#include "heed/model/sequence_model.h"
#include "heed/pages/evaluation_page.h"

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

  static void visit(auto& self, auto&& v) {
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

CopiedModel outcome(const fs::path& directory, ComputeChoice compute,
                    const QuantizeSettings& settings, const Lines& source,
                    const std::vector<Lines>& references) {
  CopiedModel found;
  found.bytes = int64_t(fs::file_size(directory / "model.safetensors"));
  if (source.empty()) return found;
  DecodeOptions options;
  options.threads = settings.threads;
  found.translations = Model(directory, compute).translate(source, options);
  if (!references.empty()) {
    const BleuTokenizer tokenizer =
        settings.bleu_tokenize.value_or(suitable_bleu_tokenizer(references));
    found.bleu = bleu(found.translations, references, {.tokenizer = tokenizer});
  }
  return found;
}

int run_quantize(const QuantizeSettings& settings, const Words&, Console& console) {
  if (!settings.reference.empty() && settings.source.empty())
    fail_usage("--reference needs --source: the text that it translates");
  if (settings.bleu_tokenize && settings.reference.empty())
    fail_usage("--bleu-tokenize changes nothing: BLEU is measured with --reference");
  const Existing existing = settings.overwrite ? Existing::replace : Existing::refuse;
  check_output(settings.output, {settings.model}, existing);
  std::vector<NamedInput> inputs{{"--source", settings.source}};
  for (const std::string& name : settings.reference) inputs.emplace_back("--reference", name);
  expect_distinct_streams(inputs);
  EqualTexts texts(console);
  Lines source;
  std::vector<Lines> references;
  if (!settings.source.empty()) source = texts.read(settings.source);
  for (const std::string& path : settings.reference) references.push_back(texts.read(path));
  const bool int8 = settings.type == QuantizedType::int8;
  {
    auto model = load_model(settings.model);
    TokenizerPair::load(settings.model);  // fails if the directory cannot translate
    write_model(
        settings.output, existing,
        {{model.config(), parameters(model)}, settings.model, int8 ? DType::int8 : DType::bf16});
  }
  const CopiedModel before =
      outcome(settings.model, ComputeChoice::fp32, settings, source, references);
  const CopiedModel after =
      outcome(settings.output, int8 ? ComputeChoice::int8 : ComputeChoice::bf16, settings, source,
              references);
  console.out().write(settings.json ? json_of_copy(before, after) : text_of_copy(before, after));
  return 0;
}

}  // namespace

Command make_quantize_command() {
  return with_settings(
      run_quantize,
      {.name = "quantize",
       .summary = "Makes a smaller copy of a model",
       .description =
           "Rounds the weights to int8, one scale per row, or to bf16, and reports the size and, "
           "with --source and --reference, changed translations and BLEU (beam 4, length penalty "
           "0.6). With the int8 copy, heed translate prints exactly what it prints with the "
           "original and --compute int8; the copy is smaller on disk and starts faster."});
}

}  // namespace heed
