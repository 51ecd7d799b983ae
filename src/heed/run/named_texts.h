// Texts that a configuration names: the tables [[corpus]] and [[validation]].
#pragma once

#include <string>
#include <vector>

#include "heed/run/train_options.h"

namespace heed {

// UsageError unless the name of a text, in a table of this kind ("corpus"), can stand in lists of
// names and differs from those of the earlier ones.
void check_text_name(const std::string& kind, const std::string& name,
                     const std::vector<std::string>& earlier);

// UsageError, beginning with `where` ("corpus 'a'"), unless a text has the files of both sides, or
// tab-separated ones.
void check_text_files(const std::string& where, const std::vector<std::string>& source,
                      const std::vector<std::string>& target, const TsvOptions& tabular);

// UsageError if a [[validation]] text has no name, no files, or a name that is not for files, or if
// the run has no first validation text.
void check_validation_texts(const TrainOptions& options);

}  // namespace heed
