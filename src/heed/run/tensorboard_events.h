// Records of TensorBoard's event files: TFRecords (length, CRC-32C of the length, data, CRC-32C of
// the data), whose data is a message tensorflow.Event.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace heed::detail {

struct EventTime {
  double wall_time = 0;  // seconds since 1970
  int64_t step = 0;
};

using Scalar = std::pair<std::string, double>;  // tag, value

// The first record of a file: the version of the format, "brain.Event:2".
std::string version_record(double wall_time);
// Starts a session: a reader drops what it has read of this step and later ones. TensorBoard's
// data server, its default reader, does so for each tag at the first value that is not later than
// the last one.
std::string session_record(EventTime time);
// Values of one step, stored as floats.
std::string scalars_record(EventTime time, std::span<const Scalar> scalars);
// Text in Markdown.
std::string text_record(EventTime time, std::string_view tag, std::string_view text);

}  // namespace heed::detail
