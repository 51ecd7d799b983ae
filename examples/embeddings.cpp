// The sizes that meet in the first layer of a base model before training: why embeddings are
// multiplied by sqrt(d_model).
#include <heed/heed.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace paper = heed::paper;

void print(const char* name, const heed::Tensor& tensor, double factor = 1) {
  double sum = 0;
  for (const float x : tensor.span<float>()) sum += double(x) * x;
  std::printf("%-24s %16.3f\n", name, factor * std::sqrt(sum / double(tensor.size())));
}

int main() {
  heed::ModelConfig config = heed::preset("base");
  config.vocabulary_size = 1000;
  config.output_vocabulary_size = 999;
  config.encoder_layers = config.decoder_layers = 1;
  heed::SequenceModel model = heed::random_model(config, 1);
  const heed::Tensor table = heed::parameters(model).front().tensor;  // [1000, 512], tied

  const auto backend = heed::make_backend(heed::ComputeChoice::fp32, heed::Purpose::inference);
  heed::TensorPool pool;
  heed::ForwardPass pass(*backend, pool);
  heed::Tokens sentence;
  sentence.add(std::vector<heed::TokenId>{11, 12, 13, 14, config.end_id()});
  const heed::Tensor states = model.encode(pass, sentence).states;

  std::printf("%-24s root mean square\n", "");
  print("embedding", table);
  print("embedding * sqrt(512)", table, std::sqrt(512.0));
  print("positional encoding", paper::positional_encoding(64, 512));
  print("state after LayerNorm", states);
  print("logits: state * table", paper::dot_scores(states, table));
  print("logits if * sqrt(512)", paper::dot_scores(states, table), std::sqrt(512.0));
}

// Prints:
//                            root mean square
//   embedding                           0.044
//   embedding * sqrt(512)               1.000
//   positional encoding                 0.707
//   state after LayerNorm               1.000
//   logits: state * table               1.185
//   logits if * sqrt(512)              26.804
