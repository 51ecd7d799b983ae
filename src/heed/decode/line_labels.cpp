#include "heed/decode/line_labels.h"

#include <algorithm>
#include <cmath>

#include "heed/backend/meta_backend.h"
#include "heed/model/classes.h"
#include "heed/text/word_encoding.h"
#include "heed/text/words.h"

namespace heed {

int64_t LabelledPart::choices() const {
  return std::ranges::count(classes, 0);
}

EncodedForLabels LineLabels::encode(const std::string& text, const LinePlace& place) const {
  EncodedForLabels encoded;
  ClassifiedLine& result = encoded.line;
  result.line = place.line;
  const std::string line = valid_utf8(text, place, result.status);
  const Tokenizer& tokenizer = parts_.tokenizers.source();
  EncodedWords words = encode_words(tokenizer, line);
  result.status.empty = words.first.empty();
  result.status.unknown_characters = tokenizer.unknown_in(line, words.ids).characters;
  if (parts_.config().classes_of == ClassesOf::words) {
    for (const std::string_view word : detail::words_of(line)) result.words.emplace_back(word);
    add_parts(words.ids, words.first, encoded);
    return encoded;
  }
  const auto most = size_t(parts_.config().max_positions) - 1;  // and </s>
  result.status.truncated = words.ids.size() > most;
  words.ids.resize(std::min(words.ids.size(), most));
  LabelledPart& part = encoded.parts.emplace_back();
  part = {result.line, std::move(words.ids), {0}, {}};
  const auto kept = int64_t(part.ids.size());
  for (size_t w = 0; w < words.first.size() && words.first[w] < kept; ++w)
    part.words.push_back({words.first[w], w + 1 < words.first.size()
                                              ? std::min<int64_t>(kept, words.first[w + 1])
                                              : kept});
  return encoded;
}

void LineLabels::add_parts(const std::vector<TokenId>& ids, const std::vector<int32_t>& first,
                           EncodedForLabels& encoded) const {
  const auto most = size_t(parts_.config().max_positions) - 1;  // and </s>
  std::vector<LabelledPart>& parts = encoded.parts;
  LineStatus& status = encoded.line.status;
  for (size_t w = 0; w < first.size(); ++w) {
    const auto begin = size_t(first[w]);
    const size_t end = w + 1 < first.size() ? size_t(first[w + 1]) : ids.size();
    const size_t tokens = std::min(end - begin, most);
    if (tokens < end - begin) status.truncated = true;
    const bool is_next = w > 0 && parts.back().ids.size() + tokens > most;
    if (is_next) status.split = true;
    if (w == 0 || is_next) parts.push_back({encoded.line.line, {}, {}, {}});
    LabelledPart& part = parts.back();
    const auto place = int64_t(part.ids.size());
    part.words.push_back({place, place + int64_t(tokens)});
    part.ids.insert(part.ids.end(), ids.begin() + ptrdiff_t(begin),
                    ids.begin() + ptrdiff_t(begin + tokens));
    part.classes.resize(part.ids.size(), kNoClass);
    part.classes[part.ids.size() - tokens] = 0;
  }
}

std::vector<ClassChoice> LineLabels::choose(std::span<const LabelledPart> parts,
                                            TensorPool& pool) const {
  std::vector<ClassChoice> choices;
  for (std::vector<ClassChoice>& labels : likeliest(parts, 1, pool))
    choices.push_back(std::move(labels.front()));
  return choices;
}

std::vector<std::vector<ClassChoice>> LineLabels::likeliest(std::span<const LabelledPart> parts,
                                                            int64_t most, TensorPool& pool) const {
  ClassBatch batch;
  for (const LabelledPart& part : parts) batch.add(part.ids, part.classes, parts_.config());
  ForwardPass pass(parts_.backend, pool);
  const Tensor states = class_states(parts_.model, pass, batch);
  const auto count = size_t(std::min(most, parts_.config().classes));
  const TopK best =
      parts_.backend.top_k(parts_.model.output().logits(pass, states), int64_t(count));
  std::vector<std::vector<ClassChoice>> choices(best.ids.size() / count);
  for (size_t i = 0; i < best.ids.size(); ++i)
    choices[i / count].push_back({labels_[size_t(best.ids[i])], double(best.log_probabilities[i])});
  return choices;
}

int64_t labelling_memory(const ModelConfig& config, const Backend& backend, int64_t tokens) {
  const auto meta = make_meta_backend(backend.compute_type());
  const auto shapes = shapes_of(config);
  const bool of_words = config.classes_of == ClassesOf::words;
  // Parts of words as long as fits: their scores of attention are the largest. Of texts the
  // shortest, as each has logits; of the longest the scores.
  int64_t most = 0;
  for (const int64_t length : {config.max_positions - 1, int64_t{1}}) {
    ClassBatch batch;
    for (int64_t left = tokens; left > 0; left -= length + 1) {
      const std::vector<TokenId> ids(size_t(std::min(length, left)));
      batch.add(ids, std::vector<int32_t>(of_words ? ids.size() : 1), config);
    }
    TensorPool pool(meta_memory());
    ForwardPass pass(*meta, pool);
    shapes.output().logits(pass, class_states(shapes, pass, batch));
    most = std::max(most, pool.bytes_held());
  }
  const int64_t widest = std::max({config.d_model, config.d_ff, config.classes});
  return most + backend.scratch_bytes(widest);
}

}  // namespace heed
