#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>

#include <functional>
#include <type_traits>

#include "arrays.h"
#include "heed/pages/attention_page.h"
#include "open_model.h"
#include "options.h"

namespace heed::python {
namespace {

// The explanation of a text, and the facts that its page needs besides.
struct Explained {
  std::function<ModelParts()> parts;  // of the model, which it keeps open
  std::string source;
  SearchOptions search;
  Explanation of;
};

template <class Open>
Explained explain_text(std::shared_ptr<const Open> model, const std::string& source,
                       const std::string& prefix, const nb::dict& arguments) {
  const auto options = options_of_call<DecodeOptions>(arguments, "explain");
  const nb::gil_scoped_release release;
  Explanation explanation = model->model().explain({source, prefix}, options);
  return {[model = std::move(model)] { return model->model().parts(); }, source, options.search,
          std::move(explanation)};
}

// Without tokens there are no weights.
OutputArray weights_of(const Tensor& tensor) {
  return array_of(tensor ? tensor : Tensor({0, 0, 0, 0}));
}

std::vector<std::pair<int64_t, int64_t>> pairs_of(const std::vector<PieceRange>& words) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const PieceRange& word : words) pairs.emplace_back(word.begin, word.end);
  return pairs;
}

// The likeliest pieces in the place of each target piece, with their log-probabilities.
std::vector<std::vector<std::pair<std::string, double>>> alternatives_of(
    const PartExplanation& part) {
  std::vector<std::vector<std::pair<std::string, double>>> all;
  for (const std::vector<LikelyPiece>& likeliest : part.likeliest) {
    auto& place = all.emplace_back();
    for (const auto& [piece, log_probability] : likeliest)
      place.emplace_back(piece, log_probability);
  }
  return all;
}

// The fields of heed.ExplainedPart.
nb::dict part_of(const PartExplanation& part) {
  const PairAttention& weights = part.attention;
  std::vector<std::pair<int64_t, int64_t>> alignment;
  for (const AlignedPair& pair : part.alignment) alignment.emplace_back(pair.source, pair.target);
  nb::dict fields;
  fields["attention"] =
      nb::make_tuple(weights.source_pieces, weights.target_pieces, weights_of(weights.encoder),
                     weights_of(weights.decoder), weights_of(weights.cross));
  fields["ended"] = part.ended;
  fields["log_probabilities"] = nb::cast(part.log_probabilities);
  fields["alternatives"] = nb::cast(alternatives_of(part));
  fields["source_words"] = nb::cast(pairs_of(weights.source_words));
  fields["target_words"] = nb::cast(pairs_of(weights.target_words));
  fields["alignment"] = nb::cast(alignment);
  return fields;
}

nb::list parts_of(const Explained& explained) {
  nb::list parts;
  for (const PartExplanation& part : explained.of.parts) parts.append(part_of(part));
  return parts;
}

std::string html_of(const Explained& explained, const std::string& model,
                    const std::string& language, const std::string& theme) {
  const nb::gil_scoped_release release;
  AttentionPage page(explained.parts(), {model, shown_options(explained.search)});
  page.add(explained.source, explained.of);
  return page.html(1, {language, theme});
}

}  // namespace

void bind_explanation(nb::module_& m) {
  nb::class_<Explained>(m, "Explanation", "Used by heed.Explanation.")
      .def_prop_ro("translation", [](const Explained& e) { return e.of.translation; })
      .def_prop_ro("parts", &parts_of)
      .def("html", &html_of, nb::arg("model"), nb::arg("language"), nb::arg("theme"));
  const auto of_model = [&]<class Open>(std::type_identity<Open>) {
    m.def("explain", &explain_text<Open>, nb::arg("model"), nb::arg("source"), nb::arg("prefix"),
          nb::arg("options"));
  };
  of_model(std::type_identity<OpenModel>());
  of_model(std::type_identity<OpenLanguageModel>());
  of_model(std::type_identity<OpenParser>());
  of_model(std::type_identity<OpenClassifier>());
}

}  // namespace heed::python
