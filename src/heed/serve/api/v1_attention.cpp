#include "heed/decode/explanation.h"
#include "heed/model/captured_attention.h"
#include "heed/pages/attention_page.h"
#include "heed/serve/api/handlers.h"
#include "heed/serve/api/model_choice.h"
#include "heed/serve/api/parameters.h"
#include "heed/serve/document.h"

namespace heed::v1 {
namespace {

// Memory for an attention weight while it is added to a page: as the model computed it, in the
// tensor of all layers, and as numbers of the page before and after they are compressed.
constexpr size_t kBytesOfWeight = 16;
// Memory for a hypothesis of a step of the search, with the tokens that were considered.
constexpr size_t kBytesOfHypothesis = 2048;
// Copies of a page when it is complete: its parts, their concatenation, the answer.
constexpr size_t kCopiesOfPage = 3;
// Explaining a sentence alone takes about as long as translating a few of its length in a full
// batch.
constexpr int64_t kCostOfByte = 2;

struct AttentionOptions {
  std::shared_ptr<const ServedModel> model;
  DecodeOptions decode;
  TextUnit unit = TextUnit::sentences;
  std::string prefix;
  PageLook look;
};

// Maximum memory while explain() runs and its result is added to the page.
size_t bytes_to_explain(const ServedModel& model, const TranslationInput& input,
                        const DecodeOptions& options) {
  const ModelConfig& config = model.model.config();
  const SearchOptions& search = options.search;
  size_t bytes = 0;
  for (const EncodedPart& part : model.processor->preprocess(input, 0, options).parts) {
    const auto source = int64_t(part.source.size());
    const int64_t target = max_target_length(search, source, config.max_positions);
    const auto layers = [&](AttentionSite site) { return attention_layers(config, site); };
    const int64_t weights = config.heads * (layers(AttentionSite::encoder_self) * source * source +
                                            layers(AttentionSite::decoder_self) * target * target +
                                            layers(AttentionSite::cross) * target * source);
    bytes += kBytesOfWeight * size_t(weights) +
             kBytesOfHypothesis * size_t(target * search.hypothesis_count());
  }
  return bytes;
}

// Explains the sentences of a text one by one, each in a turn of the client, so that other lines
// are translated between them.
class AttentionCall : public ScheduledTask {
 public:
  AttentionCall(const ApiCall& call, std::string text, AttentionOptions options,
                std::shared_ptr<void> slot)
      : exchange_(call.exchange),
        slot_(std::move(slot)),
        options_(std::move(options)),
        document_({std::move(text)}, options_.unit),
        sources_(document_.sources({&options_.model->processor->languages()})),
        page_(options_.model->model.parts(), title()) {
    check_prefix(options_.prefix, document_.lines().size());
  }

  static void start(const ApiCall& call, const std::shared_ptr<AttentionCall>& page) {
    if (!page->has_next()) return page->respond(page->answer());
    heed::start(call, page, page->next_cost());
  }

  std::optional<int64_t> turn() override {
    explain_next();
    if (has_next()) return next_cost();
    respond(answer());
    return {};
  }

  void failed(std::exception_ptr error) override { respond(error_response(error)); }

 private:
  bool has_next() const { return next_ < document_.lines().size(); }
  int64_t next_cost() const {
    return kCostOfByte * int64_t(document_.lines()[next_].source.size());
  }

  void explain_next() {
    const TranslationInput input(sources_[next_], options_.prefix);
    const OpenedModel& model = options_.model->model;
    exchange_->hold(page_.bytes() + bytes_to_explain(*options_.model, input, options_.decode));
    page_.add(input.text, explain(model.parts(), input, options_.decode, int64_t(next_)));
    ++next_;
    exchange_->hold(page_.bytes());
  }

  // The policy `sandbox` gives the page an origin of its own: its script cannot reach what the
  // browser stores for this server, such as API keys.
  HttpResponse answer() {
    exchange_->hold(kCopiesOfPage * page_.bytes());
    return {.content_type = "text/html; charset=utf-8",
            .body = page_.html(int64_t(document_.lines().size()), options_.look),
            .headers = {{"Cache-Control", "no-store"},
                        {"Content-Security-Policy", "sandbox allow-scripts"},
                        {"Referrer-Policy", "no-referrer"}}};
  }

  // A client that has its answer may ask for the next page at once.
  void respond(HttpResponse response) {
    slot_.reset();
    exchange_->respond(std::move(response));
  }

  AttentionPageTitle title() const {
    const LanguagePair& languages = options_.model->languages;
    return {.model = fmt::format("{}-{}", languages.source, languages.target),
            .options = shown_options(options_.decode.search),
            .unit = options_.unit};
  }

  const std::shared_ptr<HttpExchange> exchange_;
  std::shared_ptr<void> slot_;
  const AttentionOptions options_;
  const Document document_;
  const std::vector<std::string> sources_;  // of its lines
  AttentionPage page_;
  size_t next_ = 0;  // of document_.lines()
};

}  // namespace

void attention(const ApiCall& call) {
  const Parameters& parameters = call.parameters;
  if (!parameters.has("text")) throw HttpError(400, "text: expected a text");
  std::string text = parameters.text("text");
  const int64_t characters = check_characters(call.api.options, {text});
  if (characters > call.api.options.max_attention)
    throw HttpError(400, fmt::format("text: {} characters: expected at most {} for a page of "
                                     "attention",
                                     characters, call.api.options.max_attention));
  AttentionOptions options;
  options.unit = parameters.choice("split", TextUnit::sentences);
  options.decode.search = parameters.search(call.api.options);
  options.decode.terms = parameters.terms();
  check_options(options.decode);
  options.prefix = parameters.text("prefix");
  options.decode.strict = !options.prefix.empty();  // one that is too long is an error
  options.look = {.language = parameters.choice("page_language"),
                  .theme = parameters.choice("page_theme")};
  options.model = choose_one_model(call, {text});
  options.decode.search =
      options.model->search(options.decode.search, call.api.options.max_hypotheses);
  const auto slots = call.api.attention_slots;
  if (!slots->try_acquire()) throw Overloaded(std::chrono::seconds(1));
  std::shared_ptr<void> slot(nullptr, [slots](void*) { slots->release(); });
  AttentionCall::start(call, std::make_shared<AttentionCall>(call, std::move(text),
                                                             std::move(options), std::move(slot)));
}

}  // namespace heed::v1
