#include "heed/run/samples_log.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "heed/core/ascii.h"
#include "heed/core/files.h"
#include "heed/core/json_text.h"
#include "heed/pages/json_parts.h"
#include "heed/pages/page.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

std::string line_of(const Json& object) {
  return json_text(object) + '\n';
}

std::string line_of(const StoredSample& sample) {
  return line_of({{"step", sample.step},
                  {"source", sample.source},
                  {"reference", sample.reference},
                  {"translation", sample.output},
                  {"score", json_number(sample.score)},
                  {"block", sample.block ? Json(*sample.block) : Json()}});
}

// A block is written into pages as it is, so it must be base64.
bool is_base64(const std::string& text) {
  return std::ranges::all_of(text, [](char c) {
    return is_ascii_letter(c) || is_ascii_digit(c) || c == '+' || c == '/' || c == '=';
  });
}

// Throws a Json exception for anything else.
StoredSample parsed(const std::string& line) {
  const Json object = Json::parse(line);
  StoredSample sample{object.at("step").get<int64_t>(), object.at("source").get<std::string>(),
                      object.at("reference").get<std::string>(),
                      object.at("translation").get<std::string>()};
  if (!object.at("score").is_null()) sample.score = object["score"].get<double>();
  if (!object.at("block").is_null()) sample.block = object["block"].get<std::string>();
  if (sample.block && (sample.step < 0 || !is_base64(*sample.block))) sample.block->clear();
  return sample;
}

}  // namespace

StoredSample stored_sample(int64_t step, const SampleOutput& sample) {
  StoredSample stored{step, sample.source, sample.reference, sample.output, sample.score};
  if (sample.target_pieces.empty()) return stored;
  Json json = {{"source_pieces", sample.source_pieces},
               {"target_pieces", sample.target_pieces},
               {"log_probabilities", sample.log_probabilities}};
  std::vector<uint16_t> weights;
  for (const float weight : sample.attention)
    weights.push_back(uint16_t(std::lround(std::clamp(weight, 0.0F, 1.0F) * 1e4F)));
  stored.block = page_block(json_text(json), weights);
  return stored;
}

void SamplesLog::truncate_after(int64_t step) const {
  std::string kept;
  for (const StoredSample& sample : read())
    if (sample.step <= step) kept += line_of(sample);
  if (!kept.empty() || std::filesystem::exists(path_)) write_file_atomically(path_, kept);
}

void SamplesLog::add(const std::vector<StoredSample>& samples) const {
  std::string lines;
  for (const StoredSample& sample : samples) lines += line_of(sample);
  append_to_file(path_, lines);
}

std::vector<StoredSample> SamplesLog::read() const {
  std::vector<StoredSample> samples;
  std::error_code error;  // none where there is no file
  if (!std::filesystem::exists(path_, error) && !error) return samples;
  std::istringstream lines(read_file(path_));
  for (std::string line; std::getline(lines, line);) {
    try {
      samples.push_back(parsed(line));
    } catch (const Json::exception&) {
      // Not a sample: a kill cut it short, or another program wrote it.
    }
  }
  return samples;
}

}  // namespace heed
