// A model that Python opened.
#pragma once

#include <memory>

#include "heed/decode/classifier.h"
#include "heed/decode/language_model.h"
#include "heed/decode/model.h"
#include "heed/decode/parser.h"
#include "python.h"

namespace heed::python {

// The values of these names in the table of options.
Computation computation_of(const std::string& compute, const std::string& device);

// A Model, a LanguageModel, a Parser or a Classifier. Any number of threads may use one.
template <class AnyModel>
class Opened {
 public:
  Opened(const std::string& directory, const std::string& compute, const std::string& device)
      : model_(std::make_unique<const AnyModel>(directory, computation_of(compute, device))) {}
  ~Opened() {
    // The threads that its destructor would wait for are those of another process.
    if (!process_.is_this()) static_cast<void>(model_.release());
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  // Error in a process that was forked after the model was opened.
  const AnyModel& model() const {
    process_.expect_this("Model");
    return *model_;
  }

 private:
  OwnProcess process_;
  std::unique_ptr<const AnyModel> model_;
};
using OpenModel = Opened<Model>;
using OpenLanguageModel = Opened<LanguageModel>;
using OpenParser = Opened<Parser>;
using OpenClassifier = Opened<Classifier>;

// One of the n-best translations of a text.
struct Hypothesis {
  TextHypothesis of;
  size_t source_pieces = 0;  // columns of the attention; 0 without it
};

// The lines of an iterator, whose translations are taken one after the other. The thread that
// pushes and pops runs Python; another one computes.
class TranslationStream {
 public:
  TranslationStream(std::shared_ptr<const OpenModel> model, const DecodeOptions& options);
  ~TranslationStream();

  void push(TranslationInput input);
  // No more lines will be pushed.
  void end();
  // Whether as many lines are under way as may be: pop(Wait::yes) before the next push.
  bool is_full() const;
  // The next translation, in order; none if there is none yet, or after the last one. With
  // Wait::yes none only after the last one. Throws what ended the translation.
  enum class Wait { no, yes };
  std::optional<Translation> pop(Wait wait);
  // Ends the translation: what is missing is not translated.
  void close();

 private:
  struct State;
  OwnProcess process_;
  std::shared_ptr<const OpenModel> model_;
  std::unique_ptr<State> state_;
};

}  // namespace heed::python
