// Reading config.json. Internal to the model layer.
#pragma once

#include <string>
#include <utility>

#include "heed/core/error.h"
#include "heed/core/strict_json.h"
#include "heed/model/variants.h"

namespace heed::detail {

// Reads keys of config.json; every message names the key, its value and the expected one.
class Keys {
 public:
  Keys(const nlohmann::json& object, std::string place)
      : object_(object), place_(std::move(place)) {
    if (!object.is_object()) fail("{}: expected a JSON object, got {}", place_, quote(object));
  }

  int64_t integer(const char* key) const {
    const nlohmann::json& value = required(key);
    if (!value.is_number_unsigned() || value.get<uint64_t>() > uint64_t(INT64_MAX))
      reject(key, value, "a whole number");
    return value;
  }
  double number(const char* key, double otherwise) const {
    if (!has(key)) return otherwise;
    if (!object_[key].is_number()) reject(key, object_[key], "a number");
    return object_[key];
  }
  bool boolean(const char* key, bool otherwise) const {
    if (!has(key)) return otherwise;
    if (!object_[key].is_boolean()) reject(key, object_[key], "true or false");
    return object_[key];
  }
  std::string text(const char* key) const {
    const nlohmann::json& value = required(key);
    if (!value.is_string()) reject(key, value, "a text");
    return value;
  }
  // An absent key means `otherwise`, as it does in transformers. `why` tells where the expected
  // value comes from.
  void expect(const char* key, const nlohmann::json& expected, const nlohmann::json& otherwise,
              const std::string& why = "this or a variant that heed.variants names") const {
    const nlohmann::json value = has(key) ? object_[key] : otherwise;
    if (value != expected) reject(key, value, fmt::format("{} ({})", quote(expected), why));
  }
  bool has(const char* key) const { return object_.contains(key) && !object_[key].is_null(); }

  const nlohmann::json& required(const char* key) const {
    if (!has(key)) fail("{}: the key {} is missing", place_, key);
    return object_[key];
  }
  [[noreturn]] void reject(const char* key, const nlohmann::json& got,
                           const std::string& expected) const {
    fail("{}: {} is {}, expected {}", place_, key, quote(got), expected);
  }

 private:
  const nlohmann::json& object_;
  std::string place_;
};

// The name of an activation in transformers, or heed's own.
const char* activation_name(FeedForwardKind activation);
// The value of the key activation_function, by any of its names.
FeedForwardKind read_activation(const Keys& keys);

}  // namespace heed::detail
