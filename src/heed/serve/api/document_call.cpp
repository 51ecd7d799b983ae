#include "heed/serve/api/document_call.h"

#include <algorithm>

#include "heed/core/counted.h"

namespace heed {
namespace {

constexpr size_t kMaxLines = 65536;
// Memory of a text in the request, the document and the answer, besides its lines.
constexpr size_t kBytesOfText = 512;

// Maximum memory of the attention weights of a line: all its parts have them at once. A token has
// at least one byte, except those that begin and end the line.
size_t bytes_of_attention(const DocumentOptions& options, const Document::Line& line) {
  if (!options.decode.attention) return 0;
  const SearchOptions& search = options.decode.search;
  const int64_t source = int64_t(line.source.size()) + 2;
  const int64_t positions = options.chosen.texts[line.text].model->model.config().max_positions;
  const int64_t target = max_target_length(search, std::min(source, positions), positions);
  return size_t(search.nbest * target * source) * sizeof(float);
}

// HttpError 400 where alignments are asked of a model without attention.
void check_alignments(const DocumentOptions& options) {
  if (!options.decode.attention) return;
  for (const ChosenModel& text : options.chosen.texts)
    if (text.model && !text.model->aligns())
      throw HttpError(400, fmt::format("alignments: {} has no attention to the source, from which "
                                       "words could be aligned: expected none",
                                       excerpt(text.model->name)));
}

std::vector<bool> kept_texts(const DocumentOptions& options) {
  std::vector<bool> kept;
  for (const ChosenModel& text : options.chosen.texts) kept.push_back(text.model == nullptr);
  return kept;
}

}  // namespace

DocumentCall::DocumentCall(const ApiClient& client, std::vector<std::string> texts,
                           DocumentOptions options)
    : exchange_(client.exchange),
      options_(std::move(options)),
      document_(std::move(texts), options_.unit, kept_texts(options_)),
      translations_(document_.lines().size()) {
  check(options_.chosen.texts.size() == document_.texts(), "models and texts differ in number");
  check_alignments(options_);
  for (const ChosenModel& text : options_.chosen.texts)
    if (text.model && !searches_.contains(text.model.get()))
      searches_.emplace(text.model.get(),
                        searches_of(*text.model, client.api.options.max_hypotheses));
  for (size_t i = 0; i < document_.lines().size(); ++i)
    if (searches_.at(model_of_line(i).get()).second) second_lines_.push_back(i);
  more_.resize(second_lines_.size());
  const size_t lines = document_.lines().size();
  if (lines > kMaxLines)
    throw HttpError(
        400, fmt::format("{}: expected at most {} in a request",
                         detail::counted(int64_t(lines),
                                         options_.unit == TextUnit::lines ? "line" : "sentence"),
                         kMaxLines));
  check_prefix(options_.prefix, lines);
  size_t bytes = 0, attention = 0;
  for (const Document::Line& line : document_.lines()) {
    bytes += line.before.size() + line.source.size();
    attention = std::max(attention, bytes_of_attention(options_, line));
  }
  for (size_t text = 0; text < document_.texts(); ++text) bytes += document_.after(text).size();
  // At most one line a thread holds its attention weights at the same time.
  const auto threads = size_t(client.api.options.thread_count());
  const size_t searches = more_.empty() ? 1 : 2;
  held_ = options_.bytes;
  hold_more(searches * bytes_of_lines(lines, bytes) + kBytesOfText * document_.texts() +
            attention * std::min(threads, lines));
}

void DocumentCall::hold_more(size_t bytes) {
  exchange_->hold(held_ + bytes);
  held_ += bytes;
}

DocumentCall::Searches DocumentCall::searches_of(const ServedModel& model,
                                                 int64_t max_hypotheses) const {
  Searches searches{.first = options_.decode, .second = {}};
  SearchOptions& first = searches.first.search;
  first = model.search(first, max_hypotheses);
  if (options_.alternatives == 0) return searches;
  const int64_t wanted = options_.alternatives + 1;
  if (!first.sample) first.nbest = std::min(wanted, first.beam_size());
  if (first.nbest == wanted) return searches;
  searches.second = searches.first;
  searches.second->search.nbest = wanted;
  if (!first.sample) searches.second->search.beam = wanted;
  return searches;
}

const std::shared_ptr<const ServedModel>& DocumentCall::model_of_line(size_t line) const {
  return options_.chosen.texts[document_.lines()[line].text].model;
}

// Each line once, then those with a second search once more.
TranslationRequest DocumentCall::request() const {
  TranslationRequest request;
  std::vector<const LanguageCodes*> languages;
  for (const auto& [model, detected] : options_.chosen.texts)
    languages.push_back(model ? &model->processor->languages() : nullptr);
  const std::vector<std::string> sources = document_.sources(languages);
  struct Setups {
    std::shared_ptr<const TranslationSetup> first, second;
  };
  std::map<const ServedModel*, Setups> setups;
  const auto add = [&](size_t line, std::shared_ptr<const TranslationSetup>& setup,
                       const DecodeOptions& decode) {
    if (!setup)
      setup =
          std::make_shared<const TranslationSetup>(TranslationSetup{model_of_line(line), decode});
    request.lines.push_back({{sources[line], options_.prefix}, setup, int64_t(line)});
  };
  for (size_t i = 0; i < sources.size(); ++i) {
    const ServedModel* const model = model_of_line(i).get();
    add(i, setups[model].first, searches_.at(model).first);
  }
  for (const size_t i : second_lines_) {
    const ServedModel* const model = model_of_line(i).get();
    add(i, setups[model].second, *searches_.at(model).second);
  }
  return request;
}

void DocumentCall::start(const ApiClient& client, const std::shared_ptr<DocumentCall>& document) {
  TranslationRequest request = document->request();
  if (request.lines.empty()) return document->finished();
  heed::start(client, std::move(request), document);
}

void DocumentCall::translated(Translation translation) {
  try {
    const auto index = size_t(translation.line);
    const bool first = index < translations_.size();
    if (first) exchange_->hold(held_ + bytes_to_keep(translation));  // until the next hold_more()
    size_t bytes = first ? keep(translation) : 0;
    std::vector<std::string>& texts =
        first ? translations_[index] : more_[index - translations_.size()];
    for (TextHypothesis& hypothesis : translation.hypotheses) {
      texts.push_back(std::move(hypothesis.text));
      bytes += sizeof(std::string) + texts.back().capacity();
    }
    hold_more(2 * bytes);  // once more in the answer
  } catch (const HttpError&) {
    failed(std::current_exception());
    throw;  // cancels the rest
  }
}

// A text that the first search has found stays where it is.
void DocumentCall::append_more() {
  for (size_t i = 0; i < more_.size(); ++i) {
    std::vector<std::string>& texts = translations_[second_lines_[i]];
    for (std::string& text : more_[i])
      if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
  }
  more_.clear();
}

void DocumentCall::finished() {
  append_more();
  exchange_->respond(answer());
}

void DocumentCall::failed(std::exception_ptr error) {
  exchange_->respond(error_response(error));
}

}  // namespace heed
