// The page of --html: how the results for the first lines came about.
#pragma once

#include <string>
#include <vector>

#include "files/outputs.h"
#include "heed/decode/opened_model.h"
#include "heed/pages/attention_page.h"

namespace heed {

struct LinesPageSettings {
  std::string html;
  int64_t html_lines = 100;

  // The help of a command whose model searches, and of one whose model chooses labels.
  static constexpr const char* kOfSearch =
      "Also write a page for browsers with the first lines: the attention of every head, the "
      "probability and the alternatives of each token, and the beam";
  static constexpr const char* kOfLabels =
      "Also write a page for browsers with the first lines: the attention of every head, and the "
      "probability and the alternatives of each label";

  static void visit(auto& self, auto&& v, const char* help) {
    v("html", self.html, {.help = help, .value = "FILE"});
    v("html_lines", self.html_lines,
      {.help = "Number of lines on the page of --html",
       .unit = "lines",
       .minimum = 1,
       .maximum = 100'000});
  }
};

class LinesPage {
 public:
  // As PageFile. UsageError for a number of lines without a page.
  LinesPage(const LinesPageSettings& settings, const std::vector<std::string>& read,
            Console& console, const std::string& output);

  // The next line of the input, which is kept if it is one of the first.
  void add(const TranslationInput& line);
  // Computes the lines that were kept once more, as the same lines always give the same results,
  // and writes the page, if it is wanted. `all_lines` of the input, of which it has the first.
  void write(const OpenedModel& model, const std::string& model_name, const DecodeOptions& options,
             int64_t all_lines);

 private:
  std::string html(const OpenedModel& model, const std::string& model_name,
                   const DecodeOptions& options, int64_t all_lines) const;

  PageFile file_;
  const size_t most_;
  std::vector<TranslationInput> lines_;
};

}  // namespace heed
