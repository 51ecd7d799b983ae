// Every option of heed train is felt: with another value a training leaves something else. A new
// option needs a row here, or the first test fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/core/files.h"
#include "heed/core/unicode.h"
#include "heed/run/trainer.h"
#include "heed/text/tokenizer_training.h"
#include "support/temporary_folder.h"

namespace heed {
namespace {

// An option's name and value; lists have several.
struct Setting {
  std::string name;
  std::vector<std::string> value;
};

// What a training left, by what it is: "weights", "config", "vocabulary", "files", "reports", ...
using Traces = std::map<std::string, std::string>;

struct Row {
  Setting option;
  std::string trace;             // what must differ
  std::vector<Setting> context;  // what else is set, with and without the option
};

// Names in `value` that begin with '@' are files of the test's folder.
std::vector<Row> rows() {
  const std::vector<Setting> validated{{"valid_source", {"@s"}}, {"valid_target", {"@t"}}};
  const std::vector<Setting> apart{{"tie_embeddings", {"decoder"}}};
  const std::vector<Setting> large{{"vocabulary_size", {"40"}}, {"tokenizer", {"bpe"}}};
  const std::vector<Setting> recurrent{{"architecture", {"rnn"}}, {"d_ff", {}}, {"heads", {}}};
  const std::vector<Setting> unsized{{"preset", {"tiny"}},   {"heads", {}},
                                     {"d_ff", {}},           {"d_model", {}},
                                     {"encoder_layers", {}}, {"decoder_layers", {}}};
  const std::vector<Setting> numbers{{"tokenizer", {"bpe"}},
                                     {"vocabulary_size", {"60"}},
                                     {"source", {"@numbers"}},
                                     {"target", {"@numbers"}}};
  const auto corpus_a = [](const std::string& more) {
    return R"({"name":"a","source":["@s"],"target":["@t"])" + (more.empty() ? "" : "," + more) +
           "}";
  };
  const auto corpus_b = [](const std::string& more) {
    return R"({"name":"b","tsv":["@valid.tsv"])" + (more.empty() ? "" : "," + more) + "}";
  };
  const std::vector<Setting> mixed{
      {"source", {}}, {"target", {}}, {"corpus", {corpus_a(""), corpus_b("")}}};
  std::vector<Setting> of_pieces = mixed;
  of_pieces.insert(of_pieces.end(), large.begin(), large.end());
  const std::vector<Setting> tabular{{"source", {}}, {"target", {}}, {"tsv", {"@tsv2"}}};
  return {
      {{"source", {"@s2"}}, "weights", {}},
      {{"target", {"@t2"}}, "weights", {}},
      {{"tsv", {"@tsv"}}, "weights", tabular},
      {{"columns", {"2", "1"}}, "weights", tabular},
      {{"columns", {"2", "1"}}, "validations", {{"valid_tsv", {"@valid.tsv"}}}},
      {{"corpus", {R"({"name":"a","tsv":["@valid.tsv"]})"}}, "weights", mixed},
      {{"corpus", {corpus_a(""), corpus_b(R"("columns":["2","1"])")}}, "weights", mixed},
      {{"corpus", {corpus_a(R"("weight":1)"), corpus_b(R"("weight":9)")}}, "reports", mixed},
      {{"corpus", {corpus_a(""), corpus_b(R"("tag":"<b>")")}}, "vocabulary", of_pieces},
      {{"corpus", {corpus_a(""), corpus_b(R"("max_words":2)")}}, "messages", mixed},
      {{"corpus", {corpus_a(""), corpus_b(R"("max_sentence_tokens":3)")}}, "messages", mixed},
      {{"corpus", {corpus_a(""), corpus_b(R"("max_ratio":1)")}}, "messages", mixed},
      {{"stage", {R"({"mix":["a=1","b=5"]})"}}, "reports", mixed},
      {{"stage", {R"({"mix":["a","b"],"until":"2 steps"})"}}, "end", mixed},
      {{"valid_source", {"@s2"}}, "validations", validated},
      {{"valid_target", {"@t2"}}, "validations", validated},
      {{"valid_tsv", {"@tsv"}}, "validations", {}},
      {{"validation", {R"({"name":"x","tsv":["@valid.tsv"]})"}}, "validations", validated},
      {{"hold_out", {"5"}}, "validations", {}},
      {{"model", {"@elsewhere"}}, "place", {}},
      {{"source_language", {"zh"}}, "tokenizer_config", {}},
      {{"target_language", {"en"}}, "tokenizer_config", {}},
      {{"max_sentence_tokens", {"4"}}, "messages", {}},
      {{"source_subword_sampling", {"0.5"}}, "weights", large},
      {{"target_subword_sampling", {"0.5"}}, "weights", large},
      {{"vary", {"joined=0.5"}}, "weights", {}},
      {{"guided_alignment", {"self"}}, "weights", {}},
      {{"guided_alignment_weight", {"5"}}, "weights", {{"guided_alignment", {"self"}}}},
      {{"max_words", {"3"}}, "messages", {}},
      {{"max_ratio", {"1.5"}}, "messages", {}},
      {{"min_word_count", {"2"}}, "messages", {}},
      {{"tokenizer", {"char"}}, "vocabulary", {{"vocabulary_size", {"40"}}}},
      {{"vocabulary_size", {"50"}}, "vocabulary", large},
      {{"vocabulary_lines", {"60"}}, "vocabulary", {}},
      {{"character_coverage", {"0.98"}}, "vocabulary", large},
      {{"byte_fallback", {"true"}},
       "vocabulary",
       {{"vocabulary_size", {"300"}}, {"tokenizer", {"bpe"}}}},
      {{"lowercase", {"true"}}, "vocabulary", {}},
      {{"normalization", {"identity"}}, "vocabulary", {}},
      {{"target_normalization", {"nmt_nfkc"}}, "vocabulary", {}},
      {{"split_digits", {"true"}}, "vocabulary", numbers},
      {{"user_symbols", {"@symbols"}}, "vocabulary", large},
      {{"vocabularies", {"separate"}}, "files", apart},
      {{"tokenizer_model", {"@t.spm"}}, "vocabulary", {}},
      {{"preset", {"small"}}, "config", {{"d_ff", {}}}},
      {{"encoder_layers", {"2"}}, "config", {}},
      {{"decoder_layers", {"2"}}, "config", {}},
      {{"d_model", {"32"}}, "config", {}},
      {{"heads", {"4"}}, "weights", {}},
      {{"d_ff", {"48"}}, "config", {}},
      {{"activation", {"gelu"}}, "weights", {}},
      {{"architecture", {"rnn"}}, "config", {{"d_ff", {}}, {"heads", {}}}},
      {{"cell", {"gru"}}, "weights", recurrent},
      {{"input_feeding", {"off"}}, "weights", recurrent},
      {{"attention", {"additive"}}, "weights", {}},
      {{"attention_reach", {"local:1"}}, "weights", {}},
      {{"key_value_heads", {"1"}}, "weights", {}},
      {{"d_key", {"4"}}, "weights", {}},
      {{"d_value", {"4"}}, "weights", {}},
      {{"share_query_key", {"true"}}, "weights", {}},
      {{"positions", {"rotary"}}, "weights", {}},
      {{"norm", {"pre"}}, "weights", {}},
      {{"norm_kind", {"rms"}}, "weights", {}},
      {{"residual", {"off"}}, "weights", {}},
      {{"tie_embeddings", {"none"}}, "config", {}},
      {{"dropout", {"0.3"}}, "weights", {}},
      {{"attention_dropout", {"0.3"}}, "weights", {}},
      {{"activation_dropout", {"0.3"}}, "weights", {}},
      {{"initialization", {"xavier"}}, "weights", {}},
      {{"finetune_from", {"@before"}}, "weights", unsized},
      {{"batch_tokens", {"60"}}, "reports", {}},
      {{"batch_sentences", {"7"}}, "reports", {}},
      {{"accumulate", {"2"}}, "reports", {}},
      {{"shards", {"1"}}, "weights", {{"dropout", {"0.3"}}}},
      {{"schedule", {"constant"}}, "rates", {}},
      {{"decay_steps", {"4"}}, "rates", {{"schedule", {"linear"}}, {"warmup_steps", {"1"}}}},
      {{"final_fraction", {"0.5"}}, "rates", {{"schedule", {"cosine"}}, {"warmup_steps", {"1"}}}},
      {{"optimizer", {"adamw"}}, "weights", {}},
      {{"weight_decay", {"0.5"}}, "weights", {{"optimizer", {"adamw"}}}},
      {{"ema", {"0.5"}}, "weights", {}},
      {{"learning_rate", {"2"}}, "rates", {}},
      {{"warmup_steps", {"2"}}, "rates", {}},
      {{"beta1", {"0.5"}}, "weights", {}},
      {{"beta2", {"0.5"}}, "weights", {}},
      {{"epsilon", {"0.1"}}, "weights", {}},
      {{"clip_norm", {"0.01"}}, "weights", {}},
      {{"label_smoothing", {"0.3"}}, "weights", {}},
      {{"epochs", {"2"}}, "end", {{"steps", {}}}},
      {{"steps", {"3"}}, "end", {}},
      {{"minutes", {"1e-9"}}, "end", {}},
      {{"validate_every", {"2"}}, "validations", validated},
      {{"validation_metric", {"bleu"}}, "translations", validated},
      {{"scored_lines", {"1"}}, "translations", validated},
      {{"patience", {"1"}},
       "end",
       {{"valid_source", {"@s"}},
        {"valid_target", {"@t"}},
        {"validate_every", {"1"}},
        {"validation_metric", {"bleu"}}}},
      {{"patience_on", {"all"}},
       "end",
       {{"valid_source", {"@s"}},
        {"valid_target", {"@t"}},
        {"validate_every", {"1"}},
        {"validation_metric", {"bleu"}},
        {"patience", {"1"}}}},
      {{"keep_best", {"true"}}, "files", validated},
      {{"keep_checkpoints", {"2"}}, "files", {{"validate_every", {"1"}}}},
      {{"average", {"last:3"}}, "weights", {{"validate_every", {"1"}}}},
      {{"save_minutes", {"0"}}, "saved", {}},
      {{"resume", {"true"}}, "reports", {{"steps", {"6"}}, {"model", {"@before"}}}},
      {{"overwrite", {"true"}}, "messages", {{"model", {"@other"}}}},
      {{"allow_other_instruction_set", {"true"}},
       "messages",
       {{"steps", {"6"}}, {"model", {"@elsewhere built"}}, {"resume", {"true"}}}},
      {{"seed", {"2"}}, "weights", {}},
      {{"strict", {"true"}}, "messages", {{"source", {"@broken"}}}},
      {{"report_every", {"3"}}, "reports", {}},
      {{"tensorboard", {"@events"}}, "events", {}},
      {{"report", {"false"}}, "files", {}},
  };
}

// Options that only the program shows have a row in tests/options.txt.
bool has_row_elsewhere(const Option& option) {
  std::istringstream lines(read_file(HEED_TESTS "/options.txt"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string command, flag;
    if (!(words >> command >> flag) || command != "train") continue;
    flag = flag.substr(0, flag.find('='));
    if (flag == option.flag() || flag == "--no-" + option.flag().substr(2)) return true;
  }
  return false;
}

class OptionsRecorder : public TrainObserver {
 public:
  explicit OptionsRecorder(std::filesystem::path state) : state_(std::move(state)) {}
  void message(const std::string& text) override { messages += text + "\n"; }
  void report(const TrainReport& r) override {
    reports += fmt::format("{} {}\n", r.step, r.loss);
    rates += fmt::format("{}\n", r.learning_rate);
    saved += std::filesystem::exists(state_) ? "yes " : "no ";
  }
  void validated(const ValidationReport& r) override {
    validations += fmt::format("{} {}\n", r.step, r.loss.value_or(-1));
    for (const TextValidation& text : r.texts)
      validations += fmt::format("{} {}\n", text.name, text.loss.value_or(-1));
    translations += !r.scores.empty() ? "yes " : "no ";
  }
  static TranslationMeasures measures() {
    return {.scores = [](const ModelParts&, const LinesToScore&) {
      return ScoredTranslations{{{"bleu", "BLEU", 1}, {"chrf", "chrF", 1}}};
    }};  // never better
  }

  std::string messages, reports, rates, saved, validations, translations;

 private:
  std::filesystem::path state_;
};

class TrainOptionsTest : public ::testing::Test {
 protected:
  TrainOptionsTest() {
    for (const char* which : {"", "2"}) {
      std::string source, target;
      Random random(*which == 0 ? 1 : 2);
      for (int i = 0; i < 60; ++i) {
        std::string words;
        for (uint64_t n = 1 + random.below(5); n > 0; --n)
          words += std::string(1, char('A' + random.below(12))) + "xyz\u00e4\uff21 ";
        source += words + "\n";
        target += words + (i == 20 ? words + words + "once" : "") + "\n";
      }
      folder_.write(std::string("s") + which, source);
      folder_.write(std::string("t") + which, target);
    }
    std::string numbers;
    for (int i = 0; i < 60; ++i) numbers += fmt::format("{} {}xyz\n", 7919 * i, char('A' + i % 26));
    folder_.write("numbers", numbers);
    folder_.write("tsv", "Axyz\tBxyz\nBxyz Cxyz\tCxyz Axyz\nAxyz Bxyz Bxyz\tDxyz\n");
    folder_.write("tsv2", "Axyz Bxyz\tDxyz\nCxyz\tCxyz Axyz\n");
    std::istringstream lines(folder_.read("s"));
    std::string pairs, left, right;
    while (std::getline(lines, left) && std::getline(lines, right))
      pairs += left + "\t" + right + "\n";
    folder_.write("valid.tsv", pairs);
    folder_.write("symbols", "<one>\n");
    folder_.write("broken", "\xff" + folder_.read("s"));
    TokenizerOptions other;
    other.kind = TokenizerKind::word;
    other.vocabulary_size = 12;
    folder_.write("t.spm",
                  train_tokenizer(other, std::vector<std::filesystem::path>{folder_ / "s"}));
    traces({{"model", {"@before"}}, {"preset", {"tiny"}}});
    traces({{"model", {"@other"}}, {"seed", {"3"}}});
    const std::vector<std::string> targets = cpu_instruction_sets();
    if (targets.size() > 1) {
      const auto here = std::exchange(backend_, make_cpu_backend(targets.back()));
      traces({{"model", {"@elsewhere built"}}});
      backend_ = make_cpu_backend();
    }
  }

  void set(TrainOptions& o, const Setting& setting) const {
    Setting s = setting;
    for (std::string& text : s.value) {
      if (text[0] == '@') text = (folder_ / text.substr(1)).string();
      if (text[0] == '{') replace_all(text, "\"@", "\"" + folder_.path().string() + "/");
    }
    const Options options = options_of(o);
    const Option* option = find_option(options, s.name);
    ASSERT_NE(option, nullptr) << s.name;
    assign(*option, s.value, s.name);
  }

  // Trains a model of nothing for five steps.
  Traces traces(const std::vector<Setting>& settings) {
    TrainOptions o;
    for (const Setting& s : std::vector<Setting>{{"source", {"@s"}},
                                                 {"target", {"@t"}},
                                                 {"tokenizer", {"word"}},
                                                 {"vocabulary_size", {"16"}},
                                                 {"preset", {"tiny"}},
                                                 {"d_model", {"16"}},
                                                 {"d_ff", {"32"}},
                                                 {"heads", {"2"}},
                                                 {"encoder_layers", {"1"}},
                                                 {"decoder_layers", {"1"}},
                                                 {"batch_tokens", {"100"}},
                                                 {"warmup_steps", {"10"}},
                                                 {"dropout", {"0"}},
                                                 {"threads", {"1"}},
                                                 {"report_every", {"1"}},
                                                 {"steps", {"5"}},
                                                 {"model", {"@m" + std::to_string(++models_)}}})
      set(o, s);
    for (const Setting& s : settings) set(o, s);
    const std::filesystem::path model = o.model;
    OptionsRecorder recorder(model / "training/state.safetensors");
    Traces all;
    try {
      const TrainResult result = train(o, *backend_, recorder, OptionsRecorder::measures());
      all["end"] = std::to_string(result.progress.step);
    } catch (const Error& error) {
      recorder.messages += error.what();
    }
    all["messages"] = recorder.messages;
    all["reports"] = recorder.reports;
    all["rates"] = recorder.rates;
    all["saved"] = recorder.saved;
    all["validations"] = recorder.validations;
    all["translations"] = recorder.translations;
    all["place"] = std::filesystem::exists(model) ? model.filename().string() : "";
    const auto read = [&](const char* trace, const char* file) {
      if (std::filesystem::exists(model / file)) all[trace] = read_file(model / file);
    };
    read("weights", "model.safetensors");
    read("config", "config.json");
    read("vocabulary", "vocab.json");
    read("tokenizer_config", "tokenizer_config.json");
    if (std::filesystem::exists(folder_ / "events")) all["events"] = "yes";
    if (!std::filesystem::exists(model)) return all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(model))
      all["files"] += entry.path().lexically_relative(model).string() + "\n";
    return all;
  }

  testing::TemporaryFolder folder_;
  std::unique_ptr<Backend> backend_ = make_cpu_backend();
  int models_ = 0;
};

TEST_F(TrainOptionsTest, EveryOptionHasARow) {
  TrainOptions o;
  const std::vector<Row> all = rows();
  for (const Option& option : options_of(o)) {
    const bool here = std::any_of(all.begin(), all.end(),
                                  [&](const Row& row) { return row.option.name == option.name; });
    EXPECT_TRUE(here != has_row_elsewhere(option))
        << option.flag() << " needs a row in " << __FILE__
        << " or, if only the program shows it, in "
        << "tests/options.txt";
  }
}

TEST_F(TrainOptionsTest, SlowEveryOptionIsFelt) {
  Traces plain;
  for (const Row& row : rows()) {
    if (row.option.name == "allow_other_instruction_set" && cpu_instruction_sets().size() < 2)
      continue;
    std::vector<Setting> settings = row.context;
    const bool again = row.option.name == "resume";  // without it the folder is refused
    SCOPED_TRACE(row.option.name);
    // Most rows have no context: their training without the option is one.
    if (settings.empty() && plain.empty()) plain = traces({});
    const Traces without = settings.empty() ? plain : traces(settings);
    settings.push_back(row.option);
    const Traces with = traces(settings);
    const auto value = [&](const Traces& from) {
      const auto found = from.find(row.trace);
      return found == from.end() ? std::string() : found->second;
    };
    EXPECT_NE(value(with), value(without)) << row.option.name << " changed no " << row.trace;
    EXPECT_TRUE(again || !value(with).empty())
        << row.option.name << " left no " << row.trace << ": " << with.at("messages");
  }
}

}  // namespace
}  // namespace heed
