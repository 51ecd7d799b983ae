#include "heed/decode/classifier.h"

#include <algorithm>
#include <cmath>

#include "heed/core/parallel.h"
#include "heed/model/classes.h"
#include "heed/model/directory.h"
#include "heed/text/word_encoding.h"
#include "heed/text/words.h"

namespace heed {
namespace {

// Limits of the lines that are read before the first of them is emitted.
constexpr size_t kLinesTogether = 2048;
constexpr size_t kBytesTogether = 1 << 20;

// A line, or a part of one, as a sequence of a batch.
struct Piece {
  size_t line;
  std::vector<TokenId> ids;
  std::vector<int32_t> classes;  // of words: 0 where a word begins; of texts: one
};

// The lines of one call, a window at a time.
class Classifying {
 public:
  Classifying(const ModelParts& parts, const std::vector<std::string>& labels,
              const ScoreOptions& options)
      : parts_(parts),
        labels_(labels),
        options_(options),
        of_words_(parts.config().classes_of == ClassesOf::words),
        workers_(int(options.threads.value_or(default_threads(parts.backend)))),
        pools_(make_tensor_pools(workers_.count(), parts.backend.memory())) {}

  void run(const Classifier::Next& next, const Classifier::Emit& emit) {
    while (read(next)) {
      results_.assign(lines_.size(), {});
      for (ClassifiedLine& line : results_) line.line = count_++;
      std::vector<std::vector<Piece>> of_lines(lines_.size());
      workers_.run(int64_t(lines_.size()),
                   [&](int64_t i, int) { of_lines[size_t(i)] = encode(size_t(i)); });
      pieces_.clear();
      for (std::vector<Piece>& line : of_lines)
        pieces_.insert(pieces_.end(), std::move_iterator(line.begin()),
                       std::move_iterator(line.end()));
      compute();
      for (const ClassifiedLine& line : results_) emit(line);
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

  // The pieces of a line, none with more tokens than the model has positions for.
  std::vector<Piece> encode(size_t number) {
    ClassifiedLine& result = results_[number];
    std::vector<Piece> pieces;
    const std::string line =
        valid_utf8(lines_[number], {result.line, "input", options_.strict}, result.status);
    const Tokenizer& tokenizer = parts_.tokenizers.source();
    const EncodedWords words = encode_words(tokenizer, line);
    result.status.empty = words.first.empty();
    result.status.unknown_characters = tokenizer.unknown_in(line, words.ids).characters;
    if (of_words_)
      for (const std::string_view word : detail::words_of(line)) result.words.emplace_back(word);
    const auto most = size_t(parts_.config().max_positions) - 1;  // and </s>
    if (!of_words_) {
      result.status.truncated = words.ids.size() > most;
      pieces.push_back({number, words.ids, {0}});
      pieces.back().ids.resize(std::min(words.ids.size(), most));
      return pieces;
    }
    for (size_t w = 0; w < words.first.size(); ++w) {
      const auto begin = size_t(words.first[w]);
      const size_t end = w + 1 < words.first.size() ? size_t(words.first[w + 1]) : words.ids.size();
      const size_t tokens = std::min(end - begin, most);
      if (tokens < end - begin) result.status.truncated = true;
      const bool is_next = w > 0 && pieces.back().ids.size() + tokens > most;
      if (is_next) result.status.split = true;
      if (w == 0 || is_next) pieces.push_back({number, {}, {}});
      Piece& piece = pieces.back();
      piece.ids.insert(piece.ids.end(), words.ids.begin() + ptrdiff_t(begin),
                       words.ids.begin() + ptrdiff_t(begin + tokens));
      piece.classes.resize(piece.ids.size(), kNoClass);
      piece.classes[piece.ids.size() - tokens] = 0;
    }
    return pieces;
  }

  void compute() {
    std::vector<std::pair<size_t, size_t>> batches;  // of pieces
    int64_t tokens = 0;
    for (size_t i = 0; i < pieces_.size(); ++i) {
      const auto own = int64_t(pieces_[i].ids.size()) + 1;
      tokens += own;
      if (batches.empty() || tokens > options_.batch_tokens)
        batches.emplace_back(i, i), tokens = own;
      batches.back().second = i + 1;
    }
    std::vector<std::vector<ClassChoice>> choices(batches.size());
    workers_.run(int64_t(batches.size()), [&](int64_t i, int worker) {
      const auto [begin, end] = batches[size_t(i)];
      choices[size_t(i)] = choose(begin, end, pools_[size_t(worker)]);
    });
    for (size_t b = 0; b < batches.size(); ++b) {
      auto next = choices[b].begin();
      for (size_t i = batches[b].first; i < batches[b].second; ++i) {
        const Piece& piece = pieces_[i];
        const auto end = next + std::ranges::count(piece.classes, 0);
        std::vector<ClassChoice>& of_line = results_[piece.line].choices;
        of_line.insert(of_line.end(), std::move_iterator(next), std::move_iterator(end));
        next = end;
      }
    }
  }

  std::vector<ClassChoice> choose(size_t begin, size_t end, TensorPool& pool) const {
    ClassBatch batch;
    for (size_t i = begin; i < end; ++i)
      batch.add(pieces_[i].ids, pieces_[i].classes, parts_.config());
    ForwardPass pass(parts_.backend, pool);
    const Tensor states = class_states(parts_.model, pass, batch);
    const TopK best = parts_.backend.top_k(parts_.model.output().logits(pass, states), 1);
    std::vector<ClassChoice> choices;
    for (size_t i = 0; i < best.ids.size(); ++i)
      choices.push_back(
          {labels_[size_t(best.ids[i])], std::exp(double(best.log_probabilities[i]))});
    return choices;
  }

  const ModelParts parts_;
  const std::vector<std::string>& labels_;
  const ScoreOptions& options_;
  const bool of_words_;
  Workers workers_;
  std::vector<TensorPool> pools_;  // one per worker
  std::vector<std::string> lines_;
  std::vector<ClassifiedLine> results_;
  std::vector<Piece> pieces_;
  int64_t count_ = 0;
};

}  // namespace

Classifier::Classifier(const std::filesystem::path& directory, const Computation& computation,
                       std::optional<ClassesOf> of)
    : opened_(directory, computation,
              [of](const std::filesystem::path& path) { return read_classifier_config(path, of); }),
      labels_(labels_of(opened_.parts().tokenizers.target().vocabulary())) {
  if (int64_t(labels_.size()) != config().classes)
    fail("{}: the vocabulary has {} labels, the model {} classes: they do not belong together",
         directory.string(), labels_.size(), config().classes);
}

void Classifier::classify(const Next& next, const Emit& emit, const ScoreOptions& options) const {
  validate(options);
  Classifying(opened_.parts(), labels_, options).run(next, emit);
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
