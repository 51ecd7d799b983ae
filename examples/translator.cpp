// Trains a translator on two text files and evaluates it. Needs the text of
// `heed phrasebook --output corpus`.
// Usage: translator [MINUTES_OF_TRAINING]
#include <heed/heed.h>

#include <cstdlib>
#include <iostream>

int main(int count, char** arguments) try {
  heed::TrainOptions options;
  options.source = {"corpus/train.zh"};
  options.target = {"corpus/train.en"};
  options.model = "translator-model";
  options.overwrite = true;  // this program may run again
  options.minutes = count > 1 ? std::atof(arguments[1]) : 2;
  heed::train(options);

  const heed::Model model(options.model);
  std::cout << model.translate("我妹妹昨天买了三本书。") << '\n';

  const heed::Lines source = heed::read_lines("corpus/test.zh");
  const heed::Lines reference = heed::read_lines("corpus/test.en");
  const heed::Evaluation scores = heed::evaluate(model.translate(source), reference);
  std::cout << scores.bleu.line() << '\n' << scores.chrf.line() << '\n';
  std::cout << "perplexity " << heed::corpus_score(model.score(source, reference)).perplexity()
            << '\n';
} catch (const heed::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
