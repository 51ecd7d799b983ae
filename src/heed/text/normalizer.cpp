#include "heed/text/normalizer.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unordered_map>

#include "heed/core/error.h"
#include "heed/core/options.h"
#include "heed/core/unicode.h"
#include "heed/text/sentencepiece_model.h"

namespace heed {
namespace {

class OneSentence : public sentencepiece::SentenceIterator {
 public:
  bool done() const override { return done_; }
  void Next() override { done_ = true; }
  const std::string& value() const override { return sentence_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  const std::string sentence_ = "a";
  bool done_ = false;
};

// The rules of Normalization::identity, as the library reads them: code points in hexadecimal
// digits.
constexpr std::string_view kSpaces = "9\t20\nA\t20\nC\t20\nD\t20\n";

// A file in memory, which the library can open by its name.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : file_(memfd_create("heed-rules", MFD_CLOEXEC)) {
    if (file_ < 0 || write(file_, bytes.data(), bytes.size()) != ssize_t(bytes.size()))
      fail("cannot make a file in memory: {}", std::strerror(errno));
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(file_); }
  std::string name() const { return fmt::format("/proc/self/fd/{}", file_); }

 private:
  const int file_;
};

// A model with next to no pieces and these rules, since the library gives rules only as a part of a
// model.
std::string small_model(const std::string& argument, const std::string& rules) {
  OneSentence sentence;
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(
      std::unordered_map<std::string, std::string>{{"model_type", "char"},
                                                   {"vocab_size", "16"},
                                                   {"hard_vocab_limit", "false"},
                                                   {argument, rules},
                                                   {"num_threads", "1"},
                                                   {"minloglevel", "3"}},
      &sentence, &model);
  check(status.ok(), status.message());
  return model;
}

std::string rules_of(Normalization rule, bool lowercase) {
  if (rule != Normalization::identity)
    return detail::normalizer_of(
        small_model("normalization_rule_name", detail::normalization_name(rule, lowercase)));
  const MemoryFile spaces(kSpaces);
  // Without the name of the file, which differs from process to process.
  constexpr uint64_t kRuleFile = 6;
  return detail::without_field(
      detail::normalizer_of(small_model("normalization_rule_tsv", spaces.name())), kRuleFile);
}

}  // namespace

std::string with_plain_spaces(std::string_view text) {
  std::string spaced(text);
  for (char& c : spaced)
    if (c == '\0' || c == '\t' || c == '\n' || c == '\f' || c == '\r') c = ' ';
  return spaced;
}

struct Normalizer::Rules {
  std::string specification;
  sentencepiece::SentencePieceProcessor processor;
};

Normalizer::Normalizer(Normalization rule, bool lowercase)
    : Normalizer(rules_of(rule, lowercase)) {}

Normalizer::Normalizer(std::string specification) {
  const auto rules = std::make_shared<Rules>();
  const std::string model =
      detail::with_normalizer(small_model("normalization_rule_name", "identity"), specification);
  const auto status = rules->processor.LoadFromSerializedProto(model);
  if (!status.ok()) fail("a normalizer of SentencePiece is damaged ({})", status.message());
  rules->specification = std::move(specification);
  rules_ = rules;
}

std::string Normalizer::normalize(std::string_view text) const {
  sentencepiece::ImmutableSentencePieceText found;
  const auto status = rules_->processor.Encode(with_plain_spaces(text), found.mutable_proto());
  if (!status.ok()) fail("SentencePiece cannot normalize a text: {}", status.message());
  std::string normalized;
  for (int i = 0; i < int(found.pieces_size()); ++i) normalized += found.pieces(i).piece();
  replace_all(normalized, kSpaceSymbol, " ");
  // The space that the rules add before a text.
  return normalized.starts_with(' ') ? normalized.substr(1) : normalized;
}

const std::string& Normalizer::specification() const {
  return rules_->specification;
}

std::string detail::normalization_name(Normalization rule, bool lowercase) {
  return to_text(rule) + (lowercase && rule != Normalization::identity ? "_cf" : "");
}

}  // namespace heed
