#include "heed/model/sequence_model.h"
#include "heed/serve/api/handlers.h"

namespace heed::v1 {

HttpResponse models(const Api& api) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const auto& model : api.models.all()) {
    nlohmann::ordered_json object = {
        {"name", model->name}, {"task", to_text(model->task)}, {"path", endpoint_of(model->task)}};
    if (model->task == LearningTask::translation) {
      object["source"] = model->languages.source;
      object["target"] = model->languages.target;
      object["alignments"] = model->aligns();
    }
    const auto& examples = model->model.parts().model.generation_defaults().examples;
    if (!examples.empty()) object["examples"] = examples;
    all.push_back(std::move(object));
  }
  return json_answer({{"models", all}});
}

}  // namespace heed::v1
