#include "heed/run/checkpoints.h"

#include <algorithm>

#include "heed/model/safetensors.h"

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

bool can_average(const CheckpointSettings& settings, const std::vector<Checkpoint>& kept) {
  return settings.average != CheckpointSettings::Average::best ||
         std::ranges::all_of(kept, [](const Checkpoint& c) { return c.score.has_value(); });
}

void add_checkpoint(const CheckpointSettings& settings, const Checkpoint& latest,
                    std::vector<Checkpoint>& kept) {
  kept.push_back(latest);
  if (kept.size() <= size_t(settings.kept)) return;
  auto dropped = kept.begin();
  if (settings.average == CheckpointSettings::Average::best)
    dropped = std::min_element(
        kept.begin(), kept.end(),
        [](const Checkpoint& a, const Checkpoint& b) { return *a.score < *b.score; });
  kept.erase(dropped);
}

std::vector<Checkpoint> checkpoints_to_average(const CheckpointSettings& settings,
                                               const std::vector<Checkpoint>& kept) {
  if (settings.average == CheckpointSettings::Average::none) return {};
  std::vector<Checkpoint> chosen = kept;
  if (settings.average == CheckpointSettings::Average::best)
    std::stable_sort(chosen.begin(), chosen.end(),
                     [](const Checkpoint& a, const Checkpoint& b) { return *a.score > *b.score; });
  else
    std::reverse(chosen.begin(), chosen.end());
  if (int64_t(chosen.size()) > settings.averaged) chosen.resize(size_t(settings.averaged));
  return chosen;
}

}  // namespace heed
