#include "heed/run/training_text.h"

#include <iterator>

#include "heed/core/counted.h"
#include "heed/core/hash.h"
#include "heed/core/rng.h"
#include "heed/run/run_files.h"
#include "heed/run/run_settings.h"
#include "heed/text/linear_tree.h"

namespace heed {
namespace {

TextFiles files_of(const std::vector<std::string>& names, const CopyOptions& copying) {
  TextFiles files;
  for (const std::string& name : names) files.emplace_back(name, copying);
  return files;
}

InvalidLines invalid_lines(const TrainOptions& o) {
  return o.strict ? InvalidLines::refuse : InvalidLines::drop;
}

// Both sides of the files of all corpora, one after the other.
ParallelText open_corpora(const TrainOptions& o, const CopyOptions& copying) {
  TextFiles source, target;
  const auto append = [](TextFiles& all, TextFiles more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  };
  for (const CorpusOptions& corpus : o.corpora) {
    auto [left, right] = open_sides(corpus.source, corpus.target, corpus.tabular, copying);
    append(source, std::move(left));
    append(target, std::move(right));
  }
  return {std::move(source), std::move(target), invalid_lines(o)};
}

ParallelText open_pairs(const std::vector<std::string>& source,
                        const std::vector<std::string>& target, const TsvOptions& tabular,
                        const TrainOptions& o, const CopyOptions& copying) {
  auto [left, right] = open_sides(source, target, tabular, copying);
  return {std::move(left), std::move(right), invalid_lines(o)};
}

// The words of trees as the source, and their symbols as the target.
ParallelText open_trees(const std::vector<std::string>& names, const TrainOptions& o,
                        const CopyOptions& copying) {
  TextFiles words, symbols;
  for (const TextFile& file : files_of(names, copying)) {
    auto [left, right] =
        words_and_symbols(file, o.function_tags ? FunctionTags::keep : FunctionTags::drop);
    words.push_back(std::move(left));
    symbols.push_back(std::move(right));
  }
  return {std::move(words), std::move(symbols), invalid_lines(o)};
}

TrainingText open_treebank(const TrainOptions& o, const CopyOptions& copying) {
  TrainingText opened{open_trees(o.trees, o, copying), std::nullopt};
  if (!o.valid_trees.empty()) opened.validation = open_trees({o.valid_trees}, o, copying);
  return opened;
}

TrainingText open_text(const TrainOptions& o, const CopyOptions& copying) {
  const auto open = [&](const std::vector<std::string>& files) {
    return ParallelText::without_source(files_of(files, copying), invalid_lines(o));
  };
  TrainingText opened{open(o.text), std::nullopt};
  if (!o.valid_text.empty()) opened.validation = open({o.valid_text});
  return opened;
}

// Opens the files of --guided-alignment, which must have a line for each pair.
void open_alignments(const TrainOptions& o, const CopyOptions& copying, TrainingText& opened) {
  if (o.guided_alignment.empty()) return;
  opened.alignments = files_of(o.guided_alignment, copying);
  Hash hash;
  int64_t lines = 0;
  std::string names;
  for (const TextFile& file : opened.alignments) {
    names += (names.empty() ? "" : ", ") + file.title();
    LineReader reader = file.lines();
    for (std::string line; reader.next(line); ++lines) hash.add(line + "\n");
  }
  if (lines != opened.text.pairs())
    fail(
        "--guided-alignment: {} has {}, the training text {}: expected one line of links for each "
        "pair",
        names, detail::counted(lines, "line"), detail::counted(opened.text.pairs(), "pair"));
  opened.alignments_fingerprint = hash.value();
}

}  // namespace

uint64_t fingerprint_of(const TrainingText& opened, const TokenizerPair& tokenizers) {
  const uint64_t text = detail::mix(opened.text.fingerprint(), tokenizers.fingerprint());
  return opened.alignments.empty() ? text : detail::mix(text, opened.alignments_fingerprint);
}

std::optional<uint64_t> validation_fingerprint_of(const TrainingText& opened) {
  std::optional<uint64_t> all;
  if (opened.validation) all = opened.validation->fingerprint();
  for (const ParallelText& text : opened.further)
    all = detail::mix(all.value_or(0), text.fingerprint());
  return all;
}

std::vector<NamedInput> text_inputs(const TrainOptions& o) {
  std::vector<NamedInput> inputs;
  const auto add = [&](const std::string& flag, const std::vector<std::string>& names) {
    for (const std::string& name : names) inputs.emplace_back(flag, name);
  };
  add("--source", o.source);
  add("--target", o.target);
  add("--tsv", o.tabular.tsv);
  add("--text", o.text);
  add("--trees", o.trees);
  if (!aligns_itself(o)) add("--guided-alignment", o.guided_alignment);
  add("--valid-trees", {o.valid_trees});
  add("--valid-text", {o.valid_text});
  add("--valid-source", {o.valid_source});
  add("--valid-target", {o.valid_target});
  add("--valid-tsv", {o.valid_tsv});
  const auto add_named = [&](const char* kind, const auto& texts) {
    for (const auto& text : texts) {
      const std::string where = fmt::format("{} '{}': ", kind, text.name);
      add(where + "source", text.source);
      add(where + "target", text.target);
      add(where + "tsv", text.tabular.tsv);
    }
  };
  add_named("corpus", o.corpora);
  add_named("validation", o.validation_texts);
  return inputs;
}

TrainingText open_training_text(const TrainOptions& o, const CopyOptions& copying) {
  resolve(o);  // may throw
  expect_distinct_streams(text_inputs(o));
  if (o.parses()) return open_treebank(o, copying);
  if (!o.has_pairs()) return open_text(o, copying);
  TrainingText opened{o.corpora.empty() ? open_pairs(o.source, o.target, o.tabular, o, copying)
                                        : open_corpora(o, copying),
                      std::nullopt};
  if (!o.valid_tsv.empty())
    opened.validation = open_pairs({}, {}, {{o.valid_tsv}, o.tabular.columns}, o, copying);
  else if (!o.valid_source.empty())
    opened.validation = open_pairs({o.valid_source}, {o.valid_target}, {}, o, copying);
  for (const ValidationTextOptions& text : o.validation_texts)
    opened.further.push_back(open_pairs(text.source, text.target, text.tabular, o, copying));
  if (!aligns_itself(o)) open_alignments(o, copying, opened);
  return opened;
}

TrainingText open_training_text(const TrainOptions& options, TrainObserver& observer) {
  return open_training_text(
      options, {.message = [&observer](const std::string& text) { observer.message(text); }});
}

ParallelText held_out_text(const TrainOptions& options) {
  const RunFiles files{options.model};
  if (options.parses()) return open_trees({files.held_out_trees().string()}, options, {});
  if (!options.has_pairs()) return ParallelText::without_source({files.held_out_text()});
  return {{files.held_out_source()}, {files.held_out_target()}};
}

}  // namespace heed
