#include <nanobind/stl/shared_ptr.h>

#include <condition_variable>
#include <mutex>
#include <numeric>

#include "arrays.h"
#include "heed/core/utf8.h"
#include "heed/documents/document_translation.h"
#include "heed/model/sequence_model.h"
#include "open_model.h"
#include "options.h"

namespace heed::python {
namespace {

using Texts = std::vector<std::string>;

// Pairs that are scored between two checks of signals.
constexpr size_t kScoredPairs = 512;

// Translates on the threads of the translator, while this one watches for signals.
std::vector<Translation> translate_all(const Translator& translator,
                                       std::vector<TranslationInput> inputs) {
  std::vector<Translation> all(inputs.size());
  std::mutex mutex;
  std::condition_variable changed;
  size_t at = 0, done = 0;
  SignalCheck check_signals;
  const auto next = [&]() -> std::optional<TranslationInput> {
    if (at == inputs.size()) return {};
    return std::move(inputs[at++]);
  };
  const auto emit = [&](const Translation& translation) {
    all[size_t(translation.line)] = translation;
    const std::lock_guard lock(mutex);
    if (++done == all.size()) changed.notify_all();
  };
  // The input ends when all is translated, so that signals are seen until then.
  const auto wait = [&](std::chrono::milliseconds time) {
    check_signals();
    if (at < inputs.size()) return true;
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, time, [&] { return done == all.size(); });
  };
  translator.translate(next, emit, wait);
  return all;
}

std::vector<TranslationInput> inputs_of(const Texts& texts, const Texts& prefixes) {
  if (!prefixes.empty() && prefixes.size() != texts.size())
    fail_usage("{} texts and {} prefixes: expected equal numbers", texts.size(), prefixes.size());
  std::vector<TranslationInput> inputs;
  inputs.reserve(texts.size());
  for (size_t i = 0; i < texts.size(); ++i)
    inputs.emplace_back(texts[i], prefixes.empty() ? std::string() : prefixes[i]);
  return inputs;
}

Texts best_of_all(const Translator& translator, const Texts& texts) {
  if (texts.size() <= 1) return best_translations(translator, texts);
  Texts best;
  best.reserve(texts.size());
  for (Translation& translation : translate_all(translator, inputs_of(texts, {})))
    best.push_back(std::move(translation.hypotheses.front().text));
  return best;
}

// The terms of a dictionary from sources to their forms, or of the file at a path.
std::shared_ptr<const TermList> terms_of(const nb::handle& given) {
  if (!nb::isinstance<nb::dict>(given))
    return std::make_shared<const TermList>(TermList::load(nb::cast<std::string>(nb::str(given))));
  std::vector<Term> terms;
  for (const auto& [source, targets] : nb::cast<nb::dict>(given)) {
    Term& term = terms.emplace_back();
    term.source = nb::cast<std::string>(source);
    if (nb::isinstance<nb::str>(targets))
      term.targets = {nb::cast<std::string>(targets)};
    else
      term.targets = nb::cast<Texts>(targets);
  }
  return std::make_shared<const TermList>(std::move(terms));
}

// With `terms`, which is not one of the table of options.
DecodeOptions translate_options(nb::dict arguments, std::string_view call) {
  nb::dict others;
  for (const auto& [name, value] : arguments)
    if (nb::cast<std::string>(name) != "terms") others[name] = value;
  DecodeOptions options = options_of_call<DecodeOptions>(others, call);
  if (arguments.contains("terms") && !arguments["terms"].is_none())
    options.terms = terms_of(arguments["terms"]);
  return options;
}

Texts translate(const OpenModel& open, const Texts& texts, const nb::dict& arguments) {
  const DecodeOptions options = translate_options(arguments, "translate");
  const nb::gil_scoped_release release;
  return best_of_all(*open.model().kept_translator(options), texts);
}

std::string document_translation(const OpenModel& open, const std::string& text,
                                 const std::string& format, const nb::dict& arguments) {
  const DecodeOptions options = translate_options(arguments, "translate_document");
  const nb::gil_scoped_release release;
  const auto known = document_format(format);
  if (!known)
    fail_usage("format is '{}', expected one of {}", excerpt(format), document_format_names());
  return translate_document(open.model(), FormattedDocument(text, *known), options);
}

std::string tags_of_html(const OpenModel& open, const std::string& html,
                         const std::string& translation) {
  const nb::gil_scoped_release release;
  return transfer_tags(open.model(), html, translation);
}

Texts generate(const OpenLanguageModel& open, const Texts& prompts, const nb::dict& arguments) {
  const DecodeOptions options = options_of_call<GenerateOptions>(arguments, "generate");
  const nb::gil_scoped_release release;
  return best_of_all(*open.model().kept_generator(options), prompts);
}

std::vector<Translation> generations(const OpenLanguageModel& open, const Texts& prompts,
                                     const nb::dict& arguments) {
  const DecodeOptions options = options_of_call<GenerateOptions>(arguments, "generations");
  const nb::gil_scoped_release release;
  return translate_all(*open.model().kept_generator(options), inputs_of(prompts, {}));
}

Texts parse(const OpenParser& open, const Texts& sentences, const nb::dict& arguments) {
  const DecodeOptions options = options_of_call<ParseOptions>(arguments, "parse");
  const nb::gil_scoped_release release;
  return best_of_all(*open.model().kept_parser(options), sentences);
}

std::vector<Translation> parses(const OpenParser& open, const Texts& sentences,
                                const nb::dict& arguments) {
  const DecodeOptions options = options_of_call<ParseOptions>(arguments, "parses");
  const nb::gil_scoped_release release;
  return translate_all(*open.model().kept_parser(options), inputs_of(sentences, {}));
}

std::vector<Translation> translations(const OpenModel& open, const Texts& texts,
                                      const Texts& prefixes, bool attention,
                                      const nb::dict& arguments) {
  DecodeOptions options = translate_options(arguments, "translations");
  options.attention = attention;
  std::vector<TranslationInput> inputs = inputs_of(texts, prefixes);
  const nb::gil_scoped_release release;
  return translate_all(*open.model().kept_translator(options), std::move(inputs));
}

// Without sources, those of a language model.
std::vector<PairScore> score_all(const Scorer& scorer, const Texts& sources, const Texts& targets) {
  std::vector<PairScore> all;
  all.reserve(targets.size());
  SignalCheck check_signals;
  while (all.size() < targets.size()) {
    check_signals();
    std::vector<TextPair> pairs;
    const size_t begin = all.size(), end = std::min(targets.size(), begin + kScoredPairs);
    for (size_t i = begin; i < end; ++i)
      pairs.push_back({sources.empty() ? std::string() : sources[i], targets[i]});
    for (PairScore& pair : scorer.score(pairs)) {
      pair.line += int64_t(begin);
      all.push_back(std::move(pair));
    }
  }
  return all;
}

std::vector<PairScore> score(const OpenModel& open, const Texts& sources, const Texts& targets,
                             const nb::dict& arguments) {
  if (sources.size() != targets.size())
    fail_usage("{} sources and {} targets: expected equal numbers", sources.size(), targets.size());
  const auto options = options_of_call<ScoreOptions>(arguments, "score");
  const nb::gil_scoped_release release;
  return score_all(open.model().scorer(options), sources, targets);
}

std::vector<PairScore> score_texts(const OpenLanguageModel& open, const Texts& texts,
                                   const nb::dict& arguments) {
  const auto options = options_of_call<ScoreOptions>(arguments, "score");
  const nb::gil_scoped_release release;
  return score_all(open.model().scorer(options), {}, texts);
}

// [target pieces, source pieces]; None without attention.
std::optional<OutputArray> attention_of(const Hypothesis& hypothesis) {
  const AttentionWeights& rows = hypothesis.of.attention;
  if (hypothesis.source_pieces == 0) return {};
  Tensor dense({int64_t(rows.size()), int64_t(hypothesis.source_pieces)});
  for (size_t i = 0; i < rows.size(); ++i)
    std::copy(rows[i].weights.begin(), rows[i].weights.end(),
              dense.data<float>() + i * hypothesis.source_pieces + rows[i].offset);
  return array_of(dense);
}

std::vector<Hypothesis> hypotheses_of(const Translation& translation) {
  std::vector<Hypothesis> all;
  for (const TextHypothesis& hypothesis : translation.hypotheses)
    all.push_back({hypothesis, translation.source_pieces.size()});
  return all;
}

// The object as Python makes it.
nb::object html_of(nb::handle result) {
  return nb::module_::import_("heed._notebook").attr("html_of")(result);
}

OutputArray encode(const OpenModel& open, const std::string& source) {
  const nb::gil_scoped_release release;
  const Tensor states = open.model().encode(source).states;
  const nb::gil_scoped_acquire acquire;
  return array_of(states);
}

OutputArray logits(const OpenModel& open, const std::string& source, const std::string& target) {
  const nb::gil_scoped_release release;
  const Tensor values = open.model().logits(source, target).logits;
  const nb::gil_scoped_acquire acquire;
  return array_of(values);
}

Texts pieces_with_end(const Tokenizer& tokenizer, const std::string& text) {
  std::vector<TokenId> ids = tokenizer.encode(text);
  ids.push_back(tokenizer.end_id());
  return tokenizer.pieces(ids);
}

nb::tuple attention(const OpenModel& open, const std::string& source, const std::string& target) {
  PairAttention weights;
  {
    const nb::gil_scoped_release release;
    weights = open.model().attention(source, target);
  }
  return nb::make_tuple(weights.source_pieces, weights.target_pieces, array_of(weights.encoder),
                        array_of(weights.decoder), array_of(weights.cross));
}

std::vector<ClassifiedLine> classify(const OpenClassifier& open, const Texts& texts,
                                     const nb::dict& arguments) {
  const auto options = options_of_call<ScoreOptions>(arguments, "classify");
  const nb::gil_scoped_release release;
  SignalCheck check_signals;
  std::vector<ClassifiedLine> all;
  size_t at = 0;
  const auto next = [&]() -> std::optional<std::string> {
    check_signals();
    if (at == texts.size()) return {};
    return texts[at++];
  };
  open.model().classify(
      next, [&](const ClassifiedLine& line) { all.push_back(line); }, options);
  return all;
}

const Texts& vocabulary_of(const Classifier& model) {
  return model.labels();
}

// The pieces that the model predicts, in the order of the columns of logits.
template <class AnyModel>
Texts vocabulary_of(const AnyModel& model) {
  std::vector<TokenId> ids(size_t(model.config().output_vocabulary_size));
  std::iota(ids.begin(), ids.end(), TokenId(0));
  return model.tokenizers().target().pieces(ids);
}

template <class Open>
nb::dict config(const Open& open) {
  const ModelConfig& config = open.model().config();
  nb::dict values;
  values["d_model"] = config.d_model;
  values["d_ff"] = config.d_ff;
  values["decoder_d_ff"] = config.d_ff_of_decoder();
  values["heads"] = config.heads;
  values["encoder_layers"] = config.encoder_layers;
  values["decoder_layers"] = config.decoder_layers;
  values["vocabulary_size"] = config.vocabulary_size;
  values["max_positions"] = config.max_positions;
  values["parameters"] = parameter_count(open.model().parts().model);
  return values;
}

void bind_results(nb::module_& m) {
  nb::class_<Hypothesis>(m, "Hypothesis", "One of the n-best translations of a text.")
      .def_prop_ro(
          "text", [](const Hypothesis& h) { return h.of.text; }, "The translation.")
      .def_prop_ro(
          "score", [](const Hypothesis& h) { return h.of.score; },
          "The log-probability with the length penalty, by which hypotheses are ranked.")
      .def_prop_ro(
          "pieces", [](const Hypothesis& h) { return h.of.pieces; },
          "The pieces of the target vocabulary, without </s>.")
      .def_prop_ro(
          "log_probabilities", [](const Hypothesis& h) { return h.of.log_probabilities; },
          "Of each piece, and then of </s>; natural logarithms.")
      .def_prop_ro(
          "attention", &attention_of, nb::rv_policy::automatic,
          "Weights [target pieces, source pieces], the mean over the heads that align words "
          "best; None unless asked for.")
      .def("__repr__", &repr_of)
      .def("_repr_html_", &html_of, "For notebooks: the pieces, shaded by their probabilities.");
  nb::class_<TermUse>(m, "TermUse", "A term in a text, and the form that its translation has.")
      .def_ro("begin", &TermUse::begin, "Where it begins: a byte of the text as UTF-8.")
      .def_ro("end", &TermUse::end, "Where it ends.")
      .def_ro("source", &TermUse::source, "The term, as the text has it.")
      .def_ro("target", &TermUse::target, "The form; empty if the translation has none.")
      .def_prop_ro(
          "missed",
          [](const TermUse& use) -> std::optional<std::string> {
            if (use.miss == TermMiss::none) return {};
            return to_text(use.miss);
          },
          "Why it has none: \"vocabulary\", \"copied\", \"length\" or \"restored\"; None if it has "
          "one.");
  nb::class_<Translation>(m, "Translation", "The translations of a text.")
      .def_ro("index", &Translation::line, "Which text it is of, from 0.")
      .def_prop_ro(
          "text", [](const Translation& t) { return t.hypotheses.front().text; },
          "The best translation.")
      .def_prop_ro("hypotheses", &hypotheses_of, "The n best, best first; at least one.")
      .def_ro("source_pieces", &Translation::source_pieces,
              "The pieces of the source, </s> last; empty unless attention was asked for.")
      .def_prop_ro(
          "status", [](const Translation& t) { return t.status.text(); },
          "\"ok\", or \"empty\", \"split\", \"truncated\", \"unfinished\", "
          "\"prefix_too_long\", \"invalid_utf8\", \"restored\", \"terms_missed\", "
          "\"unknown_characters\", separated by commas.")
      .def_prop_ro(
          "unknown_characters", [](const Translation& t) { return t.status.unknown_characters; },
          "The characters of the source that the training text did not have.")
      .def_ro("confidence", &Translation::confidence,
              "The probability that the best translation is good, of a model that heed calibrate "
              "measured; else None.")
      .def_ro("terms", &Translation::terms,
              "With `terms`: those of the text, in order, and what became of them.")
      .def("__repr__", &repr_of)
      .def("_repr_html_", &html_of, "For notebooks: the hypotheses, as theirs.");
  nb::class_<PairScore>(m, "PairScore", "The log-probability of a target, given its source.")
      .def_ro("log_probability", &PairScore::log_probability, "The sum; a natural logarithm.")
      .def_ro("log_probabilities", &PairScore::log_probabilities, "Of each piece.")
      .def_ro("pieces", &PairScore::pieces, "The pieces of the target, </s> last.")
      .def_prop_ro(
          "status", [](const PairScore& s) { return s.status.text(); },
          "\"ok\", or \"empty\", \"truncated\", \"invalid_utf8\", separated by commas.")
      .def("__repr__", &repr_of);
}

// What every model has.
template <class Open>
nb::class_<Open> bind_opened(nb::module_& m, const char* name, const char* documentation) {
  return nb::class_<Open>(m, name, documentation)
      .def(nb::init<const std::string&, const std::string&, const std::string&>(), nb::arg("path"),
           nb::arg("compute"), nb::arg("device"), nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("vocabulary", [](const Open& open) { return vocabulary_of(open.model()); })
      .def_prop_ro("config", &config<Open>)
      .def_prop_ro("backend",
                   [](const Open& open) { return std::string(open.model().backend().name()); });
}

template <class Open>
Texts target_pieces(const Open& open, const std::string& text) {
  return pieces_with_end(open.model().tokenizers().target(), text);
}

void bind_classifier(nb::module_& m) {
  nb::class_<ClassifiedLine>(m, "ClassifiedText", "The labels of a text or of its words.")
      .def_ro("index", &ClassifiedLine::line, "Which text it is, from 0.")
      .def_ro("words", &ClassifiedLine::words, "The words of the text; empty if it has one label.")
      .def_prop_ro(
          "labels",
          [](const ClassifiedLine& line) {
            Texts labels;
            for (const ClassChoice& choice : line.choices) labels.push_back(choice.label);
            return labels;
          },
          "The likeliest label of each word, or of the text.")
      .def_prop_ro(
          "probabilities",
          [](const ClassifiedLine& line) {
            std::vector<double> all;
            for (const ClassChoice& choice : line.choices) all.push_back(choice.probability());
            return all;
          },
          "Of each label.")
      .def_prop_ro(
          "status", [](const ClassifiedLine& line) { return line.status.text(); },
          "\"ok\", or \"empty\", \"split\", \"truncated\", \"invalid_utf8\", "
          "\"unknown_characters\", separated by commas.")
      .def("__repr__", &repr_of);
  bind_opened<OpenClassifier>(m, "Classifier", "Used by heed.Classifier.")
      .def("classify", &classify, nb::arg("texts"), nb::arg("options"))
      .def_prop_ro("classes_of", [](const OpenClassifier& open) {
        return to_text(open.model().config().classes_of);
      });
}

void bind_stream(nb::module_& m) {
  nb::class_<TranslationStream>(m, "TranslationStream", "Used by Model.translate_iter.")
      .def("__init__",
           [](TranslationStream* self, std::shared_ptr<OpenModel> model, const nb::dict& options) {
             new (self)
                 TranslationStream(std::move(model), translate_options(options, "translate_iter"));
           })
      .def("push", [](TranslationStream& s, const std::string& text) { s.push(text); })
      .def("end", &TranslationStream::end)
      .def("is_full", &TranslationStream::is_full)
      .def(
          "pop",
          [](TranslationStream& stream, bool wait) {
            const nb::gil_scoped_release release;
            return stream.pop(wait ? TranslationStream::Wait::yes : TranslationStream::Wait::no);
          },
          nb::arg("wait"))
      .def("close", &TranslationStream::close, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace

void bind_model(nb::module_& m) {
  bind_results(m);
  bind_opened<OpenLanguageModel>(m, "LanguageModel", "Used by heed.LanguageModel.")
      .def("generate", &generate, nb::arg("prompts"), nb::arg("options"))
      .def("generations", &generations, nb::arg("prompts"), nb::arg("options"))
      .def("score", &score_texts, nb::arg("texts"), nb::arg("options"))
      .def("target_pieces", &target_pieces<OpenLanguageModel>, nb::arg("text"));
  bind_opened<OpenParser>(m, "Parser", "Used by heed.Parser.")
      .def("parse", &parse, nb::arg("sentences"), nb::arg("options"))
      .def("parses", &parses, nb::arg("sentences"), nb::arg("options"));
  bind_opened<OpenModel>(m, "Model", "Used by heed.Model.")
      .def("translate", &translate, nb::arg("texts"), nb::arg("options"))
      .def("transfer_tags", &tags_of_html, nb::arg("html"), nb::arg("translation"))
      .def("translate_document", &document_translation, nb::arg("text"), nb::arg("format"),
           nb::arg("options"))
      .def("translations", &translations, nb::arg("texts"), nb::arg("prefixes"),
           nb::arg("attention"), nb::arg("options"))
      .def("score", &score, nb::arg("sources"), nb::arg("targets"), nb::arg("options"))
      .def(
          "source_pieces",
          [](const OpenModel& open, const std::string& text) {
            return pieces_with_end(open.model().tokenizers().source(), text);
          },
          nb::arg("text"))
      .def("target_pieces", &target_pieces<OpenModel>, nb::arg("text"))
      .def("encode", &encode, nb::arg("source"))
      .def("logits", &logits, nb::arg("source"), nb::arg("target"))
      .def("attention", &attention, nb::arg("source"), nb::arg("target"));
  bind_classifier(m);
  bind_stream(m);
}

}  // namespace heed::python
