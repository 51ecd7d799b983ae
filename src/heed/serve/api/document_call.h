// A document that is translated for an HTTP request.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/serve/api/api.h"
#include "heed/serve/document.h"

namespace heed {

// What a document is translated with.
struct DocumentOptions {
  // Of each text; null: it comes back as it is.
  std::vector<std::shared_ptr<const ServedModel>> models;
  TextUnit unit = TextUnit::sentences;
  DecodeOptions decode;
  // A second search of each line: the hypotheses that only it finds follow those of the first,
  // which does not depend on it.
  std::optional<SearchOptions> more;
  std::string prefix;  // of the only line
};

// Collects the translations of a document's lines and answers the request when it has all, or when
// it fails. Derived classes say how. What it holds counts as HttpExchange::hold(): the request
// fails (503) where that is too much.
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
  // Takes what the answer needs of a translation besides the texts of its hypotheses; returns how
  // many bytes were kept.
  virtual size_t keep(const Translation& translation) {
    (void)translation;
    return 0;
  }

  // How many bytes keep() needs while it runs.
  virtual size_t bytes_to_keep(const Translation& translation) const {
    (void)translation;
    return 0;
  }

  HttpExchange& exchange() const { return *exchange_; }
  const Document& document() const { return document_; }
  const DocumentOptions& options() const { return options_; }
  // The texts of each line's hypotheses, best first; complete when all lines are translated.
  const std::vector<std::vector<std::string>>& translations() const { return translations_; }

 private:
  // Both throw HttpError 503 if there is no memory left. What is held for a moment lasts until the
  // next call.
  void hold(size_t bytes);
  void hold_for_a_moment(size_t bytes);
  TranslationRequest request() const;
  void append_more();

  const std::shared_ptr<HttpExchange> exchange_;
  const DocumentOptions options_;
  const Document document_;
  std::vector<std::vector<std::string>> translations_;
  std::vector<std::vector<std::string>> more_;  // of the second search
  size_t held_ = 0;
};

}  // namespace heed
