#include "heed/serve/api/model_choice.h"

#include <algorithm>
#include <atomic>

#include "heed/core/utf8.h"
#include "heed/serve/api/parameters.h"

namespace heed {
namespace {

using SharedModel = std::shared_ptr<const ServedModel>;

// Number of texts whose languages are detected at a time: some milliseconds.
constexpr size_t kDetectedTexts = 32;

// Memory held for a text until the document counts it.
constexpr size_t kBytesOfChosenText = 256;

// "en is a language model (/v1/generate), ner is a tagger (/v1/tag)"
std::string kinds_of(const std::vector<SharedModel>& models) {
  constexpr size_t kMaxNamed = 5;
  std::vector<std::string> kinds;
  for (const SharedModel& model : models) {
    kinds.push_back(fmt::format("{} is {} ({})", excerpt(model->name), kind_of(model->task),
                                endpoint_of(model->task)));
    if (kinds.size() == kMaxNamed) break;
  }
  return fmt::format("{}{}", fmt::join(kinds, ", "), models.size() > kMaxNamed ? ", ..." : "");
}

[[noreturn]] void refuse_task(const ServedModels& models, LearningTask task) {
  throw HttpError(400, fmt::format("{}: this server has no model for it: {}", endpoint_of(task),
                                   kinds_of(models.all())));
}

std::string names_of_all(const std::vector<SharedModel>& models) {
  std::vector<std::string> names;
  names.reserve(models.size());
  for (const SharedModel& model : models) names.push_back(excerpt(model->name));
  return fmt::format("{}", fmt::join(names, ", "));
}

[[noreturn]] void refuse_targets() {
  throw HttpError(400,
                  "target is required, since the source can be translated into several languages");
}

// A model, and how well its languages match those of the request.
struct Candidate {
  SharedModel model;
  LanguageMatch source = LanguageMatch::same, target = LanguageMatch::same;

  auto rank() const { return std::pair(source, target); }
};

std::vector<Candidate> candidates_of(const ServedModels& models, const std::string& source,
                                     const std::string& target) {
  const LanguageTag asked_source = parse_language(source), asked_target = parse_language(target);
  std::vector<Candidate> candidates;
  bool known_source = false, known_target = false;
  for (const SharedModel& model : translators_of(models)) {
    const LanguagePair& languages = model->languages;
    Candidate candidate{model};
    if (!source.empty() && source != "auto")
      candidate.source = match_sources(asked_source, parse_language(languages.source));
    if (!target.empty())
      candidate.target = match_languages(asked_target, parse_language(languages.target));
    const bool has_source = candidate.source != LanguageMatch::none,
               has_target = candidate.target != LanguageMatch::none;
    known_source = known_source || has_source;
    known_target = known_target || has_target;
    if (has_source && has_target) candidates.push_back(std::move(candidate));
  }
  if (!known_source) throw HttpError(400, fmt::format("{} is not supported", excerpt(source)));
  if (!known_target) throw HttpError(400, fmt::format("{} is not supported", excerpt(target)));
  // The nearest first.
  std::ranges::stable_sort(candidates, std::greater<>(), &Candidate::rank);
  return candidates;
}

// Whether source and target are one language, as in en-GB to en-US. Detection cannot choose such a
// model, so a request must name its source.
bool translates_within_language(const LanguagePair& languages) {
  return match_languages(parse_language(languages.source), parse_language(languages.target)) !=
         LanguageMatch::none;
}

bool have_one_target(const std::vector<SharedModel>& models) {
  return std::ranges::all_of(models, [&](const auto& model) {
    return model->languages.target == models.front()->languages.target;
  });
}

// The models for the languages of a request.
class ModelChoice {
 public:
  // HttpError 400 if no model fits.
  explicit ModelChoice(const ApiCall& call) {
    const std::string source = call.parameters.text("source"),
                      target = call.parameters.text("target");
    std::vector<Candidate> candidates = candidates_of(call.api.models, source, target);
    const bool detects = source == "auto" || (source.empty() && candidates.size() > 1);
    if (detects)
      std::erase_if(candidates, [](const Candidate& one) {
        return translates_within_language(one.model->languages);
      });
    if (candidates.empty())
      throw HttpError(400, fmt::format("{} to {} is not supported",
                                       source.empty() || detects ? "any language" : excerpt(source),
                                       target.empty() ? "any language" : excerpt(target)));
    for (const Candidate& one : candidates)
      if (detects || one.rank() == candidates.front().rank()) models_.push_back(one.model);
    const LanguagePair& nearest = models_.front()->languages;
    const bool one_target = !target.empty() || have_one_target(models_);
    if (one_target) target_ = nearest.target;
    if (detects) {
      source_ = "auto";
      std::vector<std::string> among = source_codes(models_);
      if (one_target) among.push_back(target_);
      detector_.emplace(among);
    } else {
      if (!one_target) refuse_targets();
      source_ = nearest.source;
      models_.resize(1);
    }
  }

  // The model for a text. HttpError 400 that names the detected language if no model translates it.
  ChosenModel of(const std::string& text) const {
    if (!detector_) return {models_.front()};
    const std::vector<DetectedLanguage> languages = detector_->detect(text);
    if (languages.empty())
      return {nullptr,
              DetectedLanguage{target_.empty() ? models_.front()->languages.target : target_, 0}};
    const std::vector<std::string> codes = source_codes(models_);
    const auto is_source = [&](const DetectedLanguage& language) {
      return language.is_among && std::ranges::find(codes, language.code) != codes.end();
    };
    const DetectedLanguage& best = languages.front();
    const auto source = std::ranges::find_if(languages, is_source);
    // If it has up to twice as much of another language, such as names and quotations, the text is
    // still one to translate.
    if (source != languages.end() && 2 * source->confidence >= best.confidence)
      return for_source(*source);
    if (best.is_among) return {nullptr, best};
    const std::string expected = fmt::format("expected {}", fmt::join(codes, ", "));
    if (best.code == kUndetermined)
      throw HttpError(400, "the language of the text is not recognized: " + expected);
    throw HttpError(400, fmt::format("{} is not supported: it is the detected language, {}; {}",
                                     best.code, language_name(best.code), expected));
  }

  // Whether the languages of texts are detected.
  bool detects() const { return detector_.has_value(); }
  // The codes as they are served. The source is "auto" if it is detected; the target is empty if
  // none was given and it depends on the source.
  const std::string& source() const { return source_; }
  const std::string& target() const { return target_; }

 private:
  ChosenModel for_source(const DetectedLanguage& language) const {
    std::vector<SharedModel> fitting;
    for (const SharedModel& model : models_)
      if (model->languages.source == language.code) fitting.push_back(model);
    if (target_.empty() && !have_one_target(fitting)) refuse_targets();
    return {fitting.front(), language};
  }

  std::vector<SharedModel> models_;  // nearest first; one unless detects()
  std::string source_, target_;
  std::optional<LanguageDetector> detector_;
};

// Detects the languages of texts, some at a time.
class DetectionCall : public ScheduledTask {
 public:
  DetectionCall(const ApiClient& client, ModelChoice choice, std::vector<std::string> texts,
                ModelsChosen then)
      : client_(client),
        choice_(std::move(choice)),
        texts_(std::move(texts)),
        then_(std::move(then)) {}

  // Few texts need no turns of the scheduler.
  static void start(const std::shared_ptr<DetectionCall>& call) {
    if (!call->choice_.detects() || call->texts_.size() <= kDetectedTexts) {
      while (call->turn()) {
      }
      return;
    }
    const ApiClient& client = call->client_;
    size_t bytes = 0;
    for (const std::string& text : call->texts_) bytes += text.size() + kBytesOfChosenText;
    client.exchange->hold(bytes);
    // Before run(), which may return after the translation has begun and set a function of its own:
    // that one must stay.
    client.exchange->on_gone([gone = call->gone_] { *gone = true; });
    client.api.scheduler->run(call, {client.client, kCost, deadline_of(client.api.options)});
  }

  std::optional<int64_t> turn() override {
    if (*gone_) return {};
    if (!detect_next_texts()) return kCost;
    pass_on();
    return {};
  }

  void failed(std::exception_ptr error) override {
    client_.exchange->respond(error_response(error));
  }

 private:
  static constexpr auto kCost = int64_t(kDetectedTexts);

  // Detects the languages of the next kDetectedTexts texts. True if none are left.
  bool detect_next_texts() {
    const size_t end = std::min(texts_.size(), chosen_.texts.size() + kDetectedTexts);
    while (chosen_.texts.size() < end) {
      const size_t index = chosen_.texts.size();
      try {
        chosen_.texts.push_back(choice_.of(texts_[index]));
      } catch (const HttpError& error) {
        if (texts_.size() == 1) throw;
        throw HttpError(error.status,
                        fmt::format("{} (text {} of {})", error.what(), index + 1, texts_.size()));
      }
    }
    return end == texts_.size();
  }

  void pass_on() {
    chosen_.detects = choice_.detects();
    chosen_.target = choice_.target();
    for (const ChosenModel& text : chosen_.texts) {
      const std::string& source =
          text.detected ? text.detected->code : text.model->languages.source;
      if (chosen_.source.empty()) chosen_.source = source;
      if (chosen_.source != source) chosen_.source = "auto";
      const std::string& target = text.model ? text.model->languages.target : text.detected->code;
      if (chosen_.target.empty()) chosen_.target = target;
      if (choice_.target().empty() && chosen_.target != target) refuse_targets();
    }
    if (chosen_.texts.empty()) chosen_.source = choice_.source();
    then_(client_, std::move(texts_), std::move(chosen_));
  }

  const ApiClient client_;
  const ModelChoice choice_;
  const std::shared_ptr<std::atomic<bool>> gone_ = std::make_shared<std::atomic<bool>>(false);
  std::vector<std::string> texts_;
  const ModelsChosen then_;
  ChosenModels chosen_;
};

}  // namespace

void choose_models(const ApiCall& call, std::vector<std::string> texts, ModelsChosen then) {
  DetectionCall::start(
      std::make_shared<DetectionCall>(call, ModelChoice(call), std::move(texts), std::move(then)));
}

SharedModel choose_one_model(const ApiCall& call, const std::vector<std::string>& texts) {
  const ModelChoice choice(call);
  if (texts.empty() && choice.detects())
    throw HttpError(
        400, "source: expected the code of a language, since there is no text to detect it from");
  SharedModel all;
  for (const std::string& text : texts) {
    const ChosenModel chosen = choice.of(text);
    if (!chosen.model)
      throw HttpError(400, fmt::format("source: the detected language is that of the target, {}: "
                                       "expected the code of the source",
                                       chosen.detected->code));
    if (all && all != chosen.model)
      throw HttpError(400, fmt::format("source: the detected languages are {} and {}: expected "
                                       "texts in one language",
                                       all->languages.source, chosen.detected->code));
    all = chosen.model;
  }
  return all ? all : choice.of("").model;
}

SharedModel choose_model(const ApiCall& call, LearningTask task) {
  const std::vector<SharedModel> fitting = call.api.models.of_task(task);
  const std::string name = call.parameters.text("model");
  if (!name.empty()) {
    const std::vector<SharedModel> all = call.api.models.all();
    const auto named = std::ranges::find(all, name, [](const auto& model) { return model->name; });
    if (named == all.end())
      throw HttpError(400, fmt::format("model: {} is not served: expected one of {}", excerpt(name),
                                       names_of_all(fitting.empty() ? all : fitting)));
    if ((*named)->task != task)
      throw HttpError(400, fmt::format("model: {}, which {} does not take", kinds_of({*named}),
                                       endpoint_of(task)));
    return *named;
  }
  if (fitting.empty()) refuse_task(call.api.models, task);
  if (fitting.size() > 1) throw HttpError(400, "model: expected one of " + names_of_all(fitting));
  return fitting.front();
}

std::vector<SharedModel> translators_of(const ServedModels& models) {
  std::vector<SharedModel> translators = models.of_task(LearningTask::translation);
  if (translators.empty()) refuse_task(models, LearningTask::translation);
  return translators;
}

void add_code(std::vector<std::string>& codes, const std::string& code) {
  if (std::ranges::find(codes, code) == codes.end()) codes.push_back(code);
}

std::vector<std::string> source_codes(const std::vector<SharedModel>& models) {
  std::vector<std::string> codes;
  for (const SharedModel& model : models) add_code(codes, model->languages.source);
  return codes;
}

}  // namespace heed
