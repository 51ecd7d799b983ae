#include "heed/run/alignments.h"

#include <sstream>
#include <utility>

#include "heed/core/counted.h"
#include "heed/core/utf8.h"
#include "heed/decode/text_units.h"
#include "heed/tasks/alignment_text.h"
#include "heed/text/word_aligner.h"

namespace heed {
namespace {

constexpr uint64_t kLearned = 1;  // changes with the way in which links are learned

using LinksOfPairs = std::vector<std::vector<WordLink>>;

// Links that an aligner learns from the pairs of the corpus.
AlignedText::FindLinks learned_links(const Corpus& corpus, Workers& workers,
                                     TrainObserver& observer) {
  observer.message("learning the alignments of the training text");
  auto aligner = std::make_shared<const WordAligner>(
      pairs_to_align(corpus, WordAligner::kMaxTokenPairs), workers);
  return [&corpus, &workers, &observer, aligner](int64_t begin, int64_t end) {
    LinksOfPairs all(size_t(end - begin));
    workers.run(end - begin, [&](int64_t i, int) {
      Example pair = corpus.example(begin + i);
      all[size_t(i)] = aligner->links({std::move(pair.source), std::move(pair.target)},
                                      Symmetrization::grow_diag_final_and);
    });
    observer.preparing();
    return all;
  };
}

// The tokens of each word of a line (decode/text_units.h).
class WordsOfLine {
 public:
  // `tokens` is the number of tokens of the line in its corpus, where a tag may stand before it.
  WordsOfLine(const Tokenizer& tokenizer, std::string_view line, size_t tokens) {
    const TextUnits units(line);
    const Encoding encoding = tokenizer.encode_with_ends(line);
    check(encoding.ids.size() <= tokens, "a line with other tokens than in its corpus");
    words_.resize(size_t(units.count()));
    auto token = int64_t(tokens - encoding.ids.size());
    for (const UnitRange& range : units.of_tokens(encoding.ends)) {
      for (int64_t word = range.begin; word < range.end; ++word) {
        PieceRange& pieces = words_[size_t(word)];
        if (pieces.empty()) pieces.begin = token;
        pieces.end = token + 1;
      }
      ++token;
    }
  }
  int64_t count() const { return int64_t(words_.size()); }
  // Empty for a word of which the vocabulary leaves nothing.
  PieceRange tokens(int64_t word) const { return words_[size_t(word)]; }

 private:
  std::vector<PieceRange> words_;
};

// The links of words in files, one line for each pair of the text.
class LinkFiles {
 public:
  LinkFiles(const TrainingText& opened, const Corpus& corpus, const TokenizerPair& tokenizers,
            Workers& workers)
      : text_(opened.text),
        files_(opened.alignments),
        corpus_(corpus),
        tokenizers_(tokenizers),
        workers_(workers) {}

  LinksOfPairs next(int64_t begin, int64_t end) {
    std::vector<Line> lines;
    for (int64_t pair = begin; pair < end; ++pair) lines.push_back(read(corpus_.line(pair)));
    LinksOfPairs all(lines.size());
    workers_.run(int64_t(lines.size()), [&](int64_t i, int) {
      all[size_t(i)] = links_of(lines[size_t(i)], corpus_.example(begin + i));
    });
    return all;
  }

 private:
  struct Line {
    std::string source, target, links;
    std::string place;  // of the links, for messages
  };

  // The pair of this line of the text, and its links.
  Line read(int64_t line) {
    Line found;
    do {
      check(pairs_.next(found.source, found.target), "a pair of the corpus that its text has not");
    } while (pairs_.line() < line);
    while (lines_ <= line) {
      if (!reader_ && file_ == files_.size())
        fail("{}: the file was changed while it was read", files_.back().title());
      if (!reader_) reader_.emplace(files_[file_++].lines());
      if (reader_->next(found.links))
        ++lines_;
      else
        reader_.reset();
    }
    found.place = fmt::format("{}, line {}", reader_->name(), reader_->line_number());
    return found;
  }

  std::vector<WordLink> links_of(const Line& line, const Example& example) const {
    const WordsOfLine source(tokenizers_.source(), line.source, example.source.size());
    const WordsOfLine target(tokenizers_.target(), line.target, example.target.size());
    std::vector<WordLink> links;
    std::istringstream texts(line.links);
    for (std::string text; texts >> text;) {
      const auto found = link_of_text(text);
      if (!found || found->separator != '-')
        fail("{}: '{}' is no link: expected two numbers from 0 such as 2-1", line.place,
             excerpt(text));
      const auto [s, t] = found->link;
      if (s >= source.count() || t >= target.count())
        fail(
            "{}: the link {} is beyond the words of the pair, {} and {}: words are what stands "
            "between white space, and the characters of text without spaces (heed align)",
            line.place, text, source.count(), target.count());
      const PieceRange of_source = source.tokens(s), of_target = target.tokens(t);
      for (int64_t i = of_source.begin; i < of_source.end; ++i)
        for (int64_t j = of_target.begin; j < of_target.end; ++j)
          links.push_back({int32_t(i), int32_t(j)});
    }
    return links;
  }

  const ParallelText& text_;
  const TextFiles& files_;
  const Corpus& corpus_;
  const TokenizerPair& tokenizers_;
  Workers& workers_;
  PairReader pairs_{text_};
  std::optional<LineReader> reader_;
  size_t file_ = 0;
  int64_t lines_ = 0;  // read so far
};

}  // namespace

std::unique_ptr<const AlignedText> aligned_text(const TrainingText& opened, const Corpus& corpus,
                                                const TokenizerPair& tokenizers,
                                                const std::filesystem::path& cache,
                                                Workers& workers, TrainObserver& observer) {
  const bool learns = opened.alignments.empty();
  LinkFiles files(opened, corpus, tokenizers, workers);
  AlignedText::FindLinks find;  // made if the cache cannot be used
  auto text = std::make_unique<const AlignedText>(
      AlignedText::open(corpus, learns ? kLearned : opened.alignments_fingerprint, cache,
                        [&](int64_t begin, int64_t end) {
                          if (!learns) return files.next(begin, end);
                          if (!find) find = learned_links(corpus, workers, observer);
                          return find(begin, end);
                        }));
  observer.message(fmt::format("alignments: {} in {} of {}",
                               detail::counted(text->link_count(), "link"), text->aligned_pairs(),
                               detail::counted(text->size(), "pair")));
  if (text->link_count() == 0) fail("--guided-alignment: no pair of the training text has a link");
  return text;
}

std::optional<GuidedAlignment> guided_alignment(const TrainOptions& options,
                                                const ModelConfig& config) {
  if (options.guided_alignment.empty()) return {};
  return GuidedAlignment{
      options.guided_alignment_weight.value_or(TrainOptions::kDefaultGuidedAlignmentWeight),
      guided_head(config)};
}

}  // namespace heed
