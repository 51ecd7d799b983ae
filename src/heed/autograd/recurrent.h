// Recurrent layers over ragged sequences: LSTM and GRU.
#pragma once

#include "heed/autograd/ops.h"
#include "heed/autograd/time_order.h"

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

// States and, of the LSTM, cells of sequences: [sequences, d] each.
struct RecurrentState {
  Tensor state = {}, cell = {};
};

struct RecurrentOptions {
  Cell cell = Cell::lstm;
  ReadingOrder order = ReadingOrder::forward;
  RecurrentState start = {};  // of each sequence; none: zeros
  Tensor* cells = nullptr;    // set to the cells after each row, [rows, d], which have no gradient
};

// The states [rows, d] after each row of x [rows, in], in the order of x. W x of all rows is one
// product. U h is one for each step (TimeOrder). The states of a sequence have the same bits
// whatever the other sequences are.
Tensor recurrent(ForwardPass& pass, const Tensor& x, const Ragged& layout,
                 const RecurrentWeights& weights, const RecurrentOptions& options);

}  // namespace heed
