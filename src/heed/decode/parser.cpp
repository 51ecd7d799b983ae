#include "heed/decode/parser.h"

#include "heed/decode/tree_constraint.h"
#include "heed/model/directory.h"

namespace heed {

Parser::Parser(const std::filesystem::path& directory, const Computation& computation)
    : OpenedModel(directory, computation, read_parser_config) {
  TreeSymbols symbols(tokenizers().target().vocabulary());  // for its error
}

std::vector<std::string> Parser::parse(const std::vector<std::string>& sentences,
                                       const DecodeOptions& options) const {
  return best_translations(*kept_parser(options), sentences);
}

}  // namespace heed
