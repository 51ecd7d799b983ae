// A model that Python opened.
#pragma once

#include <memory>

#include "heed/decode/model.h"
#include "python.h"

namespace heed::python {

// Any number of threads may use one.
class OpenModel {
 public:
  OpenModel(const std::string& directory, const std::string& compute, const std::string& device);
  ~OpenModel();
  OpenModel(const OpenModel&) = delete;
  OpenModel& operator=(const OpenModel&) = delete;

  // Error in a process that was forked after the model was opened.
  const Model& model() const;

 private:
  OwnProcess process_;
  std::unique_ptr<const Model> model_;
};

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
