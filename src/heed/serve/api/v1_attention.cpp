#include <array>
#include <atomic>

#include "heed/decode/attention_page.h"
#include "heed/decode/decoding_constraints.h"
#include "heed/serve/api/api_error.h"
#include "heed/serve/api/model_choice.h"
#include "heed/serve/api/parameters.h"
#include "heed/serve/api/search_parameters.h"
#include "heed/serve/api/v1.h"
#include "heed/serve/document.h"

namespace heed::v1 {
namespace {

// What is held for an attention weight while a page gets it: as the model computed it, in the
// tensor of all layers, and as numbers of the page before and after they are compressed.
constexpr size_t kBytesOfWeight = 16;
// The same for a hypothesis of a step of the search, with the tokens that were considered.
constexpr size_t kBytesOfHypothesis = 2048;
// How often the page exists when it is complete: its parts, their concatenation, the answer.
constexpr size_t kCopiesOfPage = 3;
// A sentence takes about as long as a few of its length that are translated together with others.
constexpr int64_t kCostOfByte = 2;

enum class PageLanguage { en, zh };
constexpr auto enum_names(PageLanguage) {
  return std::array<std::pair<std::string_view, PageLanguage>, 2>{
      {{"en", PageLanguage::en}, {"zh", PageLanguage::zh}}};
}
enum class PageTheme { light, dark };
constexpr auto enum_names(PageTheme) {
  return std::array<std::pair<std::string_view, PageTheme>, 2>{
      {{"light", PageTheme::light}, {"dark", PageTheme::dark}}};
}

PageLook look_of(const Parameters& parameters) {
  PageLook look;
  if (parameters.has("page_language"))
    look.language = to_text(choice_of(parameters, "page_language", PageLanguage::en));
  if (parameters.has("page_theme"))
    look.theme = to_text(choice_of(parameters, "page_theme", PageTheme::light));
  return look;
}

struct AttentionOptions {
  std::shared_ptr<const ServedModel> model;
  DecodeOptions decode;
  TextUnit unit = TextUnit::sentences;
  std::string prefix;
  PageLook look;
};

// At most, while explain() runs and the page gets what it says.
size_t bytes_to_explain(const ServedModel& model, const TranslationInput& input,
                        const DecodeOptions& options) {
  const ModelConfig& config = model.model().transformer().config();
  const SearchOptions& search = options.search;
  size_t bytes = 0;
  for (const EncodedPart& part : model.processor().preprocess(input, 0, options).parts) {
    const auto source = int64_t(part.source.size());
    const int64_t target = max_target_length(search, source, config.max_positions);
    const int64_t weights = config.heads * (config.encoder_layers * source * source +
                                            config.decoder_layers * target * (source + target));
    bytes += kBytesOfWeight * size_t(weights) +
             kBytesOfHypothesis * size_t(target * search.hypothesis_count());
  }
  return bytes;
}

// Explains the sentences of a text one by one, each in a turn of the client, so that other lines
// are translated between them.
class AttentionCall : public std::enable_shared_from_this<AttentionCall> {
 public:
  AttentionCall(const ApiCall& call, std::string text, AttentionOptions options,
                std::shared_ptr<void> place)
      : scheduler_(*call.api.scheduler),
        client_(call.client),
        exchange_(call.exchange),
        deadline_(deadline_of(call.api.options)),
        place_(std::move(place)),
        options_(std::move(options)),
        document_({std::move(text)}, options_.unit),
        page_(options_.model->model().parts(), title()) {
    if (!options_.prefix.empty() && document_.lines().size() != 1)
      throw ApiError(400, fmt::format("prefix: expected a text of one line or sentence, got {} "
                                      "(split: lines keeps a line whole)",
                                      document_.lines().size()));
    exchange_->on_gone([gone = gone_] { *gone = true; });
  }

  // Begins the next sentence, or answers.
  void go_on() {
    if (next_ == document_.lines().size()) {
      respond(answer());
      return;
    }
    const auto bytes = int64_t(document_.lines()[next_].source.size());
    scheduler_.run(client_, kCostOfByte * bytes, [self = shared_from_this()] { self->turn(); });
  }

 private:
  // On a thread of the scheduler, which is therefore there.
  void turn() {
    try {
      if (*gone_) return;
      if (deadline_ && std::chrono::steady_clock::now() >= *deadline_) throw DeadlinePassed();
      explain_next();
      go_on();
    } catch (...) {
      respond(error_response(std::current_exception()));
    }
  }

  void explain_next() {
    const Document::Line& line = document_.lines()[next_];
    const TranslationInput input(std::string(line.source), options_.prefix);
    const Model& model = options_.model->model();
    hold(page_.bytes() + bytes_to_explain(*options_.model, input, options_.decode));
    page_.add(input.text, explain(model.parts(), input, options_.decode, int64_t(next_)));
    ++next_;
    hold(page_.bytes());
  }

  // The page is a document of its own wherever it is shown: without access to what is the server's.
  HttpResponse answer() {
    hold(kCopiesOfPage * page_.bytes());
    return {.content_type = "text/html; charset=utf-8",
            .body = page_.html(int64_t(document_.lines().size()), options_.look),
            .headers = {{"Cache-Control", "no-store"},
                        {"Content-Security-Policy", "sandbox allow-scripts"},
                        {"Referrer-Policy", "no-referrer"}}};
  }

  // A client that has its answer may ask for the next page at once.
  void respond(HttpResponse response) {
    place_.reset();
    exchange_->respond(std::move(response));
  }

  void hold(size_t bytes) {
    if (!exchange_->hold(bytes))
      throw ApiError(503, "the server has no memory left for this request: try again later",
                     {{"Retry-After", "1"}});
  }

  AttentionPageTitle title() const {
    const LanguagePair& languages = options_.model->languages();
    return {.model = fmt::format("{}-{}", languages.source, languages.target),
            .options = shown_options(options_.decode.search),
            .unit = options_.unit};
  }

  Scheduler& scheduler_;
  const std::string client_;
  const std::shared_ptr<HttpExchange> exchange_;
  const std::optional<std::chrono::steady_clock::time_point> deadline_;
  std::shared_ptr<void> place_;
  const std::shared_ptr<std::atomic<bool>> gone_ = std::make_shared<std::atomic<bool>>(false);
  const AttentionOptions options_;
  const Document document_;
  AttentionPage page_;
  size_t next_ = 0;  // of document_.lines()
};

}  // namespace

void attention(const ApiCall& call) {
  const Parameters& parameters = call.parameters;
  if (!parameters.has("text")) throw ApiError(400, "text: expected a text");
  std::string text = parameters.text("text");
  const int64_t characters = check_characters(call.api.options, {text});
  if (characters > call.api.options.max_attention)
    throw ApiError(400, fmt::format("text: {} characters: expected at most {} for a page of "
                                    "attention",
                                    characters, call.api.options.max_attention));
  AttentionOptions options;
  options.unit = choice_of(parameters, "split", TextUnit::sentences);
  options.decode.search = search_of(
      parameters, call.api.options,
      {"text", "source", "target", "split", "prefix", "page_language", "page_theme", "api_key"});
  options.prefix = parameters.text("prefix");
  options.look = look_of(parameters);
  const ModelChoice choice(call.api.models, parameters.text("source"), parameters.text("target"));
  options.model = choose_one_model(choice, {text});
  std::shared_ptr<void> place = call.api.attention_places->take();
  if (!place) throw Overloaded(std::chrono::seconds(1));
  std::make_shared<AttentionCall>(call, std::move(text), std::move(options), std::move(place))
      ->go_on();
}

}  // namespace heed::v1
