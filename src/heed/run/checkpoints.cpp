#include "heed/run/checkpoints.h"

#include <algorithm>

#include "heed/model/safetensors.h"
#include "heed/run/resolved_options.h"

namespace heed {

void save_checkpoint(const std::filesystem::path& path, const std::vector<Parameter>& parameters) {
  std::vector<TensorEntry> list;
  list.reserve(parameters.size());
  for (const Parameter& p : parameters)
    list.push_back({p.name, p.tensor.dtype(), p.tensor.shape()});
  SafetensorsWriter file(path, list, {}, Checksum::stored);
  for (const Parameter& p : parameters) file.write(p.name, p.tensor);
  file.commit();
}

bool keeps_checkpoints(const TrainOptions& options) {
  return options.keep_checkpoints > 0 || !options.average.empty();
}

bool can_average(const TrainOptions& options, const std::vector<Checkpoint>& kept) {
  return parse_averaging(options.average).kind != Averaging::Kind::best ||
         std::ranges::all_of(kept, [](const Checkpoint& c) { return c.score.has_value(); });
}

void add_checkpoint(const TrainOptions& options, const Checkpoint& latest,
                    std::vector<Checkpoint>& kept) {
  kept.push_back(latest);
  const Averaging averaging = parse_averaging(options.average);
  if (kept.size() <= size_t(std::max(options.keep_checkpoints, averaging.count))) return;
  auto dropped = kept.begin();
  if (averaging.kind == Averaging::Kind::best)
    dropped = std::min_element(
        kept.begin(), kept.end(),
        [](const Checkpoint& a, const Checkpoint& b) { return *a.score < *b.score; });
  kept.erase(dropped);
}

std::vector<Checkpoint> checkpoints_to_average(const TrainOptions& options,
                                               const std::vector<Checkpoint>& kept) {
  const Averaging averaging = parse_averaging(options.average);
  if (averaging.kind == Averaging::Kind::none) return {};
  std::vector<Checkpoint> chosen = kept;
  if (averaging.kind == Averaging::Kind::best)
    std::stable_sort(chosen.begin(), chosen.end(),
                     [](const Checkpoint& a, const Checkpoint& b) { return *a.score > *b.score; });
  else
    std::reverse(chosen.begin(), chosen.end());
  if (int64_t(chosen.size()) > averaging.count) chosen.resize(size_t(averaging.count));
  return chosen;
}

}  // namespace heed
