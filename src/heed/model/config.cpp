#include "heed/model/config.h"

#include "heed/core/utf8.h"

namespace heed {
namespace {

void require(bool ok, const std::string& what, const std::string& got) {
  if (!ok) fail_usage("model configuration: {}, got {}", what, got);
}

void require_range(const char* name, int64_t value, int64_t low, int64_t high) {
  if (value < low || value > high)
    fail_usage("model configuration: {} is {}, expected {} to {}", name, value, low, high);
}

void check_recurrent(const ModelConfig& c) {
  require(c.d_ff_of_decoder() == 0 && c.d_ff == 0 && c.activation_dropout == 0 &&
              c.activation == FeedForwardKind::relu,
          "a recurrent model has no feed-forward network: d_ff must be 0", std::to_string(c.d_ff));
  require(c.heads == 1, "a recurrent model has one head of attention", std::to_string(c.heads));
  require(c.d_model % 2 == 0, "d_model must be even (half of it for each direction of the encoder)",
          std::to_string(c.d_model));
  const Variants none{.architecture = Architecture::rnn, .cell = c.variants.cell};
  const bool attends = c.has_encoder() && c.has_decoder();
  require(attends || c.variants == none,
          "an encoder or a decoder alone has no attention, and no input feeding", "one of these");
}

}  // namespace

void ModelConfig::validate(const ConfigNames& names) const {
  require_range(names.vocabulary_size, vocabulary_size, 4, 1 << 24);
  require_range(names.output_vocabulary_size, output_vocabulary_size, 2, vocabulary_size);
  require_range("d_model", d_model, 2, 1 << 16);
  if (is_recurrent()) {
    check_recurrent(*this);
  } else {
    require_range(names.d_ff, d_ff, 1, 1 << 20);
    require_range(names.decoder_d_ff, d_ff_of_decoder(), 1, 1 << 20);
    require_range(names.heads, heads, 1, d_model);
  }
  require_range("encoder_layers", encoder_layers, 0, 1000);
  require_range("decoder_layers", decoder_layers, 0, 1000);
  require(has_encoder() || has_decoder(), "expected an encoder or a decoder", "neither");
  if (has_decoder())
    require(classes == 0, "classes are for an encoder without a decoder", std::to_string(classes));
  else
    require_range("classes", classes, 1, vocabulary_size);
  require(has_decoder() || tie_embeddings == TieEmbeddings::none,
          "an encoder alone has no embeddings to tie", to_text(tie_embeddings));
  require(has_decoder() || !output_bias, "an encoder alone has no output bias", "one");
  require(!parses() || (has_encoder() && has_decoder()), "trees need an encoder and a decoder",
          has_encoder() ? "no decoder" : "no encoder");
  require_range(names.max_positions, max_positions, 8, 1 << 16);
  require_range(names.decoder_start, start_id(), 0, vocabulary_size - 1);
  require_range(names.end, end_id(), 0, output_vocabulary_size - 1);
  try {
    variants.validate(d_model, heads, names.heads);
  } catch (const UsageError& e) {
    fail_usage("model configuration: {}", e.what());
  }
  require(d_model % 2 == 0 || variants.positions != Positions::sinusoidal,
          "d_model must be even (half sines, half cosines)", std::to_string(d_model));
  // The table of positions is all that a model's file does not pay for.
  constexpr int64_t kMaxPositionValues = int64_t{1} << 24;
  require(max_positions * d_model <= kMaxPositionValues,
          fmt::format("{} times d_model must be at most 16777216 (64 MiB of positions)",
                      names.max_positions),
          fmt::format("{} {} and d_model {}", names.max_positions, max_positions, d_model));
  for (const auto& [name, rate] :
       {std::pair("dropout", dropout), std::pair("attention_dropout", attention_dropout),
        std::pair("activation_dropout", activation_dropout)})
    require(rate >= 0 && rate < 1, fmt::format("{} must be at least 0 and below 1", name),
            fmt::format("{}", rate));
}

ModelConfig preset(std::string_view name) {
  ModelConfig config;
  const auto size = [&](int64_t layers, int64_t d_model, int64_t heads, int64_t d_ff,
                        double dropout) {
    config.encoder_layers = config.decoder_layers = layers;
    config.d_model = d_model;
    config.heads = heads;
    config.d_ff = d_ff;
    config.dropout = dropout;
  };
  if (name == "tiny")
    size(2, 128, 4, 512, 0.1);
  else if (name == "small")
    size(3, 256, 4, 1024, 0.1);
  else if (name == "base")
    size(6, 512, 8, 2048, 0.1);
  else if (name == "big")
    size(6, 1024, 16, 4096, 0.3);
  else
    fail_usage("unknown preset '{}', expected tiny, small, base or big", excerpt(name));
  return config;
}

}  // namespace heed
