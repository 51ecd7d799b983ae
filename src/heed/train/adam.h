// Adam (Kingma & Ba, 2015) over parameters, section 5.3.
#pragma once

#include "heed/core/parallel.h"
#include "heed/model/parameters.h"

namespace heed {

// Whether an exponential moving average (EMA) of the parameters is computed too.
enum class Ema { off, on };

class Adam {
 public:
  // Updates these parameters in place: it shares their storage. The moments begin at 0, the EMA as
  // a copy of the parameters. The backend and the workers must outlive it.
  Adam(std::vector<Parameter> parameters, Backend& backend, Workers& workers, Ema ema = Ema::off);

  // Updates every parameter from the flat gradient of GradientTree. Packed weights are stale
  // afterwards: call pack(). The gradient may end before the deferred parameters
  // (deferred_gradients.h), which are skipped: update_part() updates them. Weight decay applies to
  // matrices and tables, not to biases and gains (is_decayed).
  void update(const AdamStep& step, const Tensor& gradient, const std::vector<int64_t>& offsets);

  // Updates elements of parameters()[parameter] from `begin` on, as many as there are gradients.
  // Runs on the calling thread; several threads may update different parts.
  void update_part(const AdamStep& step, size_t parameter, int64_t begin, const Tensor& gradient);

  // Exchanges the values of the parameters and of their EMA, bit for bit: call pack() before
  // computing with them. Does nothing without an EMA.
  void swap_ema();

  const std::vector<Parameter>& parameters() const { return parameters_; }
  std::vector<Parameter>& parameters() { return parameters_; }
  // The moments of parameters()[i], of its shape.
  const Tensor& first_moment(size_t i) const { return first_[i]; }
  Tensor& first_moment(size_t i) { return first_[i]; }
  const Tensor& second_moment(size_t i) const { return second_[i]; }
  Tensor& second_moment(size_t i) { return second_[i]; }
  // The EMA of parameters()[i], of its shape.
  bool has_ema() const { return !ema_.empty(); }
  const Tensor& ema(size_t i) const { return ema_[i]; }
  Tensor& ema(size_t i) { return ema_[i]; }

 private:
  struct Block {
    size_t parameter;
    int64_t begin, end;
  };

  std::vector<Parameter> parameters_;
  Backend& backend_;
  Workers& workers_;
  std::vector<Tensor> first_, second_;
  std::vector<Tensor> ema_;  // empty, or one for each parameter
  std::vector<Block> blocks_;
};

}  // namespace heed
