#include "layers/table1_page.h"

#include <fmt/format.h>

#include "heed/pages/json_parts.h"
#include "heed/pages/page.h"
#include "heed/pages/terminal_text.h"

namespace heed {
namespace {

constexpr std::string_view kNote =
    "Multiply-adds are counted in the forward pass. Self-attention is attention alone, with "
    "Q = K = V = x; projected adds the four projections of multi-head attention, 4 n d^2 "
    "multiply-adds. "
    "The LSTM multiplies x and h for four gates, 8 n d^2. Each time is the shortest of several, "
    "for one sequence on one core.";

// Three digits, or all of an integer.
std::string digits(double value) {
  return fmt::format("{:.{}f}", value, value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0);
}

}  // namespace

std::string layers_heading(const MeasuredTable1& table) {
  std::vector<TableRow> rows{{"layer", "complexity", "sequential operations", "path"}};
  for (const LayerKind kind : kLayerKinds) {
    const LayerComplexity& row = complexity(kind);
    rows.push_back({row.name, row.operations, row.sequential, row.path});
  }
  constexpr auto kLeft = TableColumn::Side::left;
  return fmt::format("Table 1 of the paper: d = {} ({}, {} heads), r = {}, k = {}; {}\n\n{}\n{}\n",
                     table.sizes.d_model, table.preset, table.sizes.heads,
                     table.sizes.neighborhood(), table.sizes.kernel_width, table.backend,
                     table_text(rows, {{kLeft, 29}, {kLeft, 19, 0}, {kLeft, 23, 0}}),
                     wrap(std::string(kNote), 0));
}

std::string layer_line(const LayerSizes& sizes, const LayerTime& time) {
  std::string text;
  if (time.kind == kLayerKinds.front())
    text = fmt::format("\n{:<29}{:>14}{:>12}{:>6}{:>10}{:>12}\n", fmt::format("n = {}", time.n),
                       "multiply-adds", "sequential", "path", "fwd, us", "+bwd, us");
  return text + fmt::format("{:<29}{:>14}{:>12}{:>6}{:>10}{:>12}\n", complexity(time.kind).name,
                            grouped(multiply_adds(time.kind, sizes, time.n)),
                            sequential_operations(time.kind, time.n),
                            maximum_path_length(time.kind, sizes, time.n),
                            digits(time.forward * 1e6), digits(time.forward_backward * 1e6));
}

std::string layers_summary(const std::vector<LayerTime>& times) {
  const auto table = [&](const char* title, double LayerTime::*seconds) {
    std::string text = fmt::format("\nmicroseconds a token, {}\n{:<29}", title, "n");
    for (const LayerTime& time : times)
      if (time.kind == kLayerKinds.front()) text += fmt::format("{:>7}", time.n);
    for (const LayerKind kind : kLayerKinds) {
      text += fmt::format("\n{:<29}", complexity(kind).name);
      for (const LayerTime& time : times)
        if (time.kind == kind)
          text += fmt::format("{:>7}", digits(time.*seconds / double(time.n) * 1e6));
    }
    return text + "\n";
  };
  return table("forward", &LayerTime::forward) +
         table("forward and backward", &LayerTime::forward_backward);
}

nlohmann::ordered_json layers_json(const MeasuredTable1& table) {
  const LayerSizes& sizes = table.sizes;
  const auto of_layer = [&](const LayerTime& time) -> nlohmann::ordered_json {
    const LayerComplexity& row = complexity(time.kind);
    return {{"layer", row.name},
            {"n", time.n},
            {"complexity", row.operations},
            {"multiply_adds", multiply_adds(time.kind, sizes, time.n)},
            {"sequential_operations", sequential_operations(time.kind, time.n)},
            {"maximum_path_length", maximum_path_length(time.kind, sizes, time.n)},
            {"forward_seconds", time.forward},
            {"forward_backward_seconds", time.forward_backward}};
  };
  return {{"preset", table.preset},
          {"backend", table.backend},
          {"d_model", sizes.d_model},
          {"heads", sizes.heads},
          {"neighborhood", sizes.neighborhood()},
          {"kernel_width", sizes.kernel_width},
          {"measurements", json_list(table.times, of_layer)}};
}

std::string layers_html(const MeasuredTable1& table) {
  nlohmann::ordered_json data = layers_json(table);
  data["note"] = kNote;
  return page_html({"layers", "Table 1, measured", data.dump()});
}

}  // namespace heed
