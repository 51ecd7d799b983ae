// Documents and translations of their texts, for tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "heed/documents/formatted_document.h"

namespace heed {

// A translation and its links as "0-1 2-0".
inline TranslatedText translated(const std::string& text, const std::string& links = "") {
  TranslatedText made{text};
  std::istringstream pairs(links);
  for (AlignedPair pair; pairs >> pair.source;) {
    pairs.ignore(1) >> pair.target;
    made.links.push_back(pair);
  }
  return made;
}

inline std::vector<std::string> texts_of(const std::string& bytes, DocumentFormat format) {
  std::vector<std::string> texts;
  const FormattedDocument document(bytes, format);
  for (const MarkedText& text : document.texts()) texts.push_back(text.text);
  return texts;
}

// The document with each of its texts translated to itself.
inline std::string copied(const std::string& bytes, DocumentFormat format) {
  const FormattedDocument document(bytes, format);
  std::vector<TranslatedText> same;
  for (const MarkedText& text : document.texts()) same.push_back({text.text});
  return document.with(same);
}

inline std::string with(const std::string& bytes, DocumentFormat format,
                        const std::vector<TranslatedText>& translations) {
  const FormattedDocument document(bytes, format);
  EXPECT_EQ(document.texts().size(), translations.size()) << bytes;
  return document.with(translations);
}

// The document with the words of each text in the reverse order.
inline std::string reversed(const std::string& bytes, DocumentFormat format) {
  const FormattedDocument document(bytes, format);
  std::vector<TranslatedText> all;
  for (const MarkedText& text : document.texts()) {
    std::istringstream in(text.text);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    TranslatedText& made = all.emplace_back();
    for (size_t i = words.size(); i-- > 0;) {
      made.links.push_back({int64_t(i), int64_t(words.size() - 1 - i)});
      made.text += (made.text.empty() ? "" : " ") + words[i];
    }
  }
  return document.with(all);
}

}  // namespace heed
