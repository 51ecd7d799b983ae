// JSON: the strings that are values.
#include <nlohmann/json.hpp>

#include "heed/core/error.h"
#include "heed/core/utf8.h"
#include "heed/documents/document_builder.h"

namespace heed::detail {
namespace {

void write_json_string(std::string_view text, std::string& json) {
  json += nlohmann::json(text).dump();
}
constexpr TextStyle kJsonString{.encode = write_json_string};

class JsonReader {
 public:
  // `document` is valid JSON.
  explicit JsonReader(FormattedDocument& document) : builder_(document, kJsonString) {}

  void read() {
    const std::string_view json = builder_.bytes();
    for (size_t at = 0; at < json.size(); ++at) {
      const char c = json[at];
      if (c == '{' || c == '[') {
        const bool is_kept = !open_.empty() && open_.back().is_kept();
        open_.push_back({.is_object = c == '{', .expects_key = c == '{', .kept = is_kept});
      } else if (c == '}' || c == ']') {
        open_.pop_back();
      } else if (c == ',') {
        open_.back().expects_key = open_.back().is_object;
      } else if (c == '"') {
        const size_t end = behind_string(json, at);
        read_string(json.substr(at, end - at), at, end);
        at = end - 1;
      }
    }
    builder_.keep_until(json.size());
  }

 private:
  struct Container {
    bool is_object = false, expects_key = false;
    bool kept = false;      // all that is in it
    bool key_kept = false;  // the value of its last key

    bool is_kept() const { return kept || key_kept; }
  };

  static size_t behind_string(std::string_view json, size_t at) {
    for (++at; json[at] != '"'; ++at)
      if (json[at] == '\\') ++at;
    return at + 1;
  }

  void read_string(std::string_view written, size_t begin, size_t end) {
    std::string value = nlohmann::json::parse(written).get<std::string>();
    if (!open_.empty() && open_.back().expects_key) {
      open_.back().expects_key = false;
      open_.back().key_kept = value.starts_with('@');  // about a message, or the file
      return;
    }
    if ((!open_.empty() && open_.back().is_kept()) || !has_letter(value)) return;
    builder_.keep_until(begin);
    builder_.embed(DocumentBuilder::message(std::move(value)), begin, end, kJsonString);
    builder_.skip_to(end);
  }

  DocumentBuilder builder_;
  std::vector<Container> open_;
};

}  // namespace

void read_json(FormattedDocument& document, std::string_view name) {
  const std::string_view json = DocumentBuilder(document, kJsonString).bytes();
  // The parser takes a NUL for the end.
  if (const size_t nul = json.find('\0'); nul != json.npos)
    fail("{}: byte {} is NUL, which JSON cannot have", name, nul);
  if (!nlohmann::json::accept(json)) {
    try {
      const auto parsed = nlohmann::json::parse(json);
    } catch (const nlohmann::json::exception& error) {
      const std::string_view what = error.what();
      fail("{}: {}", name, excerpt(what.substr(std::min(what.find("] ") + 2, what.size()))));
    }
  }
  JsonReader(document).read();
}

}  // namespace heed::detail
