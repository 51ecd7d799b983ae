#include "reference/reference_backend.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/backend/quantize.h"
#include "reference/attention-inl.h"
#include "reference/head_rows-inl.h"
#include "reference/recurrent-inl.h"

namespace heed {
namespace {

using reference::AttentionKernelsOf;
using reference::dropout_factor;
using reference::HeadRowKernelsOf;
using reference::put;
using reference::RecurrentKernelsOf;

constexpr double kGeluRoot = 0.7978845608028654;  // sqrt(2 / pi)

double activation_value(Activation activation, double x) {
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::relu:
      return x > 0 ? x : 0;
    case Activation::gelu:
      return 0.5 * x * (1 + std::erf(x * M_SQRT1_2));
    case Activation::gelu_tanh:
      return x / (1 + std::exp(-2 * kGeluRoot * (x + 0.044715 * x * x * x)));
    case Activation::silu:
      return x / (1 + std::exp(-x));
    case Activation::sigmoid:
      return 1 / (1 + std::exp(-x));
    case Activation::tanh:
      return std::tanh(x);
  }
  return x;
}

double activation_derivative(Activation activation, double x) {
  switch (activation) {
    case Activation::none:
      return 1;
    case Activation::relu:
      return x > 0 ? 1 : 0;
    case Activation::gelu:
      return 0.5 * (1 + std::erf(x * M_SQRT1_2)) + x * std::exp(-0.5 * x * x) / std::sqrt(2 * M_PI);
    case Activation::gelu_tanh: {
      const double s = 1 / (1 + std::exp(-2 * kGeluRoot * (x + 0.044715 * x * x * x)));
      return s + x * s * (1 - s) * 2 * kGeluRoot * (1 + 3 * 0.044715 * x * x);
    }
    case Activation::silu: {
      const double s = 1 / (1 + std::exp(-x));
      return s * (1 + x * (1 - s));
    }
    case Activation::sigmoid:
      return activation_value(activation, x) * activation_value(activation, -x);
    case Activation::tanh:
      return 1 - std::tanh(x) * std::tanh(x);
  }
  return 1;
}

// The kernels for one element type.
template <class T>
struct KernelsOf {
  static void embed(const Tokens& tokens, const Tensor& table, const Tensor& positions,
                    double scale, const Dropout& dropout, Tensor& out) {
    const int64_t d = table.columns();
    for (int64_t b = 0; b < tokens.layout.count(); ++b) {
      for (int64_t i = 0; i < tokens.layout.length(b); ++i) {
        const int64_t r = tokens.layout.offsets[size_t(b)] + i;
        const T* row = table.data<T>() + tokens.ids[size_t(r)] * d;
        const T* position =
            positions ? positions.data<T>() + (tokens.start_of(b) + i) * d : nullptr;
        for (int64_t c = 0; c < d; ++c)
          out.data<T>()[r * d + c] =
              T(dropout_factor(dropout, r * d + c) *
                (scale * double(row[c]) + (position ? double(position[c]) : 0)));
      }
    }
  }

  static void embed_gradient(const Tokens& tokens, const Tensor& dout, double scale,
                             const Dropout& dropout, TokenId padding_id, Tensor& dtable) {
    const int64_t d = dtable.columns();
    for (int64_t r = 0; r < int64_t(tokens.ids.size()); ++r) {
      if (tokens.ids[size_t(r)] == padding_id) continue;
      T* row = dtable.data<T>() + tokens.ids[size_t(r)] * d;
      for (int64_t c = 0; c < d; ++c)
        row[c] += T(scale * dropout_factor(dropout, r * d + c) * double(dout.data<T>()[r * d + c]));
    }
  }

  static void linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
                     Activation activation, Tensor& y) {
    const std::vector<double> sums = HeadRowKernelsOf<T>::products(x, weight);
    const T* biases = bias ? bias.data<T>() : nullptr;
    T* to = y.data<T>();
    for (size_t i = 0; i < sums.size(); ++i) {
      const double shift = biases ? double(biases[int64_t(i) % weight.rows()]) : 0;
      to[i] = T(activation_value(activation, sums[i] + shift));
    }
  }

  static void weight_gradient(const Tensor& dy, const Tensor& x, int64_t first, Tensor& dweight,
                              WriteMode mode) {
    const int64_t in = x.columns(), out = dy.columns();
    const T *dys = dy.data<T>(), *xs = x.data<T>();
    T* dweights = dweight.data<T>();
    for (int64_t n = 0; n < dweight.rows(); ++n) {
      for (int64_t k = 0; k < in; ++k) {
        double sum = 0;
        for (int64_t r = 0; r < x.rows(); ++r)
          sum += double(dys[r * out + first + n]) * double(xs[r * in + k]);
        put(dweights[n * in + k], sum, mode);
      }
    }
  }

  static void bias_gradient(const Tensor& dy, int64_t first, Tensor& dbias, WriteMode mode) {
    for (int64_t n = 0; n < dbias.size(); ++n) {
      double sum = 0;
      for (int64_t r = 0; r < dy.rows(); ++r)
        sum += double(dy.data<T>()[r * dy.columns() + first + n]);
      put(dbias.data<T>()[n], sum, mode);
    }
  }

  static void activate(Activation activation, const Tensor& x, Tensor& y) {
    for (int64_t i = 0; i < x.size(); ++i)
      y.data<T>()[i] = T(activation_value(activation, double(x.data<T>()[i])));
  }

  static void activation_gradient(Activation activation, const Tensor& x, const Tensor& dy,
                                  Tensor& dx) {
    for (int64_t i = 0; i < x.size(); ++i)
      dx.data<T>()[i] =
          T(double(dy.data<T>()[i]) * activation_derivative(activation, double(x.data<T>()[i])));
  }

  static void drop(const Tensor& x, const Dropout& dropout, Tensor& y) {
    for (int64_t i = 0; i < x.size(); ++i)
      y.data<T>()[i] = T(dropout_factor(dropout, i) * double(x.data<T>()[i]));
  }

  // Row r of sum = x + dropout(sublayer).
  static void add_row(const Tensor& x, const Tensor& sublayer, const Dropout& dropout, int64_t r,
                      Tensor& sum) {
    for (int64_t i = r * x.columns(); i < (r + 1) * x.columns(); ++i)
      sum.data<T>()[i] =
          T(double(x.data<T>()[i]) + dropout_factor(dropout, i) * double(sublayer.data<T>()[i]));
  }

  static void add_norm(const Tensor& x, const Tensor& sublayer, const Tensor& gain,
                       const Tensor& bias, const NormOptions& options, Tensor& sum,
                       Tensor& statistics, Tensor& y) {
    const int64_t d = x.columns();
    const T *gains = gain.data<T>(), *biases = bias ? bias.data<T>() : nullptr;
    for (int64_t r = 0; r < x.rows(); ++r) {
      const T* s = x.data<T>() + r * d;
      if (sublayer) {
        add_row(x, sublayer, options.dropout, r, sum);
        s = sum.data<T>() + r * d;
      }
      double total = 0, squares = 0;
      for (int64_t c = 0; c < d; ++c) total += double(s[c]);
      const double mean = options.kind == NormKind::layer ? total / double(d) : 0;
      for (int64_t c = 0; c < d; ++c) squares += (double(s[c]) - mean) * (double(s[c]) - mean);
      const double inverse = 1 / std::sqrt(squares / double(d) + options.epsilon);
      statistics.data<T>()[2 * r] = T(mean);
      statistics.data<T>()[2 * r + 1] = T(inverse);
      T* to = y.data<T>() + r * d;
      for (int64_t c = 0; c < d; ++c)
        to[c] = T(double(gains[c]) * (double(s[c]) - mean) * inverse +
                  (biases ? double(biases[c]) : 0));
    }
  }

  static void add_norm_gradient(const Tensor& dy, const Tensor& sum, const Tensor& statistics,
                                const Tensor& gain, const NormOptions& options,
                                const AddNormGradient& out) {
    const int64_t d = dy.columns();
    for (int64_t r = 0; r < dy.rows(); ++r) {
      const double mean = double(statistics.data<T>()[2 * r]);
      const double inverse = double(statistics.data<T>()[2 * r + 1]);
      const auto normal = [&](int64_t c) {
        return (double(sum.data<T>()[r * d + c]) - mean) * inverse;
      };
      double total = 0, weighted = 0;  // of g = dy * gain
      for (int64_t c = 0; c < d; ++c) {
        const double dy_c = double(dy.data<T>()[r * d + c]);
        out.dgain.data<T>()[c] += T(dy_c * normal(c));
        if (out.dbias) out.dbias.data<T>()[c] += T(dy_c);
        if (options.kind == NormKind::layer) total += dy_c * double(gain.data<T>()[c]);
        weighted += dy_c * double(gain.data<T>()[c]) * normal(c);
      }
      for (int64_t c = 0; c < d; ++c) {
        const int64_t i = r * d + c;
        const double g = double(dy.data<T>()[i]) * double(gain.data<T>()[c]);
        const double dx = inverse * (g - total / double(d) - normal(c) * weighted / double(d));
        put(out.dx.data<T>()[i], dx, out.mode);
        if (out.dsublayer) out.dsublayer.data<T>()[i] = T(dx * dropout_factor(options.dropout, i));
      }
    }
  }

  static void cross_entropy(Tensor& logits, const Indices& labels, int64_t first,
                            const CrossEntropyOptions& options, Tensor& losses) {
    const int64_t classes = logits.columns();
    for (int64_t r = 0; r < logits.rows(); ++r) {
      T* row = logits.data<T>() + r * classes;
      const double top = double(*std::max_element(row, row + classes));
      double sum = 0, total = 0;
      for (int64_t v = 0; v < classes; ++v) {
        sum += std::exp(double(row[v]) - top);
        total += double(row[v]);
      }
      const double normalizer = top + std::log(sum);
      const double nll = normalizer - double(row[labels[size_t(first + r)]]);
      const double even = normalizer - total / double(classes);
      losses.data<T>()[2 * r] = T((1 - options.smoothing) * nll + options.smoothing * even);
      losses.data<T>()[2 * r + 1] = T(nll);
      if (options.gradient_scale == 0) continue;
      for (int64_t v = 0; v < classes; ++v) {
        const double wanted = options.smoothing / double(classes) +
                              (v == labels[size_t(first + r)] ? 1 - options.smoothing : 0);
        row[v] = T(options.gradient_scale * (std::exp(double(row[v]) - normalizer) - wanted));
      }
    }
  }

  static TopK top_k(const Tensor& logits, int64_t k) {
    const int64_t classes = logits.columns();
    TopK top;
    std::vector<TokenId> order(size_t(classes), 0);
    for (int64_t r = 0; r < logits.rows(); ++r) {
      const T* row = logits.data<T>() + r * classes;
      const double best = double(*std::max_element(row, row + classes));
      double sum = 0;
      for (int64_t v = 0; v < classes; ++v) sum += std::exp(double(row[v]) - best);
      std::iota(order.begin(), order.end(), 0);
      std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](TokenId a, TokenId b) {
        return row[a] != row[b] ? row[a] > row[b] : a < b;
      });
      for (int64_t i = 0; i < k; ++i) {
        top.ids.push_back(order[size_t(i)]);
        top.log_probabilities.push_back(
            float(double(row[order[size_t(i)]]) - best - std::log(sum)));
      }
    }
    return top;
  }

  static void add(const Tensor& x, Tensor& y) {
    for (int64_t i = 0; i < x.size(); ++i) y.data<T>()[i] += x.data<T>()[i];
  }

  static double sum_of_squares(const Tensor& x) {
    double sum = 0;
    for (int64_t i = 0; i < x.size(); ++i) sum += double(x.data<T>()[i]) * double(x.data<T>()[i]);
    return sum;
  }

  static void adam(const AdamStep& step, const Tensor& gradient, Tensor& parameter, Tensor& m,
                   Tensor& v, Tensor* ema) {
    const double correction1 = 1 - std::pow(step.beta1, double(step.step));
    const double correction2 = 1 - std::pow(step.beta2, double(step.step));
    for (int64_t i = 0; i < gradient.size(); ++i) {
      const double g = double(gradient.data<T>()[i]) * step.gradient_scale;
      T& first = m.data<T>()[i];
      T& second = v.data<T>()[i];
      first = T(step.beta1 * double(first) + (1 - step.beta1) * g);
      second = T(step.beta2 * double(second) + (1 - step.beta2) * g * g);
      const double corrected = double(first) / correction1;
      T& value = parameter.data<T>()[i];
      value -= T(step.learning_rate *
                 (corrected / (std::sqrt(double(second) / correction2) + step.epsilon) +
                  step.weight_decay * double(value)));
      if (!ema) continue;
      T& mean = ema->data<T>()[i];
      mean += T((1 - step.ema_decay) * (double(value) - double(mean)));
    }
  }
};

// The type of the first tensor among a kernel's operands.
template <class... Rest>
DType type_of(const Tensor& x, const Rest&...) {
  return x.dtype();
}
template <class... Rest>
DType type_of(const AttentionInput& input, const Rest&...) {
  return input.query.dtype();
}
template <class... Rest>
DType type_of(const ScoreOperands& operands, const Rest&...) {
  return operands.query.dtype();
}
template <class First, class... Rest>
DType type_of(const First&, const Rest&... rest) {
  return type_of(rest...);
}

// A kernel that calls the version for its operands' type.
template <class Result, class... Operands>
std::function<Result(Operands...)> by_type(Result (*for_float)(Operands...),
                                           Result (*for_double)(Operands...)) {
  return [=](Operands... operands) {
    return (type_of(operands...) == DType::fp32 ? for_float : for_double)(operands...);
  };
}

// Rounds a row as int8 does.
void quantize(std::span<float> row) {
  const float scale = int8_scale(row);
  for (float& x : row) x = scale * float(int8_of(x, scale));
}

// An operand of a product as its compute type sees it.
Tensor rounded(const Tensor& x, DType compute) {
  if (compute == DType::fp32) return x;
  Tensor result = tensor_of<float>(x.shape(), x.span<float>());
  if (compute == DType::bf16) {
    for (float& value : result.span<float>()) value = to_bf16(value);
  } else {
    const auto columns = size_t(result.columns());
    for (int64_t r = 0; r < result.rows(); ++r)
      quantize(result.span<float>().subspan(size_t(r) * columns, columns));
  }
  return result;
}

// A product's kernel whose first two operands are rounded to the compute type.
template <class... Rest>
std::function<void(const Tensor&, const Tensor&, Rest...)> product(
    DType compute, const std::function<void(const Tensor&, const Tensor&, Rest...)>& kernel) {
  return [=](const Tensor& a, const Tensor& b, Rest... rest) {
    kernel(rounded(a, compute), rounded(b, compute), rest...);
  };
}

class ReferenceBackend : public Backend {
 public:
  explicit ReferenceBackend(DType compute) : compute_(compute) {
    using F = KernelsOf<float>;
    using D = KernelsOf<double>;
    pack = [](auto&&...) { return nullptr; };
    packed_bytes = [](auto&&...) { return 0; };
    scratch_bytes = [](auto&&...) { return 0; };
    embed = by_type(F::embed, D::embed);
    embed_gradient = by_type(F::embed_gradient, D::embed_gradient);
    linear = product(compute, by_type(F::linear, D::linear));
    // A linear layer is linear_heads with one head.
    linear_input_gradient =
        product(compute, by_type(HeadRowKernelsOf<float>::linear_heads_input_gradient,
                                 HeadRowKernelsOf<double>::linear_heads_input_gradient));
    linear_weight_gradient =
        [products = product(compute, by_type(F::weight_gradient, D::weight_gradient)),
         sums = by_type(F::bias_gradient, D::bias_gradient)](const Tensor& dy, const Tensor& x,
                                                             int64_t first, Tensor& dweight,
                                                             Tensor* dbias, WriteMode mode) {
          products(dy, x, first, dweight, mode);
          if (dbias) sums(dy, first, *dbias, mode);
        };
    if (compute == DType::int8) {
      linear_input_gradient = nullptr;
      linear_weight_gradient = nullptr;
    }
    activate = by_type(F::activate, D::activate);
    activation_gradient = by_type(F::activation_gradient, D::activation_gradient);
    dropout = by_type(F::drop, D::drop);
    add_norm = by_type(F::add_norm, D::add_norm);
    add_norm_gradient = by_type(F::add_norm_gradient, D::add_norm_gradient);
    cross_entropy = by_type(F::cross_entropy, D::cross_entropy);
    top_k = by_type(F::top_k, D::top_k);
    add = by_type(F::add, D::add);
    sum_of_squares = by_type(F::sum_of_squares, D::sum_of_squares);
    adam = by_type(F::adam, D::adam);
    fill_head_rows();
    fill_attention();
    fill_recurrent();
  }

  std::string name() const override { return "reference"; }
  DType compute_type() const override { return compute_; }

 private:
  void fill_head_rows() {
    using F = HeadRowKernelsOf<float>;
    using D = HeadRowKernelsOf<double>;
    rotate = by_type(F::rotate, D::rotate);
    normalize_heads = by_type(F::normalize_heads, D::normalize_heads);
    normalize_heads_gradient = by_type(F::normalize_heads_gradient, D::normalize_heads_gradient);
    linear_heads = by_type(F::linear_heads, D::linear_heads);
    linear_heads_input_gradient =
        by_type(F::linear_heads_input_gradient, D::linear_heads_input_gradient);
    linear_heads_weight_gradient =
        by_type(F::linear_heads_weight_gradient, D::linear_heads_weight_gradient);
    multiply = by_type(F::multiply, D::multiply);
  }
  void fill_attention() {
    using F = AttentionKernelsOf<float>;
    using D = AttentionKernelsOf<double>;
    write_cache = by_type(F::write_cache, D::write_cache);
    attention = by_type(F::attention, D::attention);
    attention_gradient = by_type(F::attention_gradient, D::attention_gradient);
    scaled_scores = by_type(F::scaled_scores, D::scaled_scores);
    scaled_scores_gradient = by_type(F::scaled_scores_gradient, D::scaled_scores_gradient);
    additive_scores = by_type(F::additive_scores, D::additive_scores);
    additive_scores_gradient = by_type(F::additive_scores_gradient, D::additive_scores_gradient);
    add_positional_scores = by_type(F::add_positional_scores, D::add_positional_scores);
    sum_weights_by_position = by_type(F::sum_weights_by_position, D::sum_weights_by_position);
    attention_softmax = by_type(F::attention_softmax, D::attention_softmax);
    attention_softmax_gradient =
        by_type(F::attention_softmax_gradient, D::attention_softmax_gradient);
    gaussian_weights = by_type(F::gaussian_weights, D::gaussian_weights);
    gaussian_weights_gradient = by_type(F::gaussian_weights_gradient, D::gaussian_weights_gradient);
    weighted_sum = by_type(F::weighted_sum, D::weighted_sum);
    weighted_sum_gradient = by_type(F::weighted_sum_gradient, D::weighted_sum_gradient);
  }

  void fill_recurrent() {
    using F = RecurrentKernelsOf<float>;
    using D = RecurrentKernelsOf<double>;
    lstm_step = by_type(F::lstm_step, D::lstm_step);
    lstm_step_gradient = by_type(F::lstm_step_gradient, D::lstm_step_gradient);
    gru_step = by_type(F::gru_step, D::gru_step);
    gru_step_gradient = by_type(F::gru_step_gradient, D::gru_step_gradient);
  }

  const DType compute_;
};

}  // namespace

std::unique_ptr<Backend> make_reference_backend(DType compute) {
  return std::make_unique<ReferenceBackend>(compute);
}

}  // namespace heed
