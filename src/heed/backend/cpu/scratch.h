// Memory that a kernel needs while it runs, kept per thread for the next call.
#pragma once

#include <cstdint>

namespace heed::cpu {

// The uses of blocks; one call may hold one block of each.
enum class Scratch {
  right_operand,               // of a product, packed
  left_rows,                   // rows of its left operand, rounded or quantized to the compute type
  left_row_scales,             // scale and initial sum of each such row (RowQuantization)
  left_operand,                // packed
  panel_tails,                 // the last words of its right operand's panels, as whole tiles
  keys,                        // a head's keys, transposed
  values,                      // a head's values
  key_rows,                    // a head's keys, in rows
  queries,                     // a head's queries
  output_gradients,            // a head's gradients of the output
  attention_weights,           // of a block of queries
  attention_weight_gradients,  // and their gradients
  dkeys,                       // a head's gradients of the keys
  dvalues,                     // and of the values
  angles,                      // of rotary positions: cosines and sines
  cached_rows,                 // a head's cached keys or values as floats
  position_scores,             // of all heads, by distance
  count
};

// At least `floats` floats, aligned to 64 bytes, contents unspecified. They stay valid on this
// thread until its next call with the same `use`; one that asks for at most as many returns the
// same block with its contents.
float* scratch(Scratch use, int64_t floats);

// The bytes that the first such call allocates.
int64_t scratch_bytes_of(int64_t floats);

}  // namespace heed::cpu
