// Recurrent layers over ragged sequences: LSTM and GRU.
#pragma once

#include "heed/autograd/ops.h"

namespace heed {

enum class Cell { lstm, gru };

// Rows of each weight for a column of the state: the gates of the cell (backend/recurrent.h).
constexpr int64_t gates_of(Cell cell) {
  return cell == Cell::lstm ? 4 : 3;
}

// W [gates * d, in] with b, and U [gates * d, d] with b'.
struct RecurrentWeights {
  Tensor input, input_bias, state, state_bias;
};

// The order in which a layer reads a sequence.
enum class ReadingOrder { forward, backward };

// The states [rows, d] after each row of x [rows, in], in the order of x, where every sequence of
// `layout` begins from a state (and cell) of zeros. W x of all rows is one product. U h is one for
// each step: those of a step are the rows of all sequences that are that long, so nothing is
// padded. The states of a sequence have the same bits whatever the other sequences are.
Tensor recurrent(ForwardPass& pass, const Tensor& x, const Ragged& layout,
                 const RecurrentWeights& weights, Cell cell, ReadingOrder order);

}  // namespace heed
