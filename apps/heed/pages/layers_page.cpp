#include "pages/layers_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "heed/pages/page.h"
#include "heed/pages/terminal_text.h"

namespace heed {
namespace {

constexpr std::string_view kNote =
    "Multiply-adds are those of the matrix products, forward. The attention of Table 1 is bare, "
    "Q = K = V = x; projected: with the four projections, 4 n d^2 more. The LSTM multiplies x and "
    "h for four gates, 8 n d^2. Times are processor time for one sequence on one core, the least "
    "of each measurement.";

std::string sizes_text(const LayersTitle& title) {
  return fmt::format("d = {} ({}, {} heads), r = {}, k = {}; {}", title.sizes.d_model, title.preset,
                     title.sizes.heads, title.sizes.neighborhood(), title.sizes.kernel_width,
                     title.backend);
}

// Three digits, or all of an integer.
std::string digits(double value) {
  return fmt::format("{:.{}f}", value, value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0);
}

}  // namespace

std::string layers_heading(const LayersTitle& title) {
  std::string text = "Table 1 of the paper: " + sizes_text(title) + "\n\n";
  text +=
      fmt::format("{:<29}{:<19}{:<23}{}\n", "layer", "complexity", "sequential operations", "path");
  for (const LayerKind kind : kLayerKinds) {
    const LayerComplexity& row = complexity(kind);
    text +=
        fmt::format("{:<29}{:<19}{:<23}{}\n", row.name, row.operations, row.sequential, row.path);
  }
  return text + "\n" + wrap(std::string(kNote), 0, 0) + "\n";
}

std::string layer_line(const LayersTitle& title, const LayerTime& time) {
  std::string text;
  if (time.kind == kLayerKinds.front())
    text = fmt::format("\n{:<29}{:>14}{:>12}{:>6}{:>10}{:>12}\n", fmt::format("n = {}", time.n),
                       "multiply-adds", "sequential", "path", "fwd, us", "+bwd, us");
  return text + fmt::format("{:<29}{:>14}{:>12}{:>6}{:>10}{:>12}\n", complexity(time.kind).name,
                            grouped(multiply_adds(time.kind, title.sizes, time.n)),
                            sequential_operations(time.kind, time.n),
                            maximum_path_length(time.kind, title.sizes, time.n),
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

nlohmann::ordered_json layers_json(const LayersTitle& title, const std::vector<LayerTime>& times) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const LayerTime& time : times) {
    const LayerComplexity& row = complexity(time.kind);
    rows.push_back({{"layer", row.name},
                    {"n", time.n},
                    {"complexity", row.operations},
                    {"multiply_adds", multiply_adds(time.kind, title.sizes, time.n)},
                    {"sequential_operations", sequential_operations(time.kind, time.n)},
                    {"maximum_path_length", maximum_path_length(time.kind, title.sizes, time.n)},
                    {"forward_seconds", time.forward},
                    {"forward_backward_seconds", time.forward_backward}});
  }
  return {{"preset", title.preset},
          {"backend", title.backend},
          {"d_model", title.sizes.d_model},
          {"heads", title.sizes.heads},
          {"neighborhood", title.sizes.neighborhood()},
          {"kernel_width", title.sizes.kernel_width},
          {"measurements", rows}};
}

std::string layers_html(const LayersTitle& title, const std::vector<LayerTime>& times) {
  nlohmann::ordered_json data = layers_json(title, times);
  data["note"] = kNote;
  return page_html({"layers", "Table 1, measured", data.dump()});
}

}  // namespace heed
