// Before and after the encoder of a tagger or a classifier: lines of text to token ids, classes to
// labels.
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "heed/decode/model_outputs.h"
#include "heed/decode/translation.h"

namespace heed {

struct ClassChoice {
  std::string label;
  double log_probability = 0;  // a natural logarithm

  double probability() const { return std::exp(log_probability); }
};

struct ClassifiedLine {
  int64_t line = 0;                  // from 0
  std::vector<std::string> words;    // of a tagger
  std::vector<ClassChoice> choices;  // the likeliest label of each word, or of the line
  // empty: no words. split: too long for the model, tagged in parts. truncated: too long, the rest
  // of the line (or of a word) is ignored.
  LineStatus status;
};

// A line, or a part of one, that is short enough for the model.
struct LabelledPart {
  int64_t line = 0;               // ClassifiedLine::line
  std::vector<TokenId> ids;       // without </s>
  std::vector<int32_t> classes;   // of words: 0 where a word begins, else kNoClass; of texts: one
  std::vector<PieceRange> words;  // the ids of each

  // With </s>.
  int64_t tokens() const { return int64_t(ids.size()) + 1; }
  // The number of labels that are chosen.
  int64_t choices() const;
};

struct EncodedForLabels {
  ClassifiedLine line;  // without choices
  std::vector<LabelledPart> parts;
};

// Const: any number of threads may use one.
class LineLabels {
 public:
  // `labels`, in the order of the classes, and the model must outlive this.
  LineLabels(const ModelParts& parts, const std::vector<std::string>& labels)
      : parts_(parts), labels_(labels) {}

  // A line of text. Error if it is not UTF-8 and must be.
  EncodedForLabels encode(const std::string& text, const LinePlace& place) const;
  // The choices of all parts, one after another, computed together on this thread. Those of a part
  // do not depend on the others.
  std::vector<ClassChoice> choose(std::span<const LabelledPart> parts, TensorPool& pool) const;
  // The `most` likeliest labels, best first, in the place of each choice.
  std::vector<std::vector<ClassChoice>> likeliest(std::span<const LabelledPart> parts, int64_t most,
                                                  TensorPool& pool) const;

 private:
  // The words of a line as parts, each as long as fits.
  void add_parts(const std::vector<TokenId>& ids, const std::vector<int32_t>& first,
                 EncodedForLabels& encoded) const;

  const ModelParts parts_;
  const std::vector<std::string>& labels_;
};

// The maximum memory of LineLabels::choose() for parts of this many tokens.
int64_t labelling_memory(const ModelConfig& config, const Backend& backend, int64_t tokens);

}  // namespace heed
