// Charts as SVG inside a page, in the page's own colours (class names, CSS variables).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

// Text between tags or in an attribute.
std::string html_text(std::string_view text);

struct ChartSeries {
  std::string name;
  std::vector<double> values;
};

// What a chart shows besides its series, whose values are drawn side by side, one group a label.
struct ChartAxis {
  std::string title;                // above the chart
  std::string caption;              // below the horizontal axis
  std::vector<std::string> labels;  // one for each value; an empty one is not written
};

// Up to two series as bars over a common axis; all have as many values as there are labels.
std::string bar_chart(const ChartAxis& axis, const std::vector<ChartSeries>& series);

// Up to two series as lines from 0 to 1 over the labels.
std::string share_chart(const ChartAxis& axis, const std::vector<ChartSeries>& series);

// Up to six series as lines over the labels, on a logarithmic scale; values are above 0. Series 4
// and 5 are the dotted companions of 0 and 3.
std::string log_chart(const ChartAxis& axis, const std::vector<ChartSeries>& series);

}  // namespace heed
