#include "heed/run/tensorboard_events.h"

#include <bit>

#include "heed/core/crc32c.h"

namespace heed::detail {
namespace {

static_assert(std::endian::native == std::endian::little, "records are little-endian");

template <class T>
std::string bytes_of(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// TFRecord's mask, so that the checksum of data with checksums in it is not of a special form.
std::string masked_crc(std::string_view bytes) {
  return bytes_of(std::rotr(crc32c_of(bytes), 15) + 0xA282EAD8u);
}

std::string record(std::string_view data) {
  const std::string length = bytes_of(uint64_t(data.size()));
  return length + masked_crc(length) + std::string(data) + masked_crc(data);
}

// A message of protocol buffers, of which events need four kinds of fields, in their wire format.
// The library would be a dependency of all programs on heed, with a generator in the build, to
// write a dozen fields that have kept their numbers since 2015.
class Message {
 public:
  Message& add(int field, uint64_t value) {
    add_varint(uint64_t(field) << 3);
    add_varint(value);
    return *this;
  }
  Message& add(int field, double value) { return add_fixed(field, 1, value); }
  Message& add(int field, float value) { return add_fixed(field, 5, value); }
  Message& add(int field, std::string_view value) {
    add_varint(uint64_t(field) << 3 | 2);
    add_varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& add(int field, const Message& value) {
    return add(field, std::string_view(value.bytes_));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void add_varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += char((value & 0x7F) | 0x80);
    bytes_ += char(value);
  }
  template <class T>
  Message& add_fixed(int field, uint64_t wire_type, T value) {
    add_varint(uint64_t(field) << 3 | wire_type);
    bytes_ += bytes_of(value);
    return *this;
  }

  std::string bytes_;
};

// tensorflow/core/util/event.proto: wall_time 1, step 2, file_version 3, summary 5, session_log 7.
Message event(EventTime time) {
  Message event;
  event.add(1, time.wall_time);
  if (time.step != 0) event.add(2, uint64_t(time.step));
  return event;
}

// tensorflow/core/framework/summary.proto: value 1 of a Summary; tag 1, simple_value 2, tensor 8
// and metadata 9 of a Value.
Message text_summary(std::string_view tag, std::string_view text) {
  constexpr uint64_t kString = 7;  // DT_STRING of types.proto
  Message tensor;                  // of no dimensions: dtype 1, tensor_shape 2, string_val 8
  tensor.add(1, kString).add(2, Message()).add(8, text);
  Message metadata;  // plugin_data 1, and its plugin_name 1
  metadata.add(1, Message().add(1, std::string_view("text")));
  return Message().add(1, Message().add(1, tag).add(8, tensor).add(9, metadata));
}

}  // namespace

std::string version_record(double wall_time) {
  return record(event({wall_time, 0}).add(3, std::string_view("brain.Event:2")).bytes());
}

std::string session_record(EventTime time) {
  constexpr uint64_t kStart = 1;  // SessionLog.START, a status 1
  return record(event(time).add(7, Message().add(1, kStart)).bytes());
}

std::string scalars_record(EventTime time, std::span<const Scalar> scalars) {
  Message summary;
  for (const auto& [tag, value] : scalars)
    summary.add(1, Message().add(1, tag).add(2, float(value)));
  return record(event(time).add(5, summary).bytes());
}

std::string text_record(EventTime time, std::string_view tag, std::string_view text) {
  return record(event(time).add(5, text_summary(tag, text)).bytes());
}

}  // namespace heed::detail
