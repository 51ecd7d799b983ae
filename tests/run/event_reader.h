// Reads event files of TensorBoard as far as heed writes them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heed/core/crc32c.h"
#include "heed/core/error.h"
#include "heed/core/files.h"

namespace heed::testing {

// A message of protocol buffers: the values of its fields as bytes, numbers in eight.
using Message = std::multimap<int, std::string>;

class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : bytes_(bytes) {}

  Message read() {
    Message fields;
    while (!bytes_.empty()) {
      const uint64_t key = varint();
      const int wire_type = int(key & 7);
      const uint64_t size = wire_type == 1 ? 8 : wire_type == 5 ? 4 : varint();
      fields.emplace(int(key >> 3),
                     wire_type == 0 ? std::string(reinterpret_cast<const char*>(&size), sizeof size)
                                    : take(size));
    }
    return fields;
  }

 private:
  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = uint8_t(take(1)[0]);
      value |= uint64_t(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
  }
  std::string take(uint64_t size) {
    if (size > bytes_.size()) throw Error("a message that is cut short");
    const std::string taken(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return taken;
  }

  std::string_view bytes_;
};

inline Message message_of(const std::string& bytes) {
  return MessageReader(bytes).read();
}

template <class T>
T number(const Message& message, int field) {
  T value{};
  const auto found = message.find(field);
  if (found != message.end()) std::memcpy(&value, found->second.data(), sizeof value);
  return value;
}

inline std::string text(const Message& message, int field) {
  const auto found = message.find(field);
  return found == message.end() ? "" : found->second;
}

struct Event {
  double wall_time = 0;
  int64_t step = 0;
  std::string version;
  bool starts_session = false;
  std::map<std::string, float> scalars;
  std::map<std::string, std::string> texts;
};

inline Event event_of(const std::string& bytes) {
  const Message message = message_of(bytes);
  Event event{
      number<double>(message, 1), number<int64_t>(message, 2), text(message, 3), false, {}, {}};
  event.starts_session = number<int64_t>(message_of(text(message, 7)), 1) == 1;
  const Message summary = message_of(text(message, 5));
  for (const auto& [field, bytes_of_value] : summary) {
    const Message value = message_of(bytes_of_value);
    const std::string tag = text(value, 1);
    if (value.contains(2)) event.scalars[tag] = number<float>(value, 2);
    if (value.contains(8)) event.texts[tag] = text(message_of(text(value, 8)), 8);
  }
  return event;
}

// The events of the whole records of a file, whose checksums it expects to be right.
inline std::vector<Event> read_events(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  std::vector<Event> events;
  const auto expect_crc = [&](size_t begin, size_t size) {
    uint32_t masked = 0;
    std::memcpy(&masked, bytes.data() + begin + size, sizeof masked);
    EXPECT_EQ(std::rotl(masked - 0xA282EAD8u, 15), crc32c_of(bytes.substr(begin, size)));
  };
  for (size_t at = 0; at < bytes.size();) {
    uint64_t length = 0;
    if (at + 12 > bytes.size()) throw Error("a length that is cut short");
    std::memcpy(&length, bytes.data() + at, sizeof length);
    if (at + 16 + length > bytes.size()) throw Error("a record that is cut short");
    expect_crc(at, 8);
    expect_crc(at + 12, length);
    events.push_back(event_of(bytes.substr(at + 12, length)));
    at += 16 + length;
  }
  return events;
}

// The event files of a directory, in the order in which TensorBoard reads them.
inline std::vector<std::filesystem::path> event_files(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.path().filename().string().find("tfevents") != std::string::npos)
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// What TensorBoard shows of a tag: by step, without what a session after it replaces.
inline std::vector<std::pair<int64_t, float>> curve(const std::filesystem::path& directory,
                                                    const std::string& tag) {
  std::vector<std::pair<int64_t, float>> points;
  for (const auto& file : event_files(directory))
    for (const Event& event : read_events(file)) {
      if (event.starts_session)
        std::erase_if(points, [&](const auto& point) { return point.first >= event.step; });
      const auto found = event.scalars.find(tag);
      if (found != event.scalars.end()) points.emplace_back(event.step, found->second);
    }
  return points;
}

}  // namespace heed::testing
