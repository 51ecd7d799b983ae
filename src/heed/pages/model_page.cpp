#include "heed/pages/model_page.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "heed/core/counted.h"
#include "heed/core/options.h"
#include "heed/model/multi_head.h"
#include "heed/model/safetensors.h"
#include "heed/pages/json_parts.h"
#include "heed/pages/terminal_text.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

// The tokens that a matrix is applied to.
enum class Side { source, target };

class Parts {
 public:
  Parts(const ModelConfig& config, int64_t length) : c_(config), length_(double(length)) {}

  std::vector<ModelPart> build() {
    embeddings();
    if (c_.has_encoder()) encoder();
    if (c_.has_decoder()) decoder();
    if (!c_.is_recurrent()) stack();
    softmax();
    return std::move(parts_);
  }

 private:
  void decoder() {
    if (c_.is_recurrent()) return recurrent_decoder();
    copies_ = c_.decoder_layers;
    heading(0, fmt::format("Decoder (3.1), {}, each", detail::counted(copies_, "layer")));
    attention("Masked self-attention (3.2)", AttentionSite::decoder_self, Side::target,
              Side::target, (length_ + 1) / 2);
    if (c_.has_encoder())
      attention("Encoder-decoder attention (3.2)", AttentionSite::cross, Side::target, Side::source,
                length_);
    feed_forward(c_.d_ff_of_decoder(), Side::target);
  }

  void recurrent_decoder() {
    const int64_t d = c_.d_model;
    const bool attends = attention_layers(c_, AttentionSite::cross) > 0;
    const bool feeds = attends && c_.variants.input_feeding == Switch::on;
    const auto layers = [&](const std::string& name, int64_t count, int64_t read) {
      copies_ = count;
      if (count > 0) recurrent_layer(name, {d, d}, read, Side::target);
      // Once for a sentence: no work of a token.
      if (count > 0 && c_.has_encoder()) add(2, "first state", {d, d}).parameters += d;
    };
    heading(0, fmt::format("Decoder, {}", detail::counted(c_.decoder_layers, "layer")));
    if (feeds) layers("First layer", 1, 2 * d);
    const int64_t others = c_.decoder_layers - (feeds ? 1 : 0);
    layers(feeds ? "Each other layer" : "Each layer", others, d);
    copies_ = 1;
    if (!attends) return;
    const AttentionMethod method = attention_method(c_, AttentionSite::cross);
    heading(1, "Attention to the source");
    if (method.score == ScoreFunction::location) linear("location", d, kLocations, Side::target);
    if (method.score == ScoreFunction::additive) {
      linear("query", d, d, Side::target);
      linear("key", d, d, Side::source);
    }
    scores(method, Side::target, length_);
    linear("context and state", 2 * d, d, Side::target);
  }

  void recurrent_encoder() {
    const int64_t d = c_.d_model;
    copies_ = c_.encoder_layers;
    heading(0, fmt::format("Encoder, {}, each", detail::counted(copies_, "layer")));
    for (const char* direction : {"Forward", "Backward"})
      recurrent_layer(direction, {d, d / 2}, d / 2, Side::source);
  }

  // A layer of these widths of input and state, whose gates read `read` values of the step before.
  void recurrent_layer(const std::string& name, std::pair<int64_t, int64_t> widths, int64_t read,
                       Side side) {
    const auto [in, d] = widths;
    const int64_t columns = gates_of(c_.variants.cell) * d;
    heading(1, fmt::format("{}, {}", name, to_text(c_.variants.cell)));
    linear("of the input", in, columns, side);
    linear("of the step before", read, columns, side);
  }

  void encoder() {
    if (c_.is_recurrent()) return recurrent_encoder();
    copies_ = c_.encoder_layers;
    heading(0, fmt::format("Encoder (3.1), {}, each", detail::counted(copies_, "layer")));
    attention("Multi-head self-attention (3.2)", AttentionSite::encoder_self, Side::source,
              Side::source, length_);
    feed_forward(c_.d_ff, Side::source);
  }

  ModelPart& heading(int depth, const std::string& name) {
    ModelPart& part = parts_.emplace_back();
    part.depth = depth;
    part.name = name;
    part.copies = copies_;
    return part;
  }

  void work(ModelPart& part, Side side, double multiply_adds) {
    (side == Side::source ? part.source_work : part.target_work) += multiply_adds;
  }

  void linear(const std::string& name, int64_t in, int64_t out, Side side) {
    ModelPart& part = add(2, name, {out, in});
    work(part, side, double(part.parameters));
    part.parameters += out;  // the bias
  }

  // Parameters of this shape.
  ModelPart& add(int depth, const std::string& name, const Shape& shape) {
    ModelPart& part = heading(depth, name);
    part.shape = shape;
    part.parameters = element_count(shape);
    return part;
  }

  // `queries` look at `seen` rows of `keys` each.
  void attention(const std::string& name, AttentionSite site, Side queries, Side keys,
                 double seen) {
    const AttentionMethod method = attention_method(c_, site);
    const int64_t d = c_.d_model;
    const bool by_location = method.score == ScoreFunction::location;
    heading(1, name);
    if (by_location) {
      linear("location", d, c_.heads * kLocations, queries);
      linear("values", d, c_.value_columns(), keys);
    } else if (c_.variants.share_query_key) {
      linear("query and key, shared", d, c_.heads * c_.d_key(), queries);
      work(heading(2, "keys, by the same matrix"), keys, double(d * c_.key_columns()));
      linear("values", d, c_.value_columns(), keys);
    } else {
      linear("query", d, c_.heads * c_.d_key(), queries);
      linear("keys and values", d, c_.key_columns() + c_.value_columns(), keys);
    }
    scores(method, queries, seen);
    linear("output", c_.heads * c_.d_value(), d, queries);
    norm();
  }

  // Scores and their weighted sum: d_key and d_value for each position seen, in each head.
  void scores(const AttentionMethod& method, Side queries, double seen) {
    const int64_t d_key = method.score == ScoreFunction::location ? 0 : c_.d_key();
    if (is_fused(method) && method.reach.kind == AttentionReach::Kind::local) {
      const int64_t sides = method.mask == Mask::causal ? 1 : 2;
      seen = std::min(seen, double(sides * method.reach.window + 1));
    }
    if (method.score == ScoreFunction::general)
      work(add(2, "score, a matrix for each head", {c_.heads * d_key, d_key}), queries,
           double(c_.heads * d_key * d_key));
    if (method.score == ScoreFunction::additive) add(2, "score", {c_.heads, d_key});
    if (method.score == ScoreFunction::cosine) add(2, "score, a gain for each head", {c_.heads});
    if (method.reach.kind == AttentionReach::Kind::predicted) {
      linear("predicted position, inner", c_.d_model, c_.d_model, queries);
      linear("predicted position", c_.d_model, c_.heads, queries);
    }
    if (method.positions == Positions::relative) {
      const int64_t distances = 2 * kMaxRelativeDistance + 1;
      work(add(2, "relative keys", {distances, c_.d_key()}), queries,
           double(c_.heads * distances * c_.d_key()));
      work(add(2, "relative values", {c_.d_value(), distances}), queries,
           double(c_.heads * distances * c_.d_value()));
    }
    const bool has_products = method.score != ScoreFunction::additive && d_key > 0;
    std::string name = fmt::format("{}, {}", has_products ? "dot-products" : "scores and sums",
                                   detail::counted(c_.heads, "head"));
    if (c_.key_value_heads() != c_.heads) name += fmt::format(", {} of keys", c_.key_value_heads());
    work(heading(2, name), queries, seen * double(c_.heads * (d_key + c_.d_value())));
  }

  void feed_forward(int64_t d_ff, Side side) {
    heading(1, fmt::format("Feed-forward, {} (3.3)", to_text(c_.activation)));
    linear("inner", c_.d_model, d_ff, side);
    if (c_.activation == FeedForwardKind::swiglu) linear("gate", c_.d_model, d_ff, side);
    linear("output", d_ff, c_.d_model, side);
    norm();
  }

  void norm() {
    const bool has_residual = c_.variants.residual == Switch::on;
    add(1, has_residual ? "Add and norm (3.1)" : "Norm", norm_shape());
  }

  // Gain and, of a LayerNorm, bias.
  Shape norm_shape() const {
    return {c_.variants.norm_kind == NormKind::layer ? 2 : 1, c_.d_model};
  }

  // The parameters that the layers of a stack share.
  void stack() {
    const bool both = c_.has_encoder() && c_.has_decoder();
    copies_ = both ? 2 : 1;
    const std::string each = both ? ", each" : "";
    if (c_.variants.positions == Positions::learned)
      add(0, "Learned positions" + each, {c_.max_positions, c_.d_model});
    if (c_.variants.positions == Positions::t5)
      add(0, "Bias of distances" + each, {c_.heads, kRelativeBuckets});
    if (c_.variants.norm == NormPlacement::pre) add(0, "Last norm of a stack" + each, norm_shape());
    copies_ = 1;
  }

  void table(const std::string& name) { add(0, name, {c_.vocabulary_size, c_.d_model}); }

  void embeddings() {
    if (c_.tie_embeddings == TieEmbeddings::all) {
      table("Embeddings, all shared (3.4)");
    } else {
      if (c_.has_encoder()) table("Source embedding (3.4)");
      if (!c_.has_decoder()) return;
      const bool own = c_.tie_embeddings == TieEmbeddings::none;
      table(own ? "Target embedding (3.4)" : "Target embedding, softmax (3.4)");
    }
  }

  void softmax() {
    ModelPart& part = heading(0, "Linear and softmax (3.4)");
    if (!c_.has_decoder()) {
      part.shape = {c_.classes, c_.d_model};
      part.parameters = c_.classes * c_.d_model;
      // The work of a word that is one token; that of a text's single class is not counted.
      part.source_work = c_.classes_of == ClassesOf::words ? double(part.parameters) : 0;
      return;
    }
    part.shape = {c_.vocabulary_size, c_.d_model};
    const bool own = c_.tie_embeddings == TieEmbeddings::none;
    part.parameters =
        (own ? c_.vocabulary_size * c_.d_model : 0) + (c_.output_bias ? c_.vocabulary_size : 0);
    part.target_work = double(c_.output_vocabulary_size * c_.d_model);
  }

  const ModelConfig& c_;
  double length_;
  int64_t copies_ = 1;
  std::vector<ModelPart> parts_;
};

// "Variant: norm pre, positions rotary" and a new line; nothing for the paper's model.
std::string variants_text(const Variants& variants) {
  std::vector<std::string> changes;
  for (const OptionDifference& d : differences(Variants(), variants))
    changes.push_back(fmt::format("{} {}", d.name, d.right));
  return changes.empty() ? "" : fmt::format("Variant: {}\n", fmt::join(changes, ", "));
}

// "d_ff 2048, heads 8 of 64, "; nothing for a recurrent model.
std::string sizes_of_transformer(const ModelConfig& c) {
  if (c.is_recurrent()) return "";
  const auto both = [](int64_t a, int64_t b) {
    return a == b ? std::to_string(a) : fmt::format("{} and {}", a, b);
  };
  return fmt::format("d_ff {}, heads {} of {}, ", both(c.d_ff, c.d_ff_of_decoder()), c.heads,
                     both(c.d_key(), c.d_value()));
}

// Name, shape, parameters, multiply-adds per source and per target token; nothing for 0, and no
// cells that are followed by none.
TableRow row(const std::string& name, const Shape& shape, const ModelCost& cost) {
  TableRow cells{name, fmt::format("{}", fmt::join(shape, " x "))};
  for (const double count : {double(cost.parameters), cost.source_work, cost.target_work})
    cells.push_back(count == 0 ? "" : grouped(std::llround(count)));
  while (cells.back().empty()) cells.pop_back();
  return cells;
}

Json with_cost(Json json, const ModelCost& cost) {
  json["parameters"] = cost.parameters;
  json["multiply_adds_per_source_token"] = cost.source_work;
  json["multiply_adds_per_target_token"] = cost.target_work;
  return json;
}

}  // namespace

std::vector<ModelPart> model_parts(const ModelConfig& config, int64_t length) {
  config.validate();
  return Parts(config, length).build();
}

ModelCost totals(const std::vector<ModelPart>& parts) {
  ModelCost sum;
  for (const ModelPart& part : parts) {
    sum.parameters += part.copies * part.parameters;
    sum.source_work += double(part.copies) * part.source_work;
    sum.target_work += double(part.copies) * part.target_work;
  }
  return sum;
}

WeightFile weight_file(const std::filesystem::path& safetensors) {
  const SafetensorsFile file(safetensors);
  WeightFile found;
  int64_t most = -1;
  for (const StoredTensor& tensor : file.tensors()) {
    const auto bytes = int64_t(tensor.bytes.size());
    found.bytes += bytes;
    if (bytes <= most) continue;
    most = bytes;
    found.type = tensor.type;
  }
  for (const auto& [stored, name] :
       {std::pair("F32", "float32"), {"F16", "float16"}, {"BF16", "bfloat16"}, {"I8", "int8"}})
    if (found.type == stored) found.type = name;
  return found;
}

std::string model_page(const std::string& title, const ModelConfig& c, int64_t length,
                       const std::optional<WeightFile>& file) {
  const std::vector<ModelPart> parts = model_parts(c, length);
  const WeightFile stored = file.value_or(WeightFile{"float32", 4 * totals(parts).parameters});
  std::string page =
      fmt::format("{}\nd_model {}, {}dropout {}, {:.0f} MB as {}\n{}\n", title, c.d_model,
                  sizes_of_transformer(c), c.dropout, double(stored.bytes) * 1e-6, stored.type,
                  variants_text(c.variants));
  std::vector<TableRow> rows{
      {"part (section of the paper)", "shape", "parameters", "source", "target"},
      {"", "", "", "token", "token"}};
  for (const ModelPart& part : parts)
    rows.push_back(row(std::string(size_t(2 * part.depth), ' ') + part.name, part.shape, part));
  rows.push_back(row("All layers together", {}, totals(parts)));
  const std::string table = table_text(
      rows,
      {{TableColumn::Side::left, 31}, {.width = 14}, {.width = 12}, {.width = 11}, {.width = 12}});
  return page + fmt::format(
                    "{:>{}}\n{}\nFor sentences of {} tokens. Weights are [out, in]; parameters "
                    "count biases.\n",
                    "multiply-adds per", table.find('\n'), table, length);
}

Json model_json(const std::string& title, const ModelConfig& c, int64_t length,
                const std::optional<WeightFile>& file) {
  Json page = {{"name", title}};
  page.update(sizes_json(c));
  page.update({{"activation", to_text(c.activation)},
               {"tie_embeddings", to_text(c.tie_embeddings)},
               {"dropout", c.dropout},
               {"sentence_length", length}});
  if (c.variants != Variants()) page["variants"] = Json::parse(to_json(c.variants));
  if (file) page["weights"] = {{"type", file->type}, {"bytes", file->bytes}};
  const std::vector<ModelPart> parts = model_parts(c, length);
  page["parts"] = json_list(parts, [](const ModelPart& part) {
    return with_cost({{"depth", part.depth},
                      {"name", part.name},
                      {"shape", part.shape},
                      {"copies", part.copies}},
                     part);
  });
  return with_cost(std::move(page), totals(parts));
}

}  // namespace heed
