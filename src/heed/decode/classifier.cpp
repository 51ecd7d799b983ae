#include "heed/decode/classifier.h"

#include <algorithm>
#include <iterator>

#include "heed/core/parallel.h"
#include "heed/model/directory.h"
#include "heed/text/word_encoding.h"

namespace heed {
namespace {

// Limits of the lines that are read before the first of them is emitted.
constexpr size_t kLinesTogether = 2048;
constexpr size_t kBytesTogether = 1 << 20;

// The lines of one call, a window at a time.
class Classifying {
 public:
  Classifying(const ModelParts& parts, const std::vector<std::string>& labels,
              const ScoreOptions& options)
      : labels_(parts, labels),
        options_(options),
        workers_(int(options.threads.value_or(default_threads(parts.backend)))),
        pools_(make_tensor_pools(workers_.count(), parts.backend.memory())) {}

  void run(const Classifier::Next& next, const Classifier::Emit& emit) {
    while (read(next)) {
      std::vector<EncodedForLabels> encoded(lines_.size());
      workers_.run(int64_t(lines_.size()), [&](int64_t i, int) {
        encoded[size_t(i)] =
            labels_.encode(lines_[size_t(i)], {count_ + i, "input", options_.strict});
      });
      results_.clear();
      parts_.clear();
      for (EncodedForLabels& line : encoded) {
        results_.push_back(std::move(line.line));
        std::ranges::move(line.parts, std::back_inserter(parts_));
      }
      compute();
      for (const ClassifiedLine& line : results_) emit(line);
      count_ += int64_t(results_.size());
    }
  }

 private:
  bool read(const Classifier::Next& next) {
    lines_.clear();
    size_t bytes = 0;
    while (lines_.size() < kLinesTogether && bytes < kBytesTogether) {
      std::optional<std::string> line = next();
      if (!line) break;
      bytes += line->size();
      lines_.push_back(std::move(*line));
    }
    return !lines_.empty();
  }

  void compute() {
    std::vector<std::pair<size_t, size_t>> batches;  // of parts
    int64_t tokens = 0;
    for (size_t i = 0; i < parts_.size(); ++i) {
      tokens += parts_[i].tokens();
      if (batches.empty() || tokens > options_.batch_tokens)
        batches.emplace_back(i, i), tokens = parts_[i].tokens();
      batches.back().second = i + 1;
    }
    std::vector<std::vector<ClassChoice>> choices(batches.size());
    workers_.run(int64_t(batches.size()), [&](int64_t i, int worker) {
      const auto [begin, end] = batches[size_t(i)];
      choices[size_t(i)] =
          labels_.choose(std::span(parts_).subspan(begin, end - begin), pools_[size_t(worker)]);
    });
    for (size_t b = 0; b < batches.size(); ++b) {
      auto next = choices[b].begin();
      for (size_t i = batches[b].first; i < batches[b].second; ++i) {
        const auto end = next + parts_[i].choices();
        std::vector<ClassChoice>& of_line = results_[size_t(parts_[i].line - count_)].choices;
        of_line.insert(of_line.end(), std::move_iterator(next), std::move_iterator(end));
        next = end;
      }
    }
  }

  const LineLabels labels_;
  const ScoreOptions& options_;
  Workers workers_;
  std::vector<TensorPool> pools_;  // one per worker
  std::vector<std::string> lines_;
  std::vector<ClassifiedLine> results_;
  std::vector<LabelledPart> parts_;
  int64_t count_ = 0;  // lines before those of results_
};

}  // namespace

Classifier::Classifier(const std::filesystem::path& directory, const Computation& computation,
                       std::optional<ClassesOf> of)
    : OpenedModel(
          directory, computation,
          [of](const std::filesystem::path& path) { return read_classifier_config(path, of); }),
      labels_(labels_of(tokenizers().target().vocabulary())) {
  if (int64_t(labels_.size()) != config().classes)
    fail("{}: the vocabulary has {} labels, the model {} classes: they do not belong together",
         directory.string(), labels_.size(), config().classes);
}

void Classifier::classify(const Next& next, const Emit& emit, const ScoreOptions& options) const {
  validate(options);
  Classifying(parts(), labels_, options).run(next, emit);
}

std::vector<ClassifiedLine> Classifier::classify(const std::vector<std::string>& lines,
                                                 const ScoreOptions& options) const {
  std::vector<ClassifiedLine> all;
  size_t at = 0;
  const Next next = [&]() -> std::optional<std::string> {
    if (at == lines.size()) return {};
    return lines[at++];
  };
  classify(
      next, [&](const ClassifiedLine& line) { all.push_back(line); }, options);
  return all;
}

}  // namespace heed
