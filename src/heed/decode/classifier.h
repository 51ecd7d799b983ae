// Labels for the words of lines, or for whole lines: what heed tag and heed classify do.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heed/decode/line_labels.h"
#include "heed/decode/opened_model.h"
#include "heed/decode/options.h"

namespace heed {

// A model of heed train --task tag or classify. Const once opened: any number of threads may use
// one.
class Classifier : public OpenedModel {
 public:
  // Error if the directory holds a model that does not choose among classes of this kind, or of
  // any.
  explicit Classifier(const std::filesystem::path& directory,
                      const Computation& computation = ComputeChoice::automatic,
                      std::optional<ClassesOf> of = {});

  using Next = std::function<std::optional<std::string>()>;
  using Emit = std::function<void(const ClassifiedLine&)>;

  // Calls next() until it returns std::nullopt, and emit() once for every line, in order, both on
  // this thread. Holds a bounded number of lines. The labels of a line depend on the line, the
  // model and the compute type alone.
  void classify(const Next& next, const Emit& emit, const ScoreOptions& options = {}) const;
  std::vector<ClassifiedLine> classify(const std::vector<std::string>& lines,
                                       const ScoreOptions& options = {}) const;

  // In the order of the classes.
  const std::vector<std::string>& labels() const { return labels_; }

 private:
  const std::vector<std::string> labels_;
};

}  // namespace heed
