#include "heed/pages/attention_page.h"

#include <cmath>

#include "heed/core/json_text.h"
#include "heed/model/finite.h"
#include "heed/model/learning_task.h"
#include "heed/pages/json_parts.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

// A natural logarithm with the digits that a page shows.
double rounded_log(double value) {
  return std::round(value * 1e6) / 1e6;
}

// Four decimal places, as the program prints weights elsewhere.
void append_weights(const Tensor& tensor, std::vector<uint16_t>& numbers) {
  if (!tensor) return;
  with_values(tensor, [&](auto weights) {
    for (const auto value : weights) {
      const auto weight = double(value);
      expect_finite(weight);
      numbers.push_back(uint16_t(std::round(std::min(1.0, std::max(0.0, weight)) * 1e4)));
    }
  });
}

Json shape_of(const Tensor& tensor) {
  return tensor ? Json(tensor.shape()) : Json({0, 0, 0, 0});
}

Json ranges(const std::vector<PieceRange>& words) {
  return json_list(words, [](const PieceRange& w) { return Json::array({w.begin, w.end}); });
}

Json tree_of(const SearchTrace& search, const std::vector<int64_t>& results,
             const ModelParts& parts) {
  Json tree;
  const auto column = [&](const char* name, const auto& value_of) {
    tree[name] = json_list(search.nodes, value_of);
  };
  using Node = const SearchNode&;
  column("parent", [](Node node) { return node.parent; });
  column("piece", [&](Node node) { return target_pieces(parts, std::span(&node.id, 1))[0]; });
  column("log_probability", [](Node node) { return rounded_log(node.log_probability); });
  column("sum", [](Node node) { return rounded_log(node.sum); });
  column("score", [](Node node) { return rounded_log(node.score); });
  column("fate", [](Node node) { return to_text(node.fate); });
  column("group", [](Node node) { return node.group; });
  tree["results"] = results;
  return tree;
}

Json alternatives_of(const PartExplanation& part) {
  const auto of_piece = [](const LikelyPiece& likely) {
    return Json::array({likely.piece, rounded_log(likely.log_probability)});
  };
  return json_list(part.likeliest,
                   [&](const auto& likeliest) { return json_list(likeliest, of_piece); });
}

}  // namespace

std::vector<std::pair<std::string, std::string>> shown_options(const SearchOptions& search) {
  std::vector<std::pair<std::string, std::string>> shown;
  if (!search.sample) shown.emplace_back("beam", std::to_string(search.beam_size()));
  SearchOptions copy = search;
  for (const Option& option : options_of(copy))
    if (option.name != "beam" && option.read() != option.defaults)
      shown.emplace_back(option.name, fmt::format("{}", fmt::join(option.read(), ", ")));
  return shown;
}

AttentionPage::AttentionPage(const ModelParts& parts, AttentionPageTitle title, size_t max_bytes)
    : parts_(parts), title_(std::move(title)), max_bytes_(max_bytes) {}

std::string AttentionPage::block(const PartExplanation& part) const {
  const PairAttention& attention = part.attention;
  Json json = {{"source_pieces", attention.source_pieces},
               {"target_pieces", attention.target_pieces},
               {"start_piece", attention.start_piece},
               {"ended", part.ended},
               {"log_probabilities", json_list(part.log_probabilities, rounded_log)},
               {"alternatives", alternatives_of(part)},
               {"alignment", json_list(part.alignment, json_pair)},
               {"source_words", ranges(attention.source_words)},
               {"target_words", ranges(attention.target_words)},
               {"tree", tree_of(part.search, part.results, parts_)},
               {"shape",
                {{"encoder", shape_of(attention.encoder)},
                 {"decoder", shape_of(attention.decoder)},
                 {"cross", shape_of(attention.cross)}}}};
  std::vector<uint16_t> weights;
  for (const Tensor* tensor : {&attention.encoder, &attention.decoder, &attention.cross})
    append_weights(*tensor, weights);
  return page_block(json_text(json), weights);
}

void AttentionPage::add(const std::string& source, const Explanation& explanation) {
  const Translation& translation = explanation.translation;
  Json line = {{"line", translation.line + 1},
               {"source", source},
               {"translation", translation.hypotheses.front().text},
               {"score", translation.hypotheses.front().score},
               {"status", translation.status.text()},
               {"parts", Json::array()}};
  if (translation.hypotheses.size() > 1)
    for (const TextHypothesis& hypothesis : translation.hypotheses)
      line["hypotheses"].push_back({{"translation", hypothesis.text}, {"score", hypothesis.score}});
  int64_t left_out = 0;
  for (const PartExplanation& part : explanation.parts) {
    if (bytes_ >= max_bytes_) {
      ++left_out;
      continue;
    }
    line["parts"].push_back(blocks_.size());
    blocks_.push_back(block(part));
    bytes_ += blocks_.back().size();
  }
  if (left_out > 0) line["left_out"] = left_out;
  lines_.push_back(json_text(line));
  bytes_ += lines_.back().size();
}

std::string AttentionPage::html(int64_t all_lines, const PageLook& look) const {
  Json model = {{"name", title_.model}};
  model.update(sizes_json(parts_.config()));
  const bool searches = parts_.config().has_decoder();
  std::string data =
      json_text({{"kind", "attention"},
                 {"task", to_text(task_of(parts_.config()))},
                 {"unit", to_text(title_.unit)},
                 {"model", model},
                 {"options", searches ? json_object(title_.options) : Json::object()},
                 {"total_lines", all_lines}});
  // The lines are text already.
  data.back() = ',';
  data += R"("lines":[)";
  for (size_t i = 0; i < lines_.size(); ++i) data += (i > 0 ? "," : "") + lines_[i];
  return page_html({"attention", title_.model + ": attention", data + "]}", blocks_, look});
}

}  // namespace heed
