#include "heed/decode/model_outputs.h"

#include "heed/decode/translator.h"
#include "heed/model/captured_attention.h"
#include "heed/model/pair_batch.h"

namespace heed {
namespace {

// Token ids without </s>. The tokenizer replaces invalid UTF-8.
std::vector<TokenId> ids_of(const ModelParts& parts, const Tokenizer& tokenizer,
                            const std::string& text, const char* side) {
  expect_same_vocabulary(parts.model, parts.tokenizers);
  const int64_t most = parts.model.config().max_positions - 1;
  Encoding encoding = tokenizer.encode_prefix(text, most);
  if (encoding.truncated || int64_t(encoding.ids.size()) > most)
    fail("the {} has more than {} tokens, for which the model has positions", side, most);
  return std::move(encoding.ids);
}

std::vector<std::string> pieces_of(const Tokenizer& tokenizer, std::vector<TokenId> ids) {
  ids.push_back(tokenizer.end_id());
  return tokenizer.pieces(ids);
}

// A pair as the model takes it.
struct Pair {
  Pair(const ModelParts& parts, const std::string& source, const std::string& target) {
    const std::vector<TokenId> source_ids =
        ids_of(parts, parts.tokenizers.source(), source, "source");
    const std::vector<TokenId> target_ids =
        ids_of(parts, parts.tokenizers.target(), target, "target");
    batch.add(source_ids, target_ids, parts.model.config());
    source_pieces = pieces_of(parts.tokenizers.source(), source_ids);
    target_pieces = pieces_of(parts.tokenizers.target(), target_ids);
  }

  PairBatch batch;
  std::vector<std::string> source_pieces, target_pieces;
};

// The weights of one kind of attention in all layers, [layers, heads, queries, keys].
Tensor all_layers(const CapturedAttention& captured, AttentionSite site, int64_t layers) {
  Shape shape;
  Tensor all;
  for (int64_t layer = 0; layer < layers; ++layer) {
    const Tensor weights = captured.at(site, layer).of_sequence(0);
    if (layer == 0) {
      shape = weights.shape();
      shape.insert(shape.begin(), layers);
      all = Tensor(shape, weights.dtype());
    }
    Tensor place = all.slice(layer, layer + 1).reshape(weights.shape());
    copy(weights, place);
  }
  return all;
}

}  // namespace

EncoderStates encode(const ModelParts& parts, const std::string& source) {
  const Tokenizer& tokenizer = parts.tokenizers.source();
  const std::vector<TokenId> ids = ids_of(parts, tokenizer, source, "source");
  PairBatch batch;
  batch.add(ids, {}, parts.model.config());
  TensorPool pool(parts.backend.memory());
  ForwardPass pass(parts.backend, pool);
  return {pieces_of(tokenizer, ids), to_host(parts.model.encode(pass, batch.source).states)};
}

TargetLogits logits(const ModelParts& parts, const std::string& source, const std::string& target) {
  const Pair pair(parts, source, target);
  TensorPool pool(parts.backend.memory());
  ForwardPass pass(parts.backend, pool);
  const Tensor states =
      parts.model.decode(pass, pair.batch.target, parts.model.encode(pass, pair.batch.source));
  return {pair.target_pieces, to_host(parts.model.logits(pass, states))};
}

PairAttention attention(const ModelParts& parts, const std::string& source,
                        const std::string& target) {
  const Pair pair(parts, source, target);
  const ModelConfig& config = parts.model.config();
  CapturedAttention captured;
  for (int64_t layer = 0; layer < config.encoder_layers; ++layer)
    captured.request(AttentionSite::encoder_self, layer);
  for (int64_t layer = 0; layer < config.decoder_layers; ++layer) {
    captured.request(AttentionSite::decoder_self, layer);
    captured.request(AttentionSite::cross, layer);
  }
  TensorPool pool(parts.backend.memory());
  ForwardPass pass(parts.backend, pool);
  const EncoderOutput memory = parts.model.encode(pass, pair.batch.source, &captured);
  parts.model.decode(pass, pair.batch.target, memory, &captured);
  return {pair.source_pieces, pair.target_pieces,
          all_layers(captured, AttentionSite::encoder_self, config.encoder_layers),
          all_layers(captured, AttentionSite::decoder_self, config.decoder_layers),
          all_layers(captured, AttentionSite::cross, config.decoder_layers)};
}

}  // namespace heed
