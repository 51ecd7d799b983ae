#include <fmt/ranges.h>
#include <nanobind/stl/pair.h>

#include "heed/core/utf8.h"
#include "heed/data/cleaning.h"
#include "heed/decode/line_aligner.h"
#include "heed/evaluate/metric_options.h"
#include "heed/pages/cleaning_page.h"
#include "options.h"

namespace heed::python {
namespace {

using Texts = std::vector<std::string>;

// For each metric its name and its scores: one of the corpus, or one of each sentence.
using Scores = std::vector<std::pair<std::string, std::vector<MetricScore>>>;

Scores evaluate_texts(const Texts& hypotheses, const std::vector<Texts>& references,
                      const nb::dict& arguments) {
  const auto options = options_from<MetricOptions>(arguments, "evaluate");
  const nb::gil_scoped_release release;
  check_options(options);
  const auto measured = measure({&hypotheses, 1}, references, options);
  const std::vector<std::string> names = metric_names(options);
  Scores scores;
  for (size_t m = 0; m < names.size(); ++m) {
    std::vector<MetricScore>& of_metric = scores.emplace_back(names[m], 0).second;
    if (!options.sentence) of_metric.push_back(measured[m]->corpus(0));
    for (size_t i = 0; options.sentence && i < measured[m]->sentences(); ++i)
      of_metric.push_back(measured[m]->sentence(0, i));
  }
  return scores;
}

std::string suitable_tokenizer(const std::vector<Texts>& references) {
  return to_text(suitable_bleu_tokenizer(references));
}

// The report of `heed inspect data`, as JSON.
std::string inspect_data_files(const std::string& source, const std::string& target,
                               const std::string& model, std::optional<int64_t> threads,
                               const nb::dict& arguments) {
  const auto options = options_from<InspectionOptions>(arguments, "inspect_data");
  const nb::gil_scoped_release release;
  std::optional<TokenizerPair> tokenizers;
  if (!model.empty()) tokenizers = TokenizerPair::load(model);
  InspectionFiles files;
  files.source = {TextFile(source)};
  files.target = {TextFile(target)};
  Workers workers(int(threads.value_or(available_threads())));
  const DataReport report =
      inspect_data(files, options, tokenizers ? &*tokenizers : nullptr, workers);
  return data_json({source, target}, report);
}

// The counts of `heed clean`, as JSON. Gives kept pairs to `keep`, and the rows of the others to
// `reject`, as bytes.
std::string clean_files(const std::string& source, const std::string& target,
                        const std::pair<std::string, std::string>& test,
                        std::optional<int64_t> threads, const nb::dict& arguments,
                        const nb::callable& keep, const nb::callable& reject) {
  const auto options = options_from<CleaningOptions>(arguments, "clean");
  const nb::gil_scoped_release release;
  options.dropped();  // may throw
  InspectionFiles files;
  files.source = {TextFile(source)};
  files.target = {TextFile(target)};
  files.test_source = InspectionFiles::optional_file(test.first);
  files.test_target = InspectionFiles::optional_file(test.second);
  Workers workers(int(threads.value_or(available_threads())));
  const auto bytes = [](const std::string& text) { return nb::bytes(text.data(), text.size()); };
  const CleaningReport report = clean_data(files, options, workers, [&](const CleanedPair& pair) {
    const nb::gil_scoped_acquire acquire;
    if (pair.kept())
      keep(bytes(pair.clean_source), bytes(pair.clean_target));
    else
      reject(bytes(rejected_row(pair)));
  });
  return cleaning_json(report);
}

using Links = std::vector<std::pair<int64_t, int64_t>>;

std::vector<Links> align_texts(const Texts& sources, const Texts& targets,
                               const std::string& symmetrize, std::optional<int64_t> threads) {
  const nb::gil_scoped_release release;
  Symmetrization symmetrization{};
  if (!from_text(symmetrize, {}, symmetrization)) {
    std::vector<std::string_view> names;
    for (const auto& [name, item] : enum_names(Symmetrization{})) names.push_back(name);
    fail_usage("symmetrize is '{}', expected one of {}", excerpt(symmetrize),
               fmt::join(names, ", "));
  }
  if (sources.size() != targets.size())
    fail_usage("{} sources and {} targets: they go together one by one", sources.size(),
               targets.size());
  const auto pairs = int64_t(sources.size());
  LineAligner aligner(pairs);
  for (int64_t i = 0; i < pairs; ++i) aligner.set(i, sources[size_t(i)], targets[size_t(i)]);
  Workers workers(int(threads.value_or(available_threads())));
  aligner.learn(workers);
  std::vector<Links> all(sources.size());
  const auto found = aligner.links(0, pairs, symmetrization, workers);
  for (size_t i = 0; i < all.size(); ++i)
    for (const AlignedPair& link : found[i]) all[i].emplace_back(link.source, link.target);
  return all;
}

}  // namespace

void bind_evaluation(nb::module_& m) {
  nb::class_<MetricScore>(m, "MetricScore", "The result of a metric.")
      .def_ro("name", &MetricScore::name,
              "\"BLEU\", \"chrF2\", \"chrF2++\", \"TER\", \"bracket F1\", \"accuracy\", \"macro "
              "F1\" or "
              "\"span F1\".")
      .def_ro("score", &MetricScore::score, "In TER 0 is best, in the others 100.")
      .def_ro("signature", &MetricScore::signature, "How it was computed, in sacreBLEU's form.")
      .def_ro("line", &MetricScore::line, "For display: \"chrF2 = 61.90\".")
      .def("__float__", [](const MetricScore& s) { return s.score; })
      .def("__str__", [](const MetricScore& s) { return s.line; })
      .def("__repr__", &repr_of);
  m.def("evaluate", &evaluate_texts, nb::arg("hypotheses"), nb::arg("references"),
        nb::arg("options"));
  m.def("suitable_bleu_tokenizer", &suitable_tokenizer, nb::arg("references"));
  m.def("inspect_data", &inspect_data_files, nb::arg("source"), nb::arg("target"), nb::arg("model"),
        nb::arg("threads").none(), nb::arg("options"));
  m.def("clean", &clean_files, nb::arg("source"), nb::arg("target"), nb::arg("test"),
        nb::arg("threads").none(), nb::arg("options"), nb::arg("keep"), nb::arg("reject"));
  m.def("align", &align_texts, nb::arg("sources"), nb::arg("targets"), nb::arg("symmetrize"),
        nb::arg("threads").none());
}

}  // namespace heed::python
