#include "heed/decode/model_outputs.h"

#include <algorithm>

#include "heed/model/captured_attention.h"
#include "heed/model/pair_batch.h"
#include "heed/model/sequence_model.h"

namespace heed {
namespace {

// Token ids, </s> last. The tokenizer replaces invalid UTF-8.
std::vector<TokenId> ids_of(const ModelParts& parts, const Tokenizer& tokenizer,
                            const std::string& text, const char* side) {
  expect_same_vocabulary(parts);
  const ModelConfig& config = parts.model.config();
  EncodedText encoded = encode_to_fit(tokenizer, text, config);
  if (encoded.truncated)
    fail("the {} has more tokens than the {} that the model has positions for", side,
         config.max_positions - 1);
  encoded.ids.push_back(tokenizer.end_id());
  return std::move(encoded.ids);
}

// A pair as its ids.
struct Pair {
  Pair(const ModelParts& parts, const std::string& source_text, const std::string& target_text)
      : target(ids_of(parts, parts.tokenizers.target(), target_text, "target")) {
    if (parts.config().has_encoder())
      source = ids_of(parts, parts.tokenizers.source(), source_text, "source");
  }
  std::vector<TokenId> source, target;  // </s> last; of a language model no source
};

// The decoder's input for the prediction of these ids.
Tokens inputs_of(const std::vector<TokenId>& target, const ModelConfig& config) {
  return one_sequence(decoder_input(std::span(target).first(target.size() - 1), config));
}

// The symbol with which the decoder's input begins.
std::string start_piece(const ModelParts& parts) {
  const TokenId start = parts.config().start_id();
  const Tokenizer& target = parts.tokenizers.target();
  const bool is_piece = start >= 0 && start < target.vocabulary().output_size();
  return is_piece ? target.pieces(std::span(&start, 1)).front() : "<pad>";
}

// The weights of one kind of attention in all layers, [layers, heads, queries, keys].
Tensor all_layers(const CapturedAttention& captured, const ModelConfig& config, AttentionSite site,
                  std::pair<size_t, size_t> queries_and_keys) {
  const int64_t layers = attention_layers(config, site);
  Tensor all(
      {layers, config.heads, int64_t(queries_and_keys.first), int64_t(queries_and_keys.second)});
  for (int64_t layer = 0; layer < layers; ++layer) {
    Tensor place = all.slice(layer, layer + 1);
    copy(captured.at(site, layer).of_sequence(0), place);
  }
  return all;
}

}  // namespace

const ModelConfig& ModelParts::config() const {
  return model.config();
}

void expect_same_vocabulary(const ModelParts& parts) {
  const int64_t tokens = parts.tokenizers.size(), expected = parts.model.config().vocabulary_size;
  if (tokens != expected)
    fail("the vocabulary has {} tokens, the model {}: they do not belong together", tokens,
         expected);
  const TokenId end = parts.tokenizers.target().end_id(), expected_end = parts.config().end_id();
  if (end != expected_end)
    fail(
        "texts end with token {} of the vocabulary, and with token {} of the model: eos_token in "
        "tokenizer_config.json and eos_token_id in config.json do not belong together",
        end, expected_end);
}

EncodedText encode_to_fit(const Tokenizer& tokenizer, std::string_view text,
                          const ModelConfig& config) {
  const int64_t most = config.max_positions - 1;
  Encoding encoding = tokenizer.encode_prefix(text, most);
  const bool truncated = encoding.truncated || int64_t(encoding.ids.size()) > most;
  if (truncated) encoding.ids.resize(std::min(encoding.ids.size(), size_t(most)));
  return {std::move(encoding.ids), truncated};
}

EncoderStates encode(const ModelParts& parts, const std::string& source) {
  const Tokenizer& tokenizer = parts.tokenizers.source();
  const std::vector<TokenId> ids = ids_of(parts, tokenizer, source, "source");
  TensorPool pool(parts.backend.memory());
  ForwardPass pass(parts.backend, pool);
  return {tokenizer.pieces(ids), to_host(parts.model.encode(pass, one_sequence(ids)).states)};
}

TargetLogits logits(const ModelParts& parts, const std::string& source, const std::string& target) {
  const Pair pair(parts, source, target);
  TensorPool pool(parts.backend.memory());
  ForwardPass pass(parts.backend, pool);
  const Tensor states = parts.model.decode(pass, inputs_of(pair.target, parts.model.config()),
                                           parts.model.encode(pass, one_sequence(pair.source)));
  return {parts.tokenizers.target().pieces(pair.target),
          to_host(parts.model.output().logits(pass, states))};
}

PairAttention attention(const ModelParts& parts, const std::string& source,
                        const std::string& target) {
  const Pair pair(parts, source, target);
  PairAttention all = attention(parts, pair.source, pair.target);
  if (!pair.source.empty()) all.source_words = word_pieces(parts.tokenizers.source(), source);
  all.target_words = word_pieces(parts.tokenizers.target(), target);
  return all;
}

PairAttention attention(const ModelParts& parts, const std::vector<TokenId>& source,
                        const std::vector<TokenId>& target) {
  const ModelConfig& config = parts.model.config();
  check(source.empty() != config.has_encoder() && target.empty() != config.has_decoder(),
        "attention of an empty source or target");
  CapturedAttention captured;
  for (const auto& [name, site] : enum_names(AttentionSite{}))
    for (int64_t layer = 0; layer < attention_layers(config, site); ++layer)
      captured.request(site, layer);
  TensorPool pool(parts.backend.memory());
  ForwardPass pass(parts.backend, pool);
  const Tokens inputs = source.empty() ? Tokens() : one_sequence(source);
  const EncoderOutput memory = parts.model.encode(pass, inputs, &captured);
  if (config.has_decoder()) parts.model.decode(pass, inputs_of(target, config), memory, &captured);
  const size_t n = source.size(), m = target.size();
  return {parts.tokenizers.source().pieces(source),
          parts.tokenizers.target().pieces(target),
          all_layers(captured, config, AttentionSite::encoder_self, {n, n}),
          all_layers(captured, config, AttentionSite::decoder_self, {m, m}),
          all_layers(captured, config, AttentionSite::cross, {m, n}),
          {},
          {},
          start_piece(parts)};
}

}  // namespace heed
