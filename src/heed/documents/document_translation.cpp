#include "heed/documents/document_translation.h"

#include "heed/core/error.h"
#include "heed/decode/model.h"
#include "heed/decode/pair_aligner.h"
#include "heed/model/cross_attention.h"

namespace heed {

TranslatedText translated_text(const Translation& translation) {
  const TextHypothesis& best = translation.hypotheses.front();
  TranslatedText found{.text = best.text, .doubtful = translation.status.doubtful};
  if (!best.attention.empty()) found.links = aligned_pairs(translation, best, AlignmentUnit::words);
  return found;
}

std::string translate_document(const Model& model, const FormattedDocument& document,
                               DecodeOptions options,
                               const std::function<void(const Translation&)>& emit) {
  options.split = TextUnit::sentences;
  options.search.nbest = 1;
  const bool aligns = !alignment_heads_of(model.parts().model).heads.empty();
  std::vector<TranslatedText> translations(document.texts().size());
  // Attention, which takes time, is only for texts with tags.
  for (const bool with_tags : {false, true}) {
    std::vector<std::string> lines;
    std::vector<size_t> numbers;
    for (size_t i = 0; i < translations.size(); ++i) {
      if (document.texts()[i].spans.empty() == with_tags) continue;
      lines.push_back(document.texts()[i].text);
      numbers.push_back(i);
    }
    if (lines.empty()) continue;
    options.attention = with_tags && aligns;
    const std::vector<Translation> found = model.kept_translator(options)->translate(lines);
    for (size_t i = 0; i < found.size(); ++i) {
      translations[numbers[i]] = translated_text(found[i]);
      if (emit) emit(found[i]);
    }
  }
  return document.with(translations);
}

std::string transfer_tags(const Model& model, std::string html, const std::string& translation) {
  const FormattedDocument document(std::move(html), DocumentFormat::html);
  if (document.texts().size() != 1)
    fail("HTML of {} texts, expected one: what stands between two tags of blocks",
         document.texts().size());
  const MarkedText& text = document.texts().front();
  const TranslatedText given{translation, PairAligner(model.parts()).links(text.text, translation)};
  return document.with({&given, 1});
}

}  // namespace heed
