#include "heed/pages/attention_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "heed/core/json_text.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/model/learning_task.h"
#include "heed/pages/terminal_text.h"

namespace heed {
namespace {

constexpr std::array<std::string_view, 5> kShades = {" ", "░", "▒", "▓", "█"};

std::string_view shade(double weight) {
  return kShades[size_t(std::lround(std::clamp(weight, 0.0, 1.0) * 4))];
}

std::string padded(const std::string& text, int64_t width) {
  return std::string(size_t(std::max<int64_t>(0, width - terminal_width(text))), ' ') + text;
}

// As much of the text as fits, with an ellipsis for the rest.
std::string shortened(const std::string& text, int64_t width) {
  if (terminal_width(text) <= width) return text;
  std::u32string characters = decode_utf8(text);
  while (!characters.empty() && terminal_width(encode_utf8(characters)) >= width)
    characters.pop_back();
  return encode_utf8(characters) + "…";
}

// Pieces that are one row or column, and its label.
struct Unit {
  PieceRange pieces;
  std::string label;
};

std::string label_of(const std::vector<std::string>& pieces, const PieceRange& range) {
  std::string label;
  for (int64_t i = range.begin; i < range.end; ++i) label += pieces[size_t(i)];
  if (label.starts_with(kSpaceSymbol) && label.size() > kSpaceSymbol.size())
    label.erase(0, kSpaceSymbol.size());
  return one_line(label);
}

// Words, of which those that share a piece are one unit, and </s>; or every piece.
std::vector<Unit> units_of(const std::vector<std::string>& pieces,
                           const std::vector<PieceRange>& words, AlignmentUnit kind) {
  std::vector<PieceRange> ranges;
  if (kind == AlignmentUnit::words) {
    for (const PieceRange& word : words) {
      if (word.begin == word.end) continue;
      if (ranges.empty() || word.begin >= ranges.back().end)
        ranges.push_back(word);
      else
        ranges.back().end = std::max(ranges.back().end, word.end);
    }
  }
  std::vector<Unit> units;
  int64_t next = 0;
  const auto add = [&](PieceRange range) { units.push_back({range, label_of(pieces, range)}); };
  for (const PieceRange& range : ranges) {
    for (; next < range.begin; ++next) add({next, next + 1});
    add(range);
    next = range.end;
  }
  for (; next < int64_t(pieces.size()); ++next) add({next, next + 1});
  return units;
}

// The decoder's inputs: <pad>, and each piece but the last, one place later.
std::vector<Unit> input_units(const PairAttention& attention, AlignmentUnit kind) {
  const std::vector<std::string>& target = attention.target_pieces;
  std::vector<std::string> inputs = {attention.start_piece};
  inputs.insert(inputs.end(), target.begin(), target.end() - 1);
  std::vector<PieceRange> words;
  const auto count = int64_t(inputs.size());
  for (const auto& [begin, end] : attention.target_words)
    words.push_back({std::min(begin + 1, count), std::min(end + 1, count)});
  return units_of(inputs, words, kind);
}

const Tensor& weights_of(const PairAttention& attention, AttentionSite site) {
  if (site == AttentionSite::encoder_self) return attention.encoder;
  return site == AttentionSite::decoder_self ? attention.decoder : attention.cross;
}

// Sums over the pieces of keys, averages over the pieces of queries and over heads.
std::vector<double> between_units(const Tensor& weights, const AttentionChoice& choice,
                                  int64_t layer, const std::vector<Unit>& queries,
                                  const std::vector<Unit>& keys) {
  const int64_t heads = weights.dim(1), rows = weights.dim(2), columns = weights.dim(3);
  const int64_t first = choice.head.value_or(1) - 1;
  const int64_t count = choice.head ? 1 : heads;
  const auto* values = weights.data<float>();
  std::vector<double> sums;
  for (const Unit& query : queries) {
    for (const Unit& key : keys) {
      double sum = 0;
      for (int64_t h = first; h < first + count; ++h)
        for (int64_t i = query.pieces.begin; i < query.pieces.end; ++i)
          for (int64_t j = key.pieces.begin; j < key.pieces.end; ++j)
            sum += double(values[(((layer * heads) + h) * rows + i) * columns + j]);
      sums.push_back(sum / double(count * (query.pieces.end - query.pieces.begin)));
    }
  }
  return sums;
}

// The shades of columns [begin, end) of a row, each `width` wide.
std::string row_text(const AttentionMap& map, size_t row, size_t begin, size_t end, size_t width,
                     const TerminalStyle& style) {
  const size_t columns = map.keys.size();
  const auto first = map.weights.begin() + ptrdiff_t(row * columns);
  const auto largest = size_t(std::max_element(first, first + ptrdiff_t(columns)) - first);
  std::string text;
  for (size_t column = begin; column < end; ++column) {
    const bool marked = style.colour && column == largest;
    if (marked) text += "\x1b[36m";
    for (size_t i = 0; i < width; ++i) text += shade(first[ptrdiff_t(column)]);
    if (marked) text += "\x1b[39m";
  }
  return text;
}

// The names of the two texts.
struct TextNames {
  const char *source, *target;
};

TextNames text_names(LearningTask task) {
  switch (task) {
    case LearningTask::language_model:
      return {"prompt", "text"};
    case LearningTask::tag:
      return {"sentence", "labels"};
    case LearningTask::classify:
      return {"text", "label"};
    case LearningTask::parse:
      return {"sentence", "tree"};
    case LearningTask::translation:
      break;
  }
  return {"sentence", "translation"};
}

std::string name_of(AttentionSite site, const TextNames& names) {
  if (site == AttentionSite::encoder_self) return "Self-attention of the encoder";
  return site == AttentionSite::decoder_self
             ? "Self-attention of the decoder"
             : fmt::format("Attention of the {} to the {}", names.target, names.source);
}

// Nested arrays of [layers, heads, queries, keys], to four decimal places.
nlohmann::ordered_json numbers_of(const Tensor& tensor) {
  const auto* values = tensor.data<float>();
  const auto array = [&](auto&& self, size_t axis) -> nlohmann::ordered_json {
    if (axis == tensor.shape().size()) return std::round(double(*values++) * 1e4) / 1e4;
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (int64_t i = 0; i < tensor.dim(int(axis)); ++i) all.push_back(self(self, axis + 1));
    return all;
  };
  return array(array, 0);
}

}  // namespace

AttentionMap attention_map(const PairAttention& attention, const AttentionChoice& choice,
                           int64_t layer) {
  const bool decoder_keys = choice.site == AttentionSite::decoder_self;
  const bool source_queries = choice.site == AttentionSite::encoder_self;
  const std::vector<Unit> source =
      units_of(attention.source_pieces, attention.source_words, choice.units);
  const std::vector<Unit> queries =
      source_queries ? source
                     : units_of(attention.target_pieces, attention.target_words, choice.units);
  const std::vector<Unit> keys = decoder_keys ? input_units(attention, choice.units) : source;
  AttentionMap map;
  for (const Unit& unit : queries) map.queries.push_back(unit.label);
  for (const Unit& unit : keys) map.keys.push_back(unit.label);
  map.weights = between_units(weights_of(attention, choice.site), choice, layer, queries, keys);
  return map;
}

std::string alignment_text(const PairAttention& attention,
                           const std::vector<AlignedPair>& alignment, const TerminalStyle& style,
                           size_t indent) {
  const auto room = style.columns - int64_t(indent);
  const auto name = [&](const std::vector<std::string>& pieces, const PieceRange& word) {
    return shortened(label_of(pieces, word), std::max<int64_t>(4, room / 3));
  };
  const std::vector<PieceRange>&source = attention.source_words, &target = attention.target_words;
  std::vector<std::string> links;
  for (const auto& [from, to] : alignment) {
    std::string link = name(attention.source_pieces, source.at(size_t(from))) + "–" +
                       name(attention.target_pieces, target.at(size_t(to)));
    // Characters that share a piece have the same link.
    if (links.empty() || links.back() != link) links.push_back(std::move(link));
  }
  return wrap(links, indent, "  ", style.columns);
}

std::string map_text(const AttentionMap& map, const TerminalStyle& style) {
  int64_t label = 0;
  for (const std::string& query : map.queries) label = std::max(label, terminal_width(query));
  label = std::min(label, std::max<int64_t>(8, style.columns / 4));
  // Columns have numbers, which a list names.
  const size_t cell = map.keys.size() > 99 ? 4 : 3;
  const auto room = size_t(std::max<int64_t>(int64_t(cell), style.columns - label - 1)) / cell;
  std::string text;
  for (size_t begin = 0; begin < map.keys.size(); begin += room) {
    const size_t end = std::min(map.keys.size(), begin + room);
    if (begin > 0) text += "\n";
    text += std::string(size_t(label) + 1, ' ');
    for (size_t i = begin; i < end; ++i) text += fmt::format("{:<{}}", i + 1, cell);
    text += "\n";
    for (size_t row = 0; row < map.queries.size(); ++row)
      text += padded(shortened(map.queries[row], label), label) + " " +
              row_text(map, row, begin, end, cell, style) + "\n";
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < map.keys.size(); ++i)
    names.push_back(fmt::format("{} {}", i + 1, shortened(map.keys[i], style.columns / 2)));
  return text + wrap(names, 0, "  ", style.columns) + "\n";
}

std::string maps_text(const std::vector<std::pair<std::string, AttentionMap>>& maps,
                      const TerminalStyle& style) {
  std::string text;
  for (size_t begin = 0, end = 0; begin < maps.size(); begin = end) {
    int64_t width = 0;
    std::string titles;
    std::vector<std::string> rows(maps[begin].second.queries.size());
    for (end = begin; end < maps.size(); ++end) {
      const auto& [title, map] = maps[end];
      const auto columns = std::max(int64_t(map.keys.size()), terminal_width(title)) + 2;
      if (end > begin && width + columns - 2 > style.columns) break;
      width += columns;
      titles += title + std::string(size_t(columns - terminal_width(title)), ' ');
      const std::string filler(size_t(columns) - map.keys.size() - 1, ' ');
      for (size_t row = 0; row < rows.size(); ++row)
        rows[row] += row_text(map, row, 0, map.keys.size(), 1, style) + "│" + filler;
    }
    text += titles + "\n";
    for (const std::string& row : rows) text += row + "\n";
  }
  return text;
}

std::string attention_text(const SentenceAttention& shown, const AttentionChoice& choice,
                           const ModelConfig& config, int64_t usual_layer,
                           const TerminalStyle& style) {
  const int64_t layers = attention_layers(config, choice.site);
  const int64_t large = choice.layer.value_or(usual_layer);
  const TextNames names = text_names(task_of(config));
  std::string text = fmt::format("{:<13}{}\n{:<13}{}\n", names.source, one_line(shown.sentence),
                                 names.target, one_line(shown.translation));
  if (shown.score) text += fmt::format("score        {:.4f}\n", *shown.score);
  if (!shown.alignment.empty())
    text += "alignment    " + alignment_text(shown.attention, shown.alignment, style, 13) + "\n";
  text += fmt::format("\n{}, layer {} of {}, {}\n\n", name_of(choice.site, names), large, layers,
                      choice.head ? fmt::format("head {}", *choice.head)
                                  : fmt::format("mean of the {} heads", config.heads));
  text += map_text(attention_map(shown.attention, choice, large - 1), style) + "\n";
  std::vector<std::pair<std::string, AttentionMap>> maps;
  AttentionChoice one = choice;
  for (int64_t layer = choice.layer.value_or(1); layer <= choice.layer.value_or(layers); ++layer)
    for (int64_t head = choice.head.value_or(1); head <= choice.head.value_or(config.heads);
         ++head) {
      one.head = head;
      maps.emplace_back(fmt::format("{}.{}", layer, head),
                        attention_map(shown.attention, one, layer - 1));
    }
  if (maps.size() > 1) text += "Layer.head\n" + maps_text(maps, style) + "\n";
  return text + fmt::format("weights: {} 0.25  {} 0.5  {} 0.75  {} 1\n", kShades[1], kShades[2],
                            kShades[3], kShades[4]);
}

std::string attention_json(const SentenceAttention& shown) {
  const PairAttention& attention = shown.attention;
  nlohmann::ordered_json json = {{"source", shown.sentence}, {"translation", shown.translation}};
  if (shown.score) json["score"] = *shown.score;
  json["source_pieces"] = attention.source_pieces;
  json["target_pieces"] = attention.target_pieces;
  json["encoder"] = numbers_of(attention.encoder);
  json["decoder"] = numbers_of(attention.decoder);
  json["cross"] = numbers_of(attention.cross);
  return json_text(json) + "\n";
}

}  // namespace heed
