// make_seeds DIR: whole files of every kind that heed reads, written by heed itself, one
// directory for each fuzz target. The build calls it; the fuzzer changes what it finds here.
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "heed/core/files.h"
#include "heed/core/utf8.h"
#include "heed/data/corpus_file.h"
#include "heed/model/directory.h"
#include "heed/model/sequence_model.h"
#include "heed/text/byte_level_bpe.h"
#include "heed/text/tokenizer_training.h"
#include "reference/reference_backend.h"
#include "small_model.h"
#include "support/bytes.h"

namespace heed::fuzzing {
namespace {

namespace fs = std::filesystem;

// Where the seeds of a target go, and how many it has.
class Seeds {
 public:
  explicit Seeds(fs::path root) : root_(std::move(root)) {}

  void add(const std::string& target, std::string_view bytes) {
    fs::create_directories(root_ / target);
    write_file_atomically(root_ / target / fmt::format("seed-{:03}", count_++), bytes);
  }
  // A place for files that become seeds.
  fs::path scratch() const {
    fs::create_directories(root_ / "scratch");
    return root_ / "scratch";
  }

 private:
  fs::path root_;
  int count_ = 0;
};

constexpr const char* kText =
    "Ich sehe ein Haus.\nDas Haus ist alt und grau.\nEin Haus und ein Baum.\nDer Baum ist hoch.\n"
    "Zwei Katzen jagen vier Vögel.\nMorgen kaufen wir Brot, Käse und Äpfel!\nWarum nicht? Ja.\n";
constexpr const char* kTabularText =
    "Ich sehe ein Haus.\tI see a house.\tCC\nDas Haus ist alt.\tThe house is old.\n\tnothing\t\n"
    "alone\nEin \xff Haus\tA house\tCC";
constexpr const char* kOddText =
    "\xff\xfe\n你好，世界\t𝒳 e\xcc\x81\r\n\n<s> </s> & &amp; 1,000.5 -- x";

void add_requests(Seeds& seeds) {
  const std::string host = "Host: heed.test:5000\r\n";
  const std::string form = "q=Guten+Tag&source=de&target=%65n";
  const std::string get = "GET /v1/a%20b?" + form + " HTTP/1.1\r\n" + host;
  const std::string post = "POST /translate HTTP/1.1\r\n" + host;
  const std::string plain =
      post + "Content-Length: " + std::to_string(form.size()) + "\r\n\r\n" + form;
  const std::string chunked = post +
                              "Transfer-Encoding: chunked\r\n\r\n5;a=\"b\"\r\nhello\r\n0A\r\n"
                              ", world 12\r\n0\r\nTrailer: x\r\n\r\n";
  seeds.add("http_fuzz", form);
  seeds.add("http_fuzz", plain);
  seeds.add("http_fuzz", chunked);
  seeds.add("http_fuzz", get + "\r\n" + plain + chunked + "\r\n" + get + "\r\n");
  seeds.add("http_fuzz", get +
                             "Accept-Encoding: gzip;q=0.5, *;q=0\r\nX-Forwarded-For: 192.0.2.1, "
                             "[2001:db8::1]:80, 10.0.0.2\r\nConnection: keep-alive, close\r\n\r\n");
  seeds.add("http_fuzz", "GET http://heed.test/a?b HTTP/1.0\r\nExpect: 100-continue\r\n\r\n");
}

void add_forms(Seeds& seeds) {
  const auto add = [&](const std::string& type, const std::string& body) {
    seeds.add("forms_fuzz", type + std::string(1, '\0') + body);
  };
  const std::string field = "--b\r\nContent-Disposition: form-data; name=\"q\"\r\n";
  add("multipart/form-data; boundary=b",
      field + "\r\n[\"a\", \"你好\"]\r\n" + field +
          "Content-Type: text/plain; charset=\"utf-8\"\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
          "AT&amp;T <b>\r\n--b--\r\n");
  add("multipart/form-data; boundary=\"b\"", field + "\r\n\r\n--b \r\nX: y\r\n\r\n--b--");
  add("application/x-www-form-urlencoded", "q=[\"a\",+\"b\"]&alternatives=3&q=%E4%BD%A0");
  add("application/json; charset=utf-8", R"({"q": ["a", "b"], "alternatives": 3, "f": true})");
  add("zh_Hant-TW", "");
  add("zh-cmn-Hans-CN-x", "");
}

void add_texts(Seeds& seeds) {
  seeds.add("html_fuzz",
            "<!DOCTYPE html><html><head><title>A &amp; b</title><script><!-- <script> --></script>"
            "</head><body><p class=x>One <b>two <i title='a b'>three</i></b> <img alt=\"c\"> four"
            "<br/>five<ul><li translate=no>six<li><code>seven</code> eight</ul><!-- nine -->");
  seeds.add("html_fuzz", "<b>a <i>b</b> c</i> d < e &copy f &#228; <pre>g</pre><td><p>h<a b=\"");
  // The first byte is the number of the format.
  seeds.add("document_fuzz",
            "\1{\"a\": \"Press <b>OK</b>\\n%s\", \"@b\": [\"c\", 1, {\"d\": \"\\u00e9\"}]}");
  seeds.add(
      "document_fuzz",
      "\2---\na: b\n---\n# One *two* **three** `four`\n\n> - [five](u \"t\")\n>   <i>six</i>\n\n"
      "| a | b |\n|---|---|\n| ![c](d) | ~~e~~[^1] |\n\n[r]: /u\n[r] <http://x.y>  \nz\n");
  seeds.add(
      "document_fuzz",
      "\3# c\nmsgid \"\"\nmsgstr \"charset=UTF-8\\n\"\n\nmsgctxt \"x\"\nmsgid \"One\\n\"\n\"two "
      "<b>3</b>\"\nmsgid_plural \"%d\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n");
  seeds.add("document_fuzz",
            "\4Title\n=====\n\n.. note:: One *two* ``three`` :ref:`four <a>`\n   `b c`_ [1]_::\n\n "
            "    d\n\n"
            "- e\\ |f|\n\n  g : h\n    i `j <http://k.l>`__\n\n:m: n\n\n== ==\no  p\n== ==\n\n.. "
            "_b c: q\n"
            ".. [1] r\n\n1. s_\n\n| t\n\n.. figure:: u\n   :alt: v\n\n   w\n");
  seeds.add("document_fuzz",
            "\5"
            "1\n00:00:01,000 --> 00:00:02,000\n- <i>One</i>\n- {\\an8}two\n\n"
            "2\n00:00:03,000 --> 00:00:04,000\nthree\nfour\n");
  seeds.add(
      "document_fuzz",
      "\6<xliff version='1.2'><file><trans-unit id='1'><source>One <g id='1'>two</g><ph>x</ph>"
      "</source><target state='new'/></trans-unit><segment state='initial'><source>a &lt;b>"
      "</source></segment></file></xliff>");
  seeds.add("document_fuzz",
            "\7<?xml version='1.0'?><!DOCTYPE d [<!ENTITY e 'f'>]><d><p>One <b>two</b> &e;</p>"
            "<!-- c --><q translate='no'>x</q><code>y</code><![CDATA[<p>z]]></d>");
  seeds.add("lines_fuzz", kTabularText);
  seeds.add("lines_fuzz", gzip(kTabularText));
  for (const std::string text : {kText, kOddText}) {
    seeds.add("utf8_fuzz", text);
    seeds.add("sentences_fuzz", text);
    seeds.add("lines_fuzz", text);
    seeds.add("lines_fuzz", gzip(text));
    seeds.add("lines_fuzz", gzip(text) + std::string(9, '\0') + gzip("more"));
    seeds.add("lines_fuzz", text + std::string(1, '\0') + text);
    seeds.add("lines_fuzz", gzip(text) + std::string(1, '\0') + gzip(text));
    seeds.add("evaluate_fuzz", text + std::string(1, '\0') + text);
    seeds.add("evaluate_fuzz", text + std::string(1, '\0') + kText);
  }
  const std::string tree = "(TOP (S (NP-SBJ (DT the) (NN cat)) (VP (VBZ sits)) (. .)))\n";
  seeds.add("evaluate_fuzz", tree + "( (S (NN a)))\n" + std::string(1, '\0') + tree + tree);
  seeds.add("trees_fuzz", tree);
  seeds.add("trees_fuzz", "( (S=2 (NP (-NONE- *)) (-LRB- -LRB-) (NN \xe7\x8c\xab)))");
  const std::string spans = "B-PER I-PER O B-LOC\nO\n";
  seeds.add("evaluate_fuzz", spans + std::string(1, '\0') + spans);
}

TokenizerOptions tokenizer_options(TokenizerKind kind) {
  TokenizerOptions options;
  options.kind = kind;
  options.vocabulary_size = 50;
  options.normalization = Normalization::identity;
  return options;
}

void add_tokenizers(Seeds& seeds) {
  const std::vector<fs::path> files{seeds.scratch() / "text"};
  write_file_atomically(files[0], kText);
  const std::string normalizer =
      normalizer_field(normalizer_table(normalizer_units(), std::string("A\0b\0", 4)));
  for (const auto kind : {TokenizerKind::bpe, TokenizerKind::unigram, TokenizerKind::word,
                          TokenizerKind::character}) {
    const std::string model = train_tokenizer(tokenizer_options(kind), files);
    seeds.add("tokenizer_fuzz", model);
    seeds.add("tokenizer_fuzz", model + normalizer);
    seeds.add("tokenizer_fuzz", model + user_piece("<x>"));
    seeds.add("vocabulary_fuzz", TokenizerPair::joint(model).source().vocabulary().json());
  }
  TokenizerOptions bytes = tokenizer_options(TokenizerKind::bpe);
  bytes.byte_fallback = true;
  bytes.vocabulary_size = 300;
  seeds.add("tokenizer_fuzz", train_tokenizer(bytes, files));
}

// A byte-level BPE with the 256 bytes, a merge and two added tokens.
void add_tokenizer_json(Seeds& seeds) {
  nlohmann::json vocab;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    std::string character;
    append_utf8(character, detail::byte_character(uint8_t(byte)));
    vocab[character] = byte;
  }
  vocab["ab"] = 256;
  const auto added = [](int id, const char* text, bool normalized) {
    return nlohmann::json{{"id", id}, {"content", text}, {"normalized", normalized}};
  };
  nlohmann::json json = {
      {"added_tokens", {added(257, "<|endoftext|>", false), added(258, "<x>", true)}},
      {"normalizer", nullptr},
      {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", true}}},
      {"decoder", {{"type", "ByteLevel"}}},
      {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", {"a b"}}}}};
  seeds.add("tokenizer_json_fuzz", json.dump());
  json["model"]["merges"] = {{"a", "b"}};
  json["model"]["ignore_merges"] = true;
  seeds.add("tokenizer_json_fuzz", json.dump());
}

std::vector<ModelConfig> model_configs() {
  std::vector<ModelConfig> all;
  for (const auto tie : {TieEmbeddings::all, TieEmbeddings::decoder, TieEmbeddings::none}) {
    ModelConfig& config = all.emplace_back(small_config());
    config.tie_embeddings = tie;
    config.output_bias = tie == TieEmbeddings::none;
  }
  // Between them, every option of the variants.
  const auto add = [&](ScoreFunction attention, const char* reach, Positions positions) -> auto& {
    Variants& variants = all.emplace_back(small_config()).variants;
    variants.attention = attention;
    variants.attention_reach = reach;
    variants.positions = positions;
    return variants;
  };
  Variants& rms = add(ScoreFunction::general, "local:2", Positions::rotary);
  rms.key_value_heads = 1;
  rms.norm = NormPlacement::pre;
  rms.norm_kind = NormKind::rms;
  all.back().activation = FeedForwardKind::swiglu;
  Variants& sizes = add(ScoreFunction::additive, "local-p:2", Positions::t5);
  sizes.d_key = 4;
  sizes.d_value = 6;
  add(ScoreFunction::cosine, "global", Positions::relative).share_query_key = true;
  add(ScoreFunction::location, "global", Positions::learned).residual = Switch::off;
  add(ScoreFunction::dot, "hard", Positions::alibi);
  // In GPT-2's layout.
  add(ScoreFunction::scaled_dot, "global", Positions::learned).norm = NormPlacement::pre;
  all.back().encoder_layers = 0;
  return all;
}

void add_models(Seeds& seeds) {
  for (const ModelConfig& config : model_configs()) {
    SequenceModel model(config);
    model.initialize(1);
    save_model(seeds.scratch(), model);
    const std::string json = read_file(seeds.scratch() / "config.json");
    const std::string weights = read_file(seeds.scratch() / "model.safetensors");
    seeds.add("json_fuzz", json);
    seeds.add("safetensors_fuzz", weights);
    seeds.add("model_directory_fuzz", json + std::string(1, '\0') + weights);
  }
}

void add_checkpoint(Seeds& seeds) {
  const std::unique_ptr<Backend> backend = make_reference_backend();
  Workers workers(1);
  SequenceModel model(small_config());
  model.initialize(1);
  const Adam adam(parameters(model), *backend, workers);
  Progress progress;
  progress.step = 9;
  progress.batch = 2;
  progress.best = 12.5;
  progress.checkpoints = {{3, 1.5}, {6, std::nullopt}};
  const fs::path path = seeds.scratch() / "state.safetensors";
  save_training_state(path, small_identity(), progress, adam);
  const auto add = [&] {
    // What is changed in a file with a checksum is refused before it is read.
    for (const std::string& bytes : {read_file(path), without_checksum(read_file(path))})
      seeds.add("checkpoint_fuzz", bytes);
  };
  add();
  seeds.add("safetensors_fuzz", read_file(path));
  save_checkpoint(path, adam.parameters());
  add();
}

void add_corpora(Seeds& seeds) {
  const fs::path text = seeds.scratch() / "text", cache = seeds.scratch() / "corpus";
  const std::vector<fs::path> files{text};
  const auto tokenizers =
      TokenizerPair::joint(train_tokenizer(tokenizer_options(TokenizerKind::bpe), files));
  Workers workers(1);
  std::string lines = kText;
  for (const int repeats : {1, 300}) {  // one block, and two
    std::string all;
    for (int i = 0; i < repeats; ++i) all += lines;
    write_file_atomically(text, all);
    Corpus::open(ParallelText({text}, {text}), tokenizers, {}, cache, workers);
    seeds.add("corpus_fuzz", read_file(cache));
  }
}

void add_configurations(Seeds& seeds) {
  TrainOptions options;
  options.source = {"train.de"};
  options.target = {"train.en"};
  options.model = "m";
  seeds.add("configuration_fuzz", to_json(options));
  seeds.add("configuration_fuzz",
            "source = ['a', \"b\"]\ntarget = \"${HOME}/c\"\nmodel = 'm'\ndropout = 3e-1\n"
            "steps = 0x10\n[train]\nlowercase = true\n[translate.x]\ny = 1979-05-27T07:32:00Z\n");
}

}  // namespace
}  // namespace heed::fuzzing

int main(int argc, char** argv) {
  try {
    heed::check(argc == 2, "usage: make_seeds DIR");
    heed::fuzzing::Seeds seeds(argv[1]);
    heed::fuzzing::add_requests(seeds);
    heed::fuzzing::add_forms(seeds);
    heed::fuzzing::add_texts(seeds);
    heed::fuzzing::add_tokenizers(seeds);
    heed::fuzzing::add_tokenizer_json(seeds);
    heed::fuzzing::add_models(seeds);
    heed::fuzzing::add_checkpoint(seeds);
    heed::fuzzing::add_corpora(seeds);
    heed::fuzzing::add_configurations(seeds);
    std::filesystem::remove_all(seeds.scratch());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_seeds: %s\n", error.what());
    return 1;
  }
}
