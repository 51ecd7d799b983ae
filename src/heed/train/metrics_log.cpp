#include "heed/train/metrics_log.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "heed/core/files.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kAverageKind = "average";

void append(const std::filesystem::path& path, const Json& object) {
  append_to_file(path, object.dump() + '\n');
}

void put(Json& object, const char* name, const std::optional<double>& value) {
  if (value) object[name] = *value;
}

}  // namespace

void MetricsLog::truncate_after(int64_t step) const {
  std::string kept;
  if (step > 0 && std::filesystem::exists(path_)) {
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) {
      const Json object = Json::parse(line, nullptr, false);
      const bool known =
          object.is_object() && object.contains("step") && object["step"].is_number_integer();
      const bool average = known && object.value("kind", Json()) == kAverageKind;
      if (known && !average && object["step"].get<int64_t>() <= step) kept += line + '\n';
    }
  }
  write_file_atomically(path_, kept);
}

void MetricsLog::add(const TrainReport& r) const {
  append(path_, {{"kind", "train"},
                 {"step", r.step},
                 {"epoch", r.epoch},
                 {"loss", r.loss},
                 {"nll", r.nll},
                 {"learning_rate", r.learning_rate},
                 {"gradient_norm", r.gradient_norm},
                 {"tokens_per_second", r.tokens_per_second},
                 {"seconds", r.seconds}});
}

void MetricsLog::add(const ValidationReport& r) const {
  Json object = {{"kind", r.averaged_checkpoints > 0 ? kAverageKind : "validation"},
                 {"step", r.step},
                 {"epoch", r.epoch}};
  if (r.averaged_checkpoints > 0) object["checkpoints"] = r.averaged_checkpoints;
  put(object, "train_loss", r.train_loss);
  put(object, "loss", r.loss);
  put(object, "perplexity", r.perplexity);
  if (r.translations) {
    object["bleu"] = r.translations->bleu;
    object["bleu_tokenize"] = name(r.translations->bleu_tokenizer);
    object["chrf"] = r.translations->chrf;
  }
  object["best"] = r.best;
  object["seconds"] = r.seconds;
  append(path_, object);
}

}  // namespace heed
