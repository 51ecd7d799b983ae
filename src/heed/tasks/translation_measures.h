// Measurements of a model that learns to translate, besides its loss.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heed/decode/model_outputs.h"
#include "heed/evaluate/tokenizers.h"
#include "heed/model/generation_defaults.h"
#include "heed/tasks/sample_outputs.h"
#include "heed/text/parallel_text.h"
#include "heed/text/word_links.h"
#include "heed/train/reports.h"

namespace heed {

// Lines of a validation text.
struct LinesToScore {
  size_t text = 0;                    // 0: the first text; i: further text i - 1
  std::optional<int64_t> lines = {};  // the number of lines, evenly spaced; not set: all
};

struct ScoredTranslations {
  std::vector<Score> scores;
  Lines translations = {};
};

// Measurements of a model, which is packed. One without a function is left out.
struct TranslationMeasures {
  // Translates lines of a validation source, and scores the translations against its target: bleu
  // and chrf, or the brackets of a parser.
  std::function<ScoredTranslations(const ModelParts& parts, const LinesToScore& which)> scores = {};
  // What the model, of any task, makes of a few lines of the validation text, the same each time.
  std::function<std::vector<SampleOutput>(const ModelParts& parts)> samples = {};
  // Chooses the attention heads that align words best, if any do.
  std::function<std::optional<AlignmentHeads>(const ModelOnBackend& on, const AlignmentText& text)>
      alignment_heads = {};
  // Chooses the search by the first of the scores, with this number of lines.
  std::function<SearchDefaults(const ModelParts& parts, int64_t lines)> search = {};
  // Examples of the text of the model, of any task: example_lines().
  std::function<std::vector<std::string>(const ModelParts& parts)> examples = {};
};

struct MeasureOptions {
  int64_t threads = 1;
  int64_t batch_tokens = 1024;                      // DecodeOptions::batch_tokens
  std::optional<BleuTokenizer> bleu_tokenize = {};  // by the target's writing system if not set
};

// All of them, on the text that `open_text` returns for the number of LinesToScore, the validation
// text of a run that has any: it is called when the text is needed, since a run may have to write
// it before. `report` gets lines for a log.
TranslationMeasures translation_measures(const MeasureOptions& options,
                                         std::function<ParallelText(size_t text)> open_text,
                                         std::function<void(const std::string& text)> report);

}  // namespace heed
