// What the validations of a run measure: the loss of its validation texts, and the scores of their
// translations.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "heed/run/prepared_run.h"
#include "heed/run/time_share.h"
#include "heed/tasks/translation_measures.h"

namespace heed {

class RunValidator {
 public:
  // What it refers to must outlive it.
  RunValidator(const PreparedRun& run, const TranslationMeasures& measures, Backend& backend,
               TrainObserver& observer)
      : run_(run), measures_(measures), backend_(backend), observer_(observer) {}

  // The scores of the first validation text, for the task of the run: none unless the metric of the
  // run needs them.
  TaskScores task_scores();

  // Where a run is when it validates.
  struct Moment {
    double trained_tokens = 0;
    double process_seconds = 0;
    bool is_last = false;  // then scores are made whatever they cost
  };
  struct Found {
    double nll = 0;    // of the first text
    double score = 0;  // by --validation-metric, of the first text; greater is better
  };
  // Validates the packed weights: sets the losses and scores of `report`. If all lines of a text
  // were translated, its translations are in their file (RunFiles::translations) then.
  Found validate(const ModelTask& task, const Moment& moment, ValidationReport& report);
  // Keeps the weights of the validation that was just made as the best of these numbers.
  void keep_best(const std::vector<std::string>& numbers,
                 const std::vector<Parameter>& weights) const;

 private:
  Loss loss_of_text(const ModelTask& task, const Corpus& text) const;
  std::vector<Score> scores_of_all_lines(const ModelParts& parts, size_t text);
  // The scores that the metric of the run does not need.
  void add_scores(const ModelTask& task, const Moment& moment, ValidationReport& report);
  std::string name_of(size_t text) const;

  const PreparedRun& run_;
  const TranslationMeasures& measures_;
  Backend& backend_;
  TrainObserver& observer_;
  std::map<std::string, std::string> translations_;  // of the last validation, by further text
  TimeShare scoring_{0.01};      // of the scores that the metric of the run does not need
  bool scoring_failed_ = false;  // whether they could not be computed
};

}  // namespace heed
