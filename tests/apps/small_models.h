// The text and the models that the tests of the program share.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heed::testing {

// Of the model "m": what few steps leave of it translates differently under each search option.
inline constexpr const char* kSmallModelSeed = "9";

// heed train on two files of the phrasebook: four steps of a tiny model.
std::vector<std::string> train_small_model(const std::string& source, const std::string& target,
                                           const std::string& model, const std::string& seed);

// heed train on the phrasebook's English text: thirty steps of a tiny language model.
std::vector<std::string> train_small_language_model(const std::string& model);

// Leaves the phrasebook's train, valid and test, .zh and .en, of 5,000, 20 and 20 pairs in a
// folder, and the models "m" and "other"; "brief", whose translations end after one word or three;
// "kept", which has two checkpoints, and loose.safetensors, one of them; "run", which has three,
// and "mean", the same run that ended as the average of the last two; "lm", a language model;
// "tagger" and "classifier", of tagged.tsv and classified.tsv; and "parser", of bank.trees.
void make_small_models(const std::filesystem::path& folder);

}  // namespace heed::testing
