#include "heed/backend/cuda/attention.h"
#include "heed/backend/cuda/attention_layout.h"
#include "heed/backend/cuda/fill.h"
#include "heed/backend/cuda/memory.h"

namespace heed::cuda {
namespace {

AttentionShape shape_of(const AttentionInput& input, const AttentionLayout& layout, int64_t heads) {
  const AttentionHeads widths(input, heads);
  return {.heads = heads,
          .key_value_heads = widths.key_value,
          .d_key = widths.d_key,
          .d_value = widths.d_value,
          .queries = layout.queries.rows(),
          .keys = layout.keys.lengths.rows()};
}

AttentionRule rule_of(const AttentionOptions& options) {
  return {.scale = float(options.scores.scale),
          .window = options.scores.window.value_or(-1),
          .bias = options.scores.bias,
          .dropout = options.dropout};
}

void attend(const AttentionInput& input, const AttentionLayout& layout,
            const AttentionOptions& options, const AttentionOutput& output) {
  const LayoutOnDevice on_device(layout, output.weights ? Pairs::needed : Pairs::unneeded);
  const AttentionShape shape = shape_of(input, layout, options.scores.heads);
  const AttentionRule rule = rule_of(options);
  const AttentionResult result = {device_data<float>(output.out),
                                  device_data<float>(output.logsumexp),
                                  output.weights ? device_data<float>(*output.weights) : nullptr};
  const float* query = device_data<float>(input.query);
  if (input.key.dtype() != DType::bf16)
    return attention<float>(on_device.layout, shape, rule,
                            {query, device_data<float>(input.key), device_data<float>(input.value)},
                            result);
  attention<uint16_t>(on_device.layout, shape, rule,
                      {query, reinterpret_cast<const uint16_t*>(device_data<Bf16>(input.key)),
                       reinterpret_cast<const uint16_t*>(device_data<Bf16>(input.value))},
                      result);
}

void attend_gradient(const Tensor& dout, const AttentionInput& input, const AttentionLayout& layout,
                     const AttentionOptions& options, const AttentionForward& forward,
                     const AttentionGradient& gradient) {
  const LayoutOnDevice on_device(layout, Pairs::unneeded);
  attention_gradient(on_device.layout, shape_of(input, layout, options.scores.heads),
                     rule_of(options),
                     {device_data<float>(input.query), device_data<float>(input.key),
                      device_data<float>(input.value)},
                     {device_data<float>(dout), device_data<float>(forward.out),
                      device_data<float>(forward.logsumexp), device_data<float>(gradient.dquery),
                      device_data<float>(gradient.dkey), device_data<float>(gradient.dvalue)});
}

}  // namespace

void fill_attention(Kernels& kernels) {
  kernels.attention = attend;
  kernels.attention_gradient = attend_gradient;
}

}  // namespace heed::cuda
