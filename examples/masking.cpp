// Masks: a position depends neither on other sentences nor on padding, and in the decoder not on
// later words. Shown with random weights, since the connections are those of any model.
#include <heed/heed.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <vector>

namespace paper = heed::paper;

using Ids = std::vector<heed::TokenId>;

heed::ModelConfig small_config() {
  heed::ModelConfig config = heed::preset("tiny");
  config.vocabulary_size = 100;
  config.output_vocabulary_size = 99;
  return config;
}

class RandomModel {
 public:
  heed::Tensor encode(const std::vector<Ids>& sentences) {
    return model_.encode(pass_, tokens_of(sentences)).states;
  }
  // Decoder states of a target, all of whose positions are computed at once.
  heed::Tensor decode(const Ids& source, const Ids& target) {
    return model_.decode(pass_, tokens_of({target}), model_.encode(pass_, tokens_of({source})));
  }
  heed::Tensor logits(const heed::Tensor& states) { return model_.output().logits(pass_, states); }
  // The logits of a target's words, one by one, with the keys and values of earlier ones cached.
  std::vector<heed::Tensor> decode_in_steps(const Ids& source, const Ids& target) {
    const auto steps = heed::make_steps({model_, *backend_});
    const auto source_rows = int64_t(source.size()), target_rows = int64_t(target.size());
    steps->reserve({.target = target_rows, .source = source_rows});
    heed::Ragged sources;
    sources.add(source_rows);
    steps->admit(tokens_of({source}), heed::all_rows(sources));
    std::vector<heed::Tensor> all;
    for (int32_t i = 0; i < int32_t(target_rows); ++i) {
      heed::StepTokens step;
      step.tokens = tokens_of({{target[size_t(i)]}});
      step.tokens.start = step.new_rows = {i};
      step.past.lengths.add(i + 1);
      step.sentences.add(1);
      step.sources.lengths.add(source_rows);
      all.push_back(steps->logits(step));
    }
    return all;
  }

 private:
  static heed::Tokens tokens_of(const std::vector<Ids>& sentences) {
    heed::Tokens tokens;
    for (const Ids& ids : sentences) tokens.add(ids);
    return tokens;
  }

  heed::SequenceModel model_ = heed::random_model(small_config(), 1);
  std::unique_ptr<heed::Backend> backend_ =
      heed::make_backend(heed::ComputeChoice::fp32, heed::Purpose::inference);
  heed::TensorPool pool_;
  heed::ForwardPass pass_{*backend_, pool_};
};

// Whether row i of a equals row j of b in every bit.
bool same(const heed::Tensor& a, int64_t i, const heed::Tensor& b, int64_t j) {
  const heed::Tensor x = a.slice(i, i + 1), y = b.slice(j, j + 1);
  return std::ranges::equal(x.span<float>(), y.span<float>());
}

const char* word(bool yes) {
  return yes ? "same bits" : "differ";
}

// The states of a sentence alone, and behind a longer one in the same batch.
void show_batch(RandomModel& model) {
  const Ids sentence = {11, 12, 13, 0};
  const heed::Tensor alone = model.encode({sentence});
  const heed::Tensor batch = model.encode({{21, 22, 23, 24, 25, 26, 0}, sentence});
  bool equal = true;
  for (int64_t i = 0; i < 4; ++i) equal = equal && same(alone, i, batch, 7 + i);
  std::printf("a sentence of 4 beside one of 7: a batch of %lld rows, its states: %s\n",
              static_cast<long long>(batch.rows()), word(equal));
}

// Attention of two words that are padded to three, as other programs lay out a batch.
void show_padding() {
  const heed::Tensor words = heed::tensor_of<float>({2, 2}, std::vector<float>{1, 0, 0, 1});
  const heed::Tensor padded = heed::tensor_of<float>({3, 2}, std::vector<float>{1, 0, 0, 1, 0, 0});
  const float hidden = -std::numeric_limits<float>::infinity();
  const std::vector<float> rows = {0, 0, hidden, 0, 0, hidden};
  const heed::Tensor mask = heed::tensor_of<float>({2, 3}, rows);
  const auto print = [](const char* what, const paper::AttentionResult& result) {
    std::printf("%-22s weights of the first word:", what);
    const heed::Tensor row = result.weights.slice(0, 1);
    for (const float w : row.span<float>()) std::printf(" %.3f", double(w));
    std::printf("\n");
  };
  print("not padded:", paper::scaled_dot_product_attention(words, words, words));
  print("padded, without mask:", paper::scaled_dot_product_attention(words, padded, padded));
  print("padded and masked:",
        paper::scaled_dot_product_attention(words, padded, padded, {.mask = mask}));
}

// The states of all positions before and after the fourth word becomes another.
void show_later_word(RandomModel& model) {
  const auto print = [](const char* stack, const heed::Tensor& before, const heed::Tensor& after) {
    std::printf("%-21s", stack);
    for (int64_t i = 0; i < before.rows(); ++i)
      std::printf("  %9s", word(same(before, i, after, i)));
    std::printf("\n");
  };
  std::printf("\n%-21s", "word 4 changes; state");
  for (int position = 1; position <= 5; ++position) std::printf("  %9d", position);
  std::printf("\n");
  print("encoder", model.encode({{11, 12, 13, 14, 0}}), model.encode({{11, 12, 13, 15, 0}}));
  print("decoder", model.decode({31, 32, 0}, {99, 12, 13, 14, 16}),
        model.decode({31, 32, 0}, {99, 12, 13, 15, 16}));
}

// A decoder that computes all positions at once, as in training, and one that gets word by word.
void show_steps(RandomModel& model) {
  const Ids source = {31, 32, 0}, target = {99, 12, 13, 14, 16};
  const heed::Tensor at_once = model.logits(model.decode(source, target));
  const std::vector<heed::Tensor> in_steps = model.decode_in_steps(source, target);
  bool equal = true;
  for (size_t i = 0; i < in_steps.size(); ++i)
    equal = equal && same(at_once, int64_t(i), in_steps[i], 0);
  std::printf("\ndecoder, 5 positions in one pass and one by one with a KV cache: %s\n",
              word(equal));
}

int main() {
  RandomModel model;
  show_batch(model);
  show_padding();
  show_later_word(model);
  show_steps(model);
}

// Prints:
//   a sentence of 4 beside one of 7: a batch of 11 rows, its states: same bits
//   not padded:            weights of the first word: 0.670 0.330
//   padded, without mask:  weights of the first word: 0.503 0.248 0.248
//   padded and masked:     weights of the first word: 0.670 0.330 0.000
//
//   word 4 changes; state          1          2          3          4          5
//   encoder                   differ     differ     differ     differ     differ
//   decoder                same bits  same bits  same bits     differ     differ
//
//   decoder, 5 positions in one pass and one by one with a KV cache: same bits
