// A document that is translated for an HTTP request.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/serve/api/model_choice.h"
#include "heed/serve/document.h"

namespace heed {

// How a document is translated.
struct DocumentOptions {
  ChosenModels chosen;
  TextUnit unit = TextUnit::sentences;
  DecodeOptions decode;
  // Translations besides the best one, which stays that of a request without them: where the beam
  // of the model has fewer, or the search samples, a second search finds the others.
  int64_t alternatives = 0;
  std::string prefix;  // only for a document of one line
  size_t bytes = 0;    // that the request holds besides the texts
};

// Collects the translations of a document's lines and answers the request when it has all, or when
// it fails. Derived classes write the answer. Its memory counts as HttpExchange::hold(): the
// request fails (503) where that is too much.
class DocumentCall : public TranslationObserver {
 public:
  DocumentCall(const ApiClient& client, std::vector<std::string> texts, DocumentOptions options);

  // Begins the translation, which is cancelled if the client goes away.
  static void start(const ApiClient& client, const std::shared_ptr<DocumentCall>& document);

  void translated(Translation translation) override;
  void finished() override;
  void failed(std::exception_ptr error) override;

 protected:
  // The answer, once all lines are translated.
  virtual HttpResponse answer() const = 0;
  // Keeps the parts of a translation that the answer needs besides the texts of its hypotheses;
  // returns how many bytes they take.
  virtual size_t keep(const Translation&) { return 0; }
  // The bytes that keep() needs while it runs.
  virtual size_t bytes_to_keep(const Translation&) const { return 0; }

  HttpExchange& exchange() const { return *exchange_; }
  const Document& document() const { return document_; }
  const DocumentOptions& options() const { return options_; }
  // The texts of each line's hypotheses, best first; complete when all lines are translated.
  const std::vector<std::vector<std::string>>& translations() const { return translations_; }

 private:
  // Holds more bytes. HttpError 503 if there is no memory left.
  void hold_more(size_t bytes);
  // How a model translates the lines.
  struct Searches {
    DecodeOptions first;
    std::optional<DecodeOptions> second;
  };
  Searches searches_of(const ServedModel& model, int64_t max_hypotheses) const;
  const std::shared_ptr<const ServedModel>& model_of_line(size_t line) const;
  TranslationRequest request() const;
  void append_more();

  const std::shared_ptr<HttpExchange> exchange_;
  const DocumentOptions options_;
  const Document document_;
  std::map<const ServedModel*, Searches> searches_;  // of the chosen models
  std::vector<std::vector<std::string>> translations_;
  std::vector<size_t> second_lines_;            // of the lines that are searched a second time
  std::vector<std::vector<std::string>> more_;  // the results of these, in the same order
  size_t held_ = 0;
};

// Chooses models for the texts and begins their translation by a class derived from DocumentCall,
// whose constructor has one more argument, the last: the options of its answer.
template <class Call, class AnswerOptions>
void translate_texts(const ApiCall& call, std::vector<std::string> texts, DocumentOptions options,
                     AnswerOptions answer) {
  choose_models(call, std::move(texts),
                [options, answer](const ApiClient& client, std::vector<std::string> all,
                                  ChosenModels chosen) mutable {
                  options.chosen = std::move(chosen);
                  DocumentCall::start(client, std::make_shared<Call>(client, std::move(all),
                                                                     std::move(options), answer));
                });
}

}  // namespace heed
