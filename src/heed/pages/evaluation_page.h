// The results of `heed evaluate`: as text, as JSON, and as a page that compares systems by their
// scores, by which labels they took for which, and sentence by sentence. Those of `heed quantize`
// as text and JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/evaluate/reliability.h"
#include "heed/evaluate/significance.h"

namespace heed {

// The metrics of one system, or of one of its sentences, as one line: [{"name", "score",
// "signature"}...], with the details and classes that a metric has, and with p_value, mean and ci
// if there was a test; of several systems [{"system": NAME, "scores": [...]}...].
std::string json_scores(const std::vector<MetricReport>& metrics,
                        const std::vector<std::string>& systems = {});

// Scores with their signatures and classes below; of several systems sacreBLEU's table of systems
// and metrics, an explanation of the test, and signatures.
std::string text_scores(const std::vector<MetricReport>& metrics,
                        const std::vector<std::string>& systems,
                        const std::optional<PairedTestOptions>& test);

struct NamedTexts {
  std::vector<std::string> names;
  std::vector<Lines> texts;
};

struct EvaluatedTexts {
  NamedTexts systems;      // the first is the baseline
  NamedTexts references;   // of as many lines
  NamedTexts source = {};  // one text, or none
};

struct EvaluatedMetric {
  MetricReport report;               // as `heed evaluate` prints it
  const SystemStatistics* corpus;    // for the scores of buckets of sentences
  const SystemStatistics* sentence;  // for those of single sentences: BLEU with effective order
};

// The confidences of the one system, a model that was calibrated.
struct EvaluatedConfidence {
  double good_chrf = 0;                                   // Confidence::good_chrf
  std::vector<std::optional<Prediction>> sentences = {};  // none where there is no confidence
  // Of the sentences that have a confidence, of which there is at least one.
  Reliability reliability() const;
};

// "confidence: AUC 0.812, calibration error 0.027; ..."
std::string text_of_confidence(const EvaluatedConfidence& confidence);

// One HTML file. `test` is what the reports' tests are results of.
std::string evaluation_page(const EvaluatedTexts& texts,
                            const std::vector<EvaluatedMetric>& metrics,
                            const std::optional<PairedTestOptions>& test,
                            const std::optional<EvaluatedConfidence>& confidence = {});

// A model that was copied, or its copy.
struct CopiedModel {
  int64_t bytes = 0;              // of model.safetensors
  Lines translations;             // by it, of a text; none without one
  std::optional<BleuScore> bleu;  // of these
};
// The sizes, how many translations changed, and BLEU.
std::string text_of_copy(const CopiedModel& before, const CopiedModel& after);
std::string json_of_copy(const CopiedModel& before, const CopiedModel& after);

}  // namespace heed
