#include "heed/autograd/ops.h"

#include <algorithm>
#include <cmath>

#include "heed/autograd/shared-inl.h"

namespace heed {
namespace {

using detail::bias_buffer;
using detail::OverwrittenGradient;
using detail::values_are_ours;

// dpositions[position of r] += dropout(dout[r]).
void position_gradient(ForwardPass& pass, const Tokens& tokens, const Tensor& dout,
                       const Dropout& dropout, const Tensor& positions) {
  Tokens places;
  places.layout = tokens.layout;
  for (int64_t b = 0; b < tokens.layout.count(); ++b)
    for (int64_t i = 0; i < tokens.layout.length(b); ++i)
      places.ids.push_back(int32_t(tokens.start_of(b) + i));
  Tensor dpositions = pass.tape->accumulation_buffer(positions);
  pass.backend.embed_gradient(places, dout, 1, dropout, -1, dpositions);
}

void check_attention(const ForwardPass& pass, const AttentionInput& input,
                     const AttentionLayout& layout, const AttentionScores& scores) {
  const auto& [query, key, value] = input;
  check(scores.heads > 0 && query.columns() > 0 && query.columns() % scores.heads == 0,
        "[attention] query [rows, heads * d_key]");
  const int64_t d_key = query.columns() / scores.heads, shared = key.columns() / d_key;
  check(shared > 0 && key.columns() == shared * d_key && scores.heads % shared == 0,
        "[attention] key [rows, key-value heads * d_key], where key-value heads divides heads");
  check(value.columns() > 0 && value.columns() % shared == 0 && value.rows() == key.rows(),
        "[attention] value [rows of key, key-value heads * d_value]");
  check(key.dtype() == value.dtype() &&
            (key.dtype() == query.dtype() || key.dtype() == pass.backend.cache_type(query.dtype())),
        "[attention] keys and values of the query's type, or cached");
  check(layout.queries.rows() == query.rows(), "[attention] queries do not fill their layout");
  check(layout.queries.count() == layout.keys.lengths.count(),
        "[attention] one key list a sequence");
  check(layout.positions == nullptr || int64_t(layout.positions->size()) == query.rows(),
        "[attention] one position a query");
  check(!scores.window || *scores.window >= 0, "[attention] a window is not negative");
}

}  // namespace

Dropout ForwardPass::next_dropout(double probability) {
  if (!dropout_seed) return {};
  // A double just below 1 must not become 1, under which no scale is finite.
  const float below_one = std::nextafter(1.0f, 0.0f);
  return {std::min(float(probability), below_one), detail::mix(*dropout_seed, drawn_++)};
}

Tensor embed(ForwardPass& pass, const Tokens& tokens, const Tensor& table, const Tensor& positions,
             const EmbedOptions& options) {
  const int64_t rows = int64_t(tokens.ids.size());
  check(rows == tokens.layout.rows(), "tokens do not fill their layout");
  if (positions) {
    check(table.columns() == positions.columns(), "[embed] table and positions differ in width");
    for (int64_t b = 0; b < tokens.layout.count(); ++b)
      check(tokens.start_of(b) + tokens.layout.length(b) <= positions.rows(),
            "[embed] sequence longer than the position table");
  }
  for (TokenId id : tokens.ids) check(id >= 0 && id < table.rows(), "[embed] id outside the table");
  Tensor out = pass.tensor({rows, table.columns()}, table.dtype());
  const Dropout dropout = pass.next_dropout(options.dropout);
  pass.backend.embed(tokens, table, positions, options.scale, dropout, out);
  if (pass.tape)
    pass.tape->record(out, [&pass, tokens, table, positions, options, dropout](const Tensor& dout) {
      Tensor dtable = pass.tape->accumulation_buffer(table);
      pass.backend.embed_gradient(tokens, dout, options.scale, dropout, options.padding_id, dtable);
      if (options.positions == EmbedOptions::Positions::learned)
        position_gradient(pass, tokens, dout, dropout, positions);
    });
  return out;
}

Tensor linear(ForwardPass& pass, const Tensor& x, const Tensor& weight, const Tensor& bias,
              Activation activation) {
  check(x.columns() == weight.columns(), "[linear] input and weight differ in width");
  check(!bias || bias.size() == weight.rows(), "[linear] one bias per output");
  // Only relu's gradient can be computed from its output: other activations save their input.
  const bool fused = activation == Activation::none || activation == Activation::relu || !pass.tape;
  Tensor y = pass.tensor({x.rows(), weight.rows()}, x.dtype());
  pass.backend.linear(x, weight, bias, fused ? activation : Activation::none, y);
  Tensor activated = y;
  if (!fused) {
    activated = pass.tensor(y.shape(), y.dtype());
    pass.backend.activate(activation, y, activated);
  }
  const Tensor saved = activation == Activation::none ? Tensor() : y;
  if (!pass.tape) return activated;
  check(pass.backend.linear_weight_gradient != nullptr, "[linear] int8 has no gradients");
  pass.tape->record(activated, [&pass, x, saved, weight, bias, activation](Tensor& dout) {
    if (saved) pass.backend.activation_gradient(activation, saved, dout, dout);
    detail::add_weight_gradient(pass, {weight, dout, x}, bias);
    GradientBuffer dx = pass.tape->gradient_buffer(x);
    pass.backend.linear_input_gradient(dout, weight, dx.tensor, dx.mode);
  });
  return activated;
}

Tensor dropout(ForwardPass& pass, const Tensor& x, double probability) {
  const Dropout dropout = pass.next_dropout(probability);
  if (!dropout) return x;
  Tensor y = pass.tensor(x.shape(), x.dtype());
  pass.backend.dropout(x, dropout, y);
  if (pass.tape)
    pass.tape->record(y, [&pass, x, dropout](Tensor& dy) {
      pass.backend.dropout(dy, dropout, dy);
      detail::pass_on(pass, dy, x);
    });
  return y;
}

Tensor activate(ForwardPass& pass, const Tensor& x, Activation activation) {
  Tensor y = pass.tensor(x.shape(), x.dtype());
  pass.backend.activate(activation, x, y);
  if (pass.tape)
    pass.tape->record(y, [&pass, x, activation](Tensor& dy) {
      pass.backend.activation_gradient(activation, x, dy, dy);
      detail::pass_on(pass, dy, x);
    });
  return y;
}

Tensor gather_rows(ForwardPass& pass, const Tensor& x, const Tokens& rows) {
  return embed(pass, rows, x, Tensor(), {});
}

namespace {

// Every second row of 2 * rows: those of concatenate()'s first or second operand.
std::vector<int32_t> alternate_rows(int64_t rows, int32_t first) {
  std::vector<int32_t> all(static_cast<size_t>(rows));
  for (size_t i = 0; i < all.size(); ++i) all[i] = 2 * int32_t(i) + first;
  return all;
}

}  // namespace

Tensor concatenate(ForwardPass& pass, const Tensor& a, const Tensor& b) {
  check(a.shape() == b.shape(), "[concatenate] tensors of one shape");
  const Shape halves{2 * a.rows(), a.columns()};
  Tensor out = pass.tensor({a.rows(), 2 * a.columns()}, a.dtype());
  Tensor places = out.reshape(halves);
  pass.backend.write_cache(a, alternate_rows(a.rows(), 0), places);
  pass.backend.write_cache(b, alternate_rows(b.rows(), 1), places);
  if (pass.tape)
    pass.tape->record(out, [&pass, a, b, halves](const Tensor& dout) {
      const Tensor dplaces = dout.reshape(halves);
      for (const auto& [x, first] : {std::pair(a, 0), std::pair(b, 1)}) {
        Tokens rows;
        rows.add(alternate_rows(x.rows(), first));
        OverwrittenGradient dx(pass, x);
        pass.backend.embed(rows, dplaces, {}, 1, {}, dx.tensor());
        dx.finish();
      }
    });
  return out;
}

Tensor attention(ForwardPass& pass, const AttentionInput& input, const AttentionLayout& layout,
                 const AttentionScores& scores, double dropout, Tensor* weights) {
  const auto& [query, key, value] = input;
  check_attention(pass, input, layout, scores);
  const AttentionHeads heads(input, scores.heads);
  const AttentionOptions options{scores, pass.next_dropout(dropout)};
  Tensor out = pass.tensor({query.rows(), heads.count * heads.d_value}, query.dtype());
  Tensor logsumexp = pass.tensor({query.rows(), heads.count}, query.dtype());
  if (weights) *weights = pass.tensor({attention_weight_count(layout, heads.count)}, query.dtype());
  pass.backend.attention(input, layout, options, {out, logsumexp, weights});
  if (pass.tape)
    pass.tape->record(
        out, [&pass, query = query, key = key, value = value, saved = detail::SavedLayout(layout),
              options, out, logsumexp](const Tensor& dout) {
          OverwrittenGradient dquery(pass, query), dkey(pass, key), dvalue(pass, value);
          pass.backend.attention_gradient(dout, {query, key, value}, saved.layout(), options,
                                          {out, logsumexp},
                                          {dquery.tensor(), dkey.tensor(), dvalue.tensor()});
          dquery.finish();
          dkey.finish();
          dvalue.finish();
        });
  return out;
}

Tensor add(ForwardPass& pass, const Tensor& x, const Tensor& sublayer, double dropout_probability) {
  check(x.shape() == sublayer.shape(), "[add] operands differ in shape");
  const Dropout dropout = pass.next_dropout(dropout_probability);
  Tensor y = pass.tensor(x.shape(), x.dtype());
  if (dropout)
    pass.backend.dropout(sublayer, dropout, y);
  else
    copy(sublayer, y);
  pass.backend.add(x, y);
  if (pass.tape)
    pass.tape->record(y, [&pass, x, sublayer, dropout](Tensor& dy) {
      detail::pass_on(pass, dy, x);
      if (dropout) pass.backend.dropout(dy, dropout, dy);
      detail::pass_on(pass, dy, sublayer);
    });
  return y;
}

namespace {

// normalize(x + dropout(sublayer)), or normalize(x) without a sub-layer (none). The sum is computed
// in the memory of `sublayer` if there is no other handle of it.
Tensor normalize_sum(ForwardPass& pass, const Tensor& x, const Tensor& sublayer, const Tensor& gain,
                     const Tensor& bias, const NormOptions& norm) {
  check(gain.size() == x.columns() && (!bias || bias.size() == x.columns()),
        "[norm] gain and bias [d]");
  Tensor y = pass.tensor(x.shape(), x.dtype());
  Tensor statistics = pass.tensor({x.rows(), 2}, x.dtype());
  Tensor sum = x;
  if (sublayer)
    sum = values_are_ours(pass, sublayer) ? sublayer : pass.tensor(x.shape(), x.dtype());
  pass.backend.add_norm(x, sublayer, gain, bias, norm, sum, statistics, y);
  if (pass.tape)
    pass.tape->record(y, [&pass, x, sublayer, sum, statistics, gain, bias, norm](const Tensor& dy) {
      GradientBuffer dx = pass.tape->gradient_buffer(x);
      std::optional<OverwrittenGradient> dsublayer;
      if (sublayer) dsublayer.emplace(pass, sublayer);
      Tensor none;
      Tensor dgain = pass.tape->accumulation_buffer(gain), dbias = bias_buffer(pass, bias);
      pass.backend.add_norm_gradient(
          dy, sum, statistics, gain, norm,
          {dx.tensor, dx.mode, dsublayer ? dsublayer->tensor() : none, dgain, dbias});
      if (dsublayer) dsublayer->finish();
    });
  return y;
}

}  // namespace

Tensor normalize(ForwardPass& pass, const Tensor& x, const Tensor& gain, const Tensor& bias,
                 const AddNormOptions& options) {
  return normalize_sum(pass, x, Tensor(), gain, bias, {options.epsilon, {}, options.kind});
}

// `sublayer` by value: a caller that gives its last handle lets the memory be reused.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
Tensor add_norm(ForwardPass& pass, const Tensor& x, Tensor sublayer, const Tensor& gain,
                const Tensor& bias, const AddNormOptions& options) {
  check(x.shape() == sublayer.shape(), "[add_norm] input and sub-layer differ in shape");
  return normalize_sum(pass, x, sublayer, gain, bias,
                       {options.epsilon, pass.next_dropout(options.dropout), options.kind});
}

// `x` by value: a caller that gives its last handle lets the memory be reused.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
Tensor rotate(ForwardPass& pass, Tensor x, const Indices& positions, int64_t heads) {
  check(int64_t(positions.size()) == x.rows(), "[rotate] one position a row");
  check(x.columns() % (2 * heads) == 0, "[rotate] heads with an even number of columns");
  Tensor y = detail::in_memory_of(pass, x);
  pass.backend.rotate(x, {positions, heads}, y, WriteMode::overwrite);
  if (pass.tape)
    pass.tape->record(y, [&pass, x, positions, heads](const Tensor& dy) {
      GradientBuffer dx = pass.tape->gradient_buffer(x);
      pass.backend.rotate(dy, {positions, heads, Rotation::Direction::inverse}, dx.tensor, dx.mode);
    });
  return y;
}

Tensor normalize_heads(ForwardPass& pass, const Tensor& x, const Tensor& gain,
                       const HeadNormOptions& options) {
  check(x.columns() % options.heads == 0, "[normalize_heads] columns not divisible by heads");
  check(!gain || gain.size() == options.heads, "[normalize_heads] one gain a head");
  Tensor y = pass.tensor(x.shape(), x.dtype());
  pass.backend.normalize_heads(x, gain, options, y);
  if (pass.tape)
    pass.tape->record(y, [&pass, x, gain, options](const Tensor& dy) {
      GradientBuffer dx = pass.tape->gradient_buffer(x);
      Tensor dgain = gain ? pass.tape->accumulation_buffer(gain) : Tensor();
      pass.backend.normalize_heads_gradient(dy, x, gain, options,
                                            {dx.tensor, dx.mode, gain ? &dgain : nullptr});
    });
  return y;
}

Tensor linear_heads(ForwardPass& pass, const Tensor& x, const Tensor& weight) {
  const int64_t heads = x.columns() / weight.columns();
  check(x.columns() % weight.columns() == 0 && weight.rows() % heads == 0,
        "[linear_heads] one weight [out, in] a head");
  Tensor y = pass.tensor({x.rows(), weight.rows()}, x.dtype());
  pass.backend.linear_heads(x, weight, y);
  if (pass.tape)
    pass.tape->record(y, [&pass, x, weight](const Tensor& dy) {
      GradientBuffer dweight = pass.tape->gradient_buffer(weight);
      pass.backend.linear_heads_weight_gradient(dy, x, dweight.tensor, dweight.mode);
      GradientBuffer dx = pass.tape->gradient_buffer(x);
      pass.backend.linear_heads_input_gradient(dy, weight, dx.tensor, dx.mode);
    });
  return y;
}

Tensor multiply(ForwardPass& pass, const Tensor& a, const Tensor& b) {
  check(a.shape() == b.shape(), "[multiply] factors differ in shape");
  Tensor y = pass.tensor(a.shape(), a.dtype());
  pass.backend.multiply(a, b, y, WriteMode::overwrite);
  if (pass.tape)
    pass.tape->record(y, [&pass, a, b](const Tensor& dy) {
      GradientBuffer da = pass.tape->gradient_buffer(a);
      pass.backend.multiply(dy, b, da.tensor, da.mode);
      GradientBuffer db = pass.tape->gradient_buffer(b);
      pass.backend.multiply(dy, a, db.tensor, db.mode);
    });
  return y;
}

Loss& Loss::operator+=(const Loss& other) {
  smoothed += other.smoothed;
  nll += other.nll;
  tokens += other.tokens;
  alignment += other.alignment;
  aligned_tokens += other.aligned_tokens;
  return *this;
}

Tensor cross_entropy_of_rows(ForwardPass& pass, const Tensor& states, const Tensor& table,
                             const Tensor& bias, const Indices& labels,
                             const LossOptions& options) {
  const int64_t rows = states.rows(), classes = table.rows();
  check(int64_t(labels.size()) == rows, "[cross_entropy] one label a row");
  for (TokenId label : labels)
    check(label >= 0 && label < classes, "[cross_entropy] label outside the classes");
  const Tuning tuning = pass.backend.tuning();
  const int64_t block = std::clamp<int64_t>(
      tuning.logit_bytes / (classes * size_of(states.dtype())), 16, tuning.logit_rows);
  const CrossEntropyOptions kernel{options.smoothing, pass.tape ? options.gradient_factor : 0};
  Tensor losses = pass.tensor({rows, 2}, states.dtype());
  Tensor dstates = pass.tape ? pass.tensor(states.shape(), states.dtype()) : Tensor();
  for (int64_t begin = 0; begin < rows; begin += block) {
    const int64_t end = std::min(rows, begin + block);
    const Tensor x = states.slice(begin, end);
    Tensor logits = pass.tensor({end - begin, classes}, states.dtype());
    pass.backend.linear(x, table, bias, Activation::none, logits);
    Tensor losses_of_block = losses.slice(begin, end);
    pass.backend.cross_entropy(logits, labels, begin, kernel, losses_of_block);
    if (!pass.tape) continue;
    detail::add_weight_gradient(pass, {table, logits, x}, bias);
    Tensor dx = dstates.slice(begin, end);
    pass.backend.linear_input_gradient(logits, table, dx, WriteMode::overwrite);
  }
  if (pass.tape) pass.tape->set_gradient(states, dstates);
  return losses;
}

Loss cross_entropy(ForwardPass& pass, const Tensor& states, const Tensor& table, const Tensor& bias,
                   const Indices& labels, const LossOptions& options) {
  const Tensor losses = to_host(cross_entropy_of_rows(pass, states, table, bias, labels, options));
  Loss loss;
  for (int64_t r = 0; r < losses.rows(); ++r) {
    loss.smoothed += element(losses, 2 * r);
    loss.nll += element(losses, 2 * r + 1);
  }
  loss.tokens = losses.rows();
  return loss;
}

}  // namespace heed
