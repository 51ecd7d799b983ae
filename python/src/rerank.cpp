// heed.Reranker: n-best lists in the order of several models.
#include <nanobind/stl/shared_ptr.h>

#include "heed/evaluate/tokenizers.h"
#include "heed/tasks/rerank_tuning.h"
#include "open_model.h"
#include "options.h"

namespace heed::python {
namespace {

using Texts = std::vector<std::string>;

// Hypotheses that are scored between two checks of signals.
constexpr size_t kScoredTogether = 512;

struct RerankedHypothesis {
  std::string text;
  HypothesisFeatures features;
  double score = 0;
  int64_t place = 0;  // in the list that was given, from 0
};

// The models of a Reranker: one that translates, one that translates back or null, and one of the
// target language or null.
struct RerankModels {
  std::shared_ptr<const OpenModel> model, reverse;
  std::shared_ptr<const OpenLanguageModel> language;

  Reranker with(const ScoreOptions& options) const {
    std::optional<Scorer> back, of_language;
    if (reverse) back.emplace(reverse->model().scorer(options));
    if (language) of_language.emplace(language->model().scorer(options));
    return Reranker(model->model().scorer(options), std::move(back), std::move(of_language));
  }
};

std::vector<NbestList> lists_of(const Texts& sources, const std::vector<Texts>& lists) {
  if (sources.size() != lists.size())
    fail_usage("{} sources and {} lists: expected equal numbers", sources.size(), lists.size());
  std::vector<NbestList> all;
  all.reserve(lists.size());
  for (size_t i = 0; i < lists.size(); ++i) {
    if (lists[i].empty()) fail_usage("lists[{}] has no translation, expected at least one", i);
    all.push_back({sources[i], lists[i]});
  }
  return all;
}

std::vector<std::vector<HypothesisFeatures>> features_of(const Reranker& reranker,
                                                         std::span<const NbestList> lists) {
  SignalCheck check_signals;
  std::vector<std::vector<HypothesisFeatures>> all;
  all.reserve(lists.size());
  while (all.size() < lists.size()) {
    check_signals();
    const size_t begin = all.size();
    size_t end = begin;
    for (size_t count = 0; end < lists.size() && count < kScoredTogether; ++end)
      count += lists[end].hypotheses.size();
    for (auto& of_list : reranker.features(lists.subspan(begin, end - begin)))
      all.push_back(std::move(of_list));
  }
  return all;
}

RerankValues weights_of(const nb::dict& given) {
  RerankValues weights = {};
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    const auto names = enum_names(RerankFeature{});
    const auto found = std::ranges::find(names, name, [](const auto& e) { return e.first; });
    double number = 0;
    if (found == names.end() || !nb::try_cast(value, number) || !std::isfinite(number))
      fail_usage("weights: '{}' has no number, expected model, reverse, language or length", name);
    weights[size_t(found->second)] = number;
  }
  return weights;
}

nb::dict dict_of(const RerankValues& values, const auto& wanted) {
  nb::dict dict;
  for (const auto& [name, feature] : enum_names(RerankFeature{}))
    if (wanted(feature)) dict[nb::str(name.data(), name.size())] = values[size_t(feature)];
  return dict;
}

std::vector<std::vector<RerankedHypothesis>> rerank(const RerankModels& models,
                                                    const Texts& sources,
                                                    const std::vector<Texts>& given,
                                                    const nb::dict& named,
                                                    const nb::dict& arguments) {
  const auto options = options_of_call<ScoreOptions>(arguments, "score");
  const RerankValues weights = weights_of(named);
  const nb::gil_scoped_release release;
  const Reranker reranker = models.with(options);
  reranker.expect_models_for(weights);
  const std::vector<NbestList> lists = lists_of(sources, given);
  const auto features = features_of(reranker, lists);
  std::vector<std::vector<RerankedHypothesis>> all(lists.size());
  for (size_t i = 0; i < lists.size(); ++i) {
    for (const size_t place : reranked(features[i], weights)) {
      const HypothesisFeatures& of = features[i][place];
      all[i].push_back(
          {lists[i].hypotheses[place], of, rerank_score(of.values, weights), int64_t(place)});
    }
  }
  return all;
}

nb::tuple tune(const RerankModels& models, const Texts& sources, const std::vector<Texts>& given,
               const Texts& references, const nb::dict& arguments) {
  const auto options = options_of_call<ScoreOptions>(arguments, "score");
  if (references.size() != given.size())
    fail_usage("{} references and {} lists: expected equal numbers", references.size(),
               given.size());
  TunedWeights best;
  std::optional<Reranker> reranker;
  {
    const nb::gil_scoped_release release;
    reranker.emplace(models.with(options));
    const std::vector<NbestList> lists = lists_of(sources, given);
    if (lists.empty()) fail_usage("lists has no list: there is nothing to tune with");
    const BleuOptions bleu{suitable_bleu_tokenizer({&references, 1})};
    best = tune_rerank_weights(tuning_lists(lists, features_of(*reranker, lists), references, bleu),
                               *reranker, bleu);
  }
  const auto has = [&](RerankFeature feature) { return reranker->has(feature); };
  return nb::make_tuple(dict_of(best.weights, has), best.bleu);
}

}  // namespace

void bind_rerank(nb::module_& m) {
  nb::class_<RerankedHypothesis>(m, "RerankedHypothesis", "A translation of a reranked list.")
      .def_ro("text", &RerankedHypothesis::text, "The translation.")
      .def_prop_ro(
          "score",
          [](const RerankedHypothesis& h) -> std::optional<double> {
            if (h.features.is_scored) return h.score;
            return {};
          },
          "The weighted sum of `values`; None if it is empty, or too long for one of the models.")
      .def_ro("place", &RerankedHypothesis::place, "Its place in the list that was given, from 0.")
      .def_prop_ro(
          "values",
          [](const RerankedHypothesis& h) {
            return dict_of(h.features.values, [](RerankFeature) { return true; });
          },
          "Log-probabilities by \"model\", \"reverse\" and \"language\", 0 without such a model, "
          "and the \"length\" in tokens.")
      .def("__repr__", &repr_of);
  nb::class_<RerankModels>(m, "RerankModels", "Used by heed.Reranker.")
      .def(
          "__init__",
          [](RerankModels* self, std::shared_ptr<OpenModel> model,
             std::optional<std::shared_ptr<OpenModel>> reverse,
             std::optional<std::shared_ptr<OpenLanguageModel>> language) {
            new (self) RerankModels{std::move(model), reverse.value_or(nullptr),
                                    language.value_or(nullptr)};
          },
          nb::arg("model"), nb::arg("reverse").none(), nb::arg("language").none())
      .def("rerank", &rerank, nb::arg("sources"), nb::arg("lists"), nb::arg("weights"),
           nb::arg("options"))
      .def("tune", &tune, nb::arg("sources"), nb::arg("lists"), nb::arg("references"),
           nb::arg("options"));
}

}  // namespace heed::python
