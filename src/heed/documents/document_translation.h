// The translation of documents.
#pragma once

#include <functional>
#include <string>

#include "heed/decode/options.h"
#include "heed/decode/translation.h"
#include "heed/documents/formatted_document.h"

namespace heed {

class Model;

// The translations of a document's texts, with their words that belong together.
TranslatedText translated_text(const Translation& translation);

// The document with its texts translated, sentence by sentence whatever `options.split` is. `emit`
// gets each translation, in no order.
std::string translate_document(const Model& model, const FormattedDocument& document,
                               DecodeOptions options,
                               const std::function<void(const Translation&)>& emit = {});

// HTML of one text, with this translation of the text instead: tags around the words on which, by
// the model's attention, the words of the translation are. Error for HTML of no or several texts.
std::string transfer_tags(const Model& model, std::string html, const std::string& translation);

}  // namespace heed
