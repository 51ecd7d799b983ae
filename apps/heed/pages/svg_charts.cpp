#include "pages/svg_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace heed {
namespace {

// In the units of the view box: one is one pixel on a phone.
constexpr double kWidth = 340, kHeight = 186;
constexpr double kLeft = 6, kRight = 334, kTop = 12, kBottom = 146;

double position(size_t index, size_t count) {
  return kLeft + (kRight - kLeft) * (double(index) + 0.5) / double(std::max<size_t>(count, 1));
}

double height(double share) {
  return kBottom - (kBottom - kTop) * std::clamp(share, 0.0, 1.0);
}

std::string labels_of(const ChartAxis& axis) {
  std::string svg = fmt::format("<line class=\"axis\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n",
                                kLeft, kBottom, kRight, kBottom);
  for (size_t i = 0; i < axis.labels.size(); ++i) {
    if (axis.labels[i].empty()) continue;
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                       position(i, axis.labels.size()), kBottom + 15, html_text(axis.labels[i]));
  }
  return svg + fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                           (kLeft + kRight) / 2, kBottom + 34, html_text(axis.caption));
}

// The figure with its title, legend and drawing.
std::string figure(const ChartAxis& axis, const std::vector<ChartSeries>& series,
                   const std::string& drawing) {
  std::string legend;
  for (size_t s = 0; series.size() > 1 && s < series.size(); ++s) {
    legend += fmt::format(" <span class=\"key series{}\">{}</span>", s, html_text(series[s].name));
  }
  return fmt::format(
      "<figure>\n<figcaption>{0}{1}</figcaption>\n"
      "<svg viewBox=\"0 0 {2} {3}\" role=\"img\" aria-label=\"{0}\">\n{4}{5}</svg>\n</figure>\n",
      html_text(axis.title), legend, kWidth, kHeight, drawing, labels_of(axis));
}

// A horizontal line with its value below it.
std::string grid_line(double y, const std::string& value) {
  return fmt::format(
      "<line class=\"grid\" x1=\"{}\" y1=\"{:.1f}\" x2=\"{}\" y2=\"{:.1f}\"/>\n"
      "<text x=\"{}\" y=\"{:.1f}\">{}</text>\n",
      kLeft, y, kRight, y, kLeft, y + 12, value);
}

// Where a value is drawn, and what it is called.
struct Mark {
  double y;
  std::string text;
};

std::string series_line(size_t index, const ChartSeries& series,
                        const std::function<Mark(double)>& mark_of) {
  std::string svg, points;
  for (size_t i = 0; i < series.values.size(); ++i) {
    const double x = position(i, series.values.size());
    const Mark mark = mark_of(series.values[i]);
    points += fmt::format("{:.1f},{:.1f} ", x, mark.y);
    svg += fmt::format(
        "<circle class=\"series{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"><title>{} {}</title>"
        "</circle>\n",
        index, x, mark.y, html_text(series.name), mark.text);
  }
  return svg + fmt::format("<polyline class=\"line{}\" points=\"{}\"/>\n", index, points);
}

double greatest(const std::vector<ChartSeries>& series) {
  double most = 0;
  for (const ChartSeries& one : series) {
    for (const double value : one.values) most = std::max(most, value);
  }
  return most > 0 ? most : 1;
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe.push_back(c);
    }
  }
  return safe;
}

std::string bar_chart(const ChartAxis& axis, const std::vector<ChartSeries>& series) {
  const double most = greatest(series);
  const double group = (kRight - kLeft) / double(std::max<size_t>(axis.labels.size(), 1));
  const double width = group * 0.9 / double(std::max<size_t>(series.size(), 1));
  std::string svg;
  for (size_t s = 0; s < series.size(); ++s) {
    for (size_t i = 0; i < series[s].values.size(); ++i) {
      const double value = series[s].values[i], top = height(value / most);
      if (value == 0) continue;
      svg += fmt::format(
          "<rect class=\"series{}\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\">"
          "<title>{} {:.0f}</title></rect>\n",
          s, position(i, axis.labels.size()) - group * 0.45 + width * double(s), top, width,
          kBottom - top, html_text(series[s].name), value);
    }
  }
  return figure(axis, series, svg);
}

std::string share_chart(const ChartAxis& axis, const std::vector<ChartSeries>& series) {
  std::string svg;
  for (const double share : {0.5, 1.0})
    svg += grid_line(height(share), fmt::format("{:.0f}%", 100 * share));
  for (size_t s = 0; s < series.size(); ++s) {
    svg += series_line(s, series[s], [](double share) {
      return Mark{height(share), fmt::format("{:.1f}%", 100 * share)};
    });
  }
  return figure(axis, series, svg);
}

std::string log_chart(const ChartAxis& axis, const std::vector<ChartSeries>& series) {
  double least = greatest(series);
  for (const ChartSeries& one : series) {
    for (const double value : one.values) least = std::min(least, value);
  }
  // Whole powers of ten around all values.
  const int low = int(std::floor(std::log10(least)));
  const int high = std::max(low + 1, int(std::ceil(std::log10(greatest(series)))));
  const auto level = [&](double value) {
    return height((std::log10(value) - low) / double(high - low));
  };
  std::string svg;
  for (int power = low; power <= high; ++power) {
    const double value = std::pow(10.0, power);
    if (power > low) svg += grid_line(level(value), fmt::format("{:g}", value));
  }
  for (size_t s = 0; s < series.size(); ++s) {
    svg += series_line(s, series[s], [&](double value) {
      return Mark{level(value), fmt::format("{:.3g}", value)};
    });
  }
  return figure(axis, series, svg);
}

}  // namespace heed
