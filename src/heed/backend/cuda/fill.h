// Which file defines which kernels of the CUDA backend.
#pragma once

#include "heed/backend/backend.h"

namespace heed::cuda {

void fill_elementwise(Kernels& kernels);          // activations, dropout, sums, Adam
void fill_rows(DType compute, Kernels& kernels);  // norms, embeddings, the KV cache, rows by heads
void fill_attention(Kernels& kernels);            // equation 1 and its gradient
void fill_attention_steps(Kernels& kernels);
void fill_recurrent(Kernels& kernels);
void fill_loss(Kernels& kernels);                   // cross entropy and top k
void fill_linear(DType compute, Kernels& kernels);  // matrix products

}  // namespace heed::cuda
