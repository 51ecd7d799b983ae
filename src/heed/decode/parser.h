// A parser of a directory: what heed parse does.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "heed/decode/opened_model.h"
#include "heed/decode/options.h"
#include "heed/decode/translator.h"

namespace heed {

// A model of heed train --task parse (section 6.3). Const once opened: any number of threads may
// use one.
class Parser : public OpenedModel {
 public:
  // Error if the directory holds a model that does not write trees.
  explicit Parser(const std::filesystem::path& directory,
                  const Computation& computation = ComputeChoice::automatic);

  // The best tree of every sentence, in one line: (ROOT (NP (DT the) (NN cat))). Words are
  // separated by ASCII whitespace; the tree has exactly these words, with -LRB- and -RRB- for round
  // brackets, and U+FFFD for invalid UTF-8. A sentence without words has no tree: "". Lengths,
  // n-grams and splitting in the options are for translations, and ignored. Threads and caches are
  // kept for the next call with the same options.
  std::vector<std::string> parse(const std::vector<std::string>& sentences,
                                 const DecodeOptions& options = {}) const;
  std::string parse(const std::string& sentence, const DecodeOptions& options = {}) const {
    return parse(std::vector<std::string>{sentence}, options).front();
  }

  // For n-best lists, statuses and text that does not fit into memory: the lines of the translator
  // are sentences, and their translations trees. The model must outlive the result.
  Translator parser(const DecodeOptions& options = {}) const { return {parts(), options}; }
  // A translator with these options that the model keeps for the next call with the same ones.
  std::shared_ptr<const Translator> kept_parser(const DecodeOptions& options = {}) const {
    return kept_translator(options);
  }
};

}  // namespace heed
