// Metrics on any text: a score from 0 to 100, of TER one that is not below 0.
#include <cmath>

#include "fuzz.h"
#include "heed/evaluate/bleu.h"
#include "heed/evaluate/brackets.h"
#include "heed/evaluate/chrf.h"
#include "heed/evaluate/labels.h"
#include "heed/evaluate/spans.h"
#include "heed/evaluate/ter.h"

namespace {

using namespace heed;

Lines lines_of(std::string_view text) {
  Lines lines(1);
  for (const char c : text) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  }
  return lines;
}

void require_score(double score) {
  fuzzing::require(std::isfinite(score) && score >= 0 && score <= 100.000001);
}

// Labels and spans; most texts have lines that differ in their number of labels.
void score_labels(const Lines& hypotheses, const Lines& reference) {
  try {
    require_score(label_report(hypotheses, {&reference, 1}).macro.f1);
    for (const SpanScheme scheme : {SpanScheme::conlleval, SpanScheme::iob2})
      require_score(span_report(hypotheses, {&reference, 1}, {scheme}).micro.f1);
  } catch (const Error&) {
    // The texts are not labels of the same words.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto [first, second] = fuzzing::two_files(fuzzing::text_of(data, size));
  const Lines hypotheses = lines_of(first);
  Lines reference = lines_of(second);
  reference.resize(hypotheses.size());
  const Lines references[] = {reference};
  for (const auto tokenizer :
       {BleuTokenizer::mteval_13a, BleuTokenizer::none, BleuTokenizer::character,
        BleuTokenizer::international, BleuTokenizer::chinese})
    require_score(bleu(hypotheses, references, {tokenizer, size % 2 == 0}).score);
  for (const int words : {0, 2})
    require_score(chrf(hypotheses, references, {words, size % 2 == 1}).score);
  const bool normalized = size % 3 == 0, asian = size % 5 == 0;
  const double edits =
      ter(hypotheses, references,
          {.normalized = normalized, .no_punctuation = !normalized, .asian_support = asian})
          .score;
  fuzzing::require(std::isfinite(edits) && edits >= 0);
  require_score(brackets(hypotheses, references).f1);
  score_labels(hypotheses, reference);
  return 0;
}
