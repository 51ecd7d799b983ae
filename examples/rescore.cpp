// Reranks ten translations of each line by the score of a model of the reverse direction.
// Usage: rescore MODEL REVERSE_MODEL < LINES
#include <heed/heed.h>

#include <iostream>
#include <limits>

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const heed::Model model(arguments[1]), reverse(arguments[2]);
  heed::DecodeOptions options;
  options.search.beam = options.search.nbest = 10;
  const heed::Translator translator = model.translator(options);

  const heed::Lines lines = heed::read_lines("-");
  for (const heed::Translation& translation : translator.translate(lines)) {
    const std::string& source = lines[size_t(translation.line)];
    std::string best;
    double best_score = -std::numeric_limits<double>::infinity();
    for (const heed::TextHypothesis& candidate : translation.hypotheses) {
      const double score = candidate.score + reverse.score(candidate.text, source).log_probability;
      if (score <= best_score) continue;
      best = candidate.text;
      best_score = score;
    }
    std::cout << best << '\n';
  }
}
