#include "files/reverse_model.h"

#include "heed/core/error.h"
#include "heed/model/sequence_model.h"

namespace heed {
namespace {

struct ReverseModel {
  ReverseModel(const std::string& directory, const Computation& computation)
      : model(directory, computation), scorer(model.scorer({.threads = 1})) {}
  const Model model;
  const Scorer scorer;  // by the threads that translate
};

}  // namespace

std::shared_ptr<const Scorer> open_reverse_model(const std::string& directory,
                                                 const Computation& computation) {
  if (directory.empty()) return {};
  const auto reverse = std::make_shared<const ReverseModel>(directory, computation);
  return {reverse, &reverse->scorer};
}

std::shared_ptr<const Scorer> open_reverse_model(const std::string& directory,
                                                 const Computation& computation,
                                                 const Model& forward,
                                                 const std::string& forward_directory) {
  if (directory.empty()) return {};
  if (!forward.parts().model.generation_defaults().confidence.with_reverse)
    fail(
        "{} has no confidence with a reverse model yet: heed calibrate --reverse-model measures it",
        forward_directory);
  return open_reverse_model(directory, computation);
}

}  // namespace heed
