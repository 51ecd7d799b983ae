// Parameters of requests: a header Content-Type, a NUL, and a body, which is JSON or a form; and
// codes of languages.
#include "fuzz.h"
#include "heed/core/utf8.h"
#include "heed/serve/api/parameters.h"
#include "heed/serve/api/plain_html.h"
#include "heed/serve/http/message.h"
#include "heed/serve/languages.h"

namespace heed {
namespace {

constexpr size_t kMaxFields = 50;

void read_parameters(std::string_view type, std::string_view body) {
  HttpRequest request;
  request.headers = {{"content-type", std::string(type)}};
  request.body = body;
  fuzzing::read_or_refuse([&] {
    nlohmann::ordered_json schema = {{"properties", nlohmann::ordered_json::object()}};
    const nlohmann::json object = Parameters::of(request, schema).object();
    for (const auto& [name, value] : object.items())
      schema["properties"][name] = {{"minimum", 0}, {"maximum", 100}};
    const Parameters parameters = Parameters::of(request, schema);
    parameters.refuse_others();
    for (const auto& item : object.items()) {
      const std::string& name = item.key();
      fuzzing::require(!find_invalid_utf8(name));
      fuzzing::read_or_refuse([&] {
        const auto texts = parameters.texts(name.c_str());
        if (!texts) return;
        for (const std::string& text : texts->texts) fuzzing::require(!find_invalid_utf8(text));
      });
      fuzzing::read_or_refuse([&] { parameters.flag(name.c_str()); });
      fuzzing::read_or_refuse([&] { parameters.integer(name.c_str()); });
    }
  });
}

// The fields of a form, written again, are read as the same fields.
void read_form(std::string_view type, std::string_view body) {
  fuzzing::read_or_refuse([&] {
    const auto fields = parse_multipart(type, body, kMaxFields);
    fuzzing::require(fields.size() <= kMaxFields);
    std::string again;
    for (const auto& [name, value] : fields) {
      fuzzing::require(!name.empty() && !find_invalid_utf8(value));
      if (value.find("\r\n--again") != value.npos || name.size() > 1000) return;
      again += "--again\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value +
               "\r\n";
    }
    fuzzing::require(parse_multipart("multipart/form-data; boundary=again", again + "--again--",
                                     kMaxFields) == fields);
  });
}

}  // namespace
}  // namespace heed

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  const std::string_view bytes = fuzzing::text_of(data, size);
  const auto [type, body] = fuzzing::two_files(bytes);
  read_parameters(type, body);
  read_form(type, body);
  if (const auto at = find_markup(bytes)) fuzzing::require(bytes[*at] == '<' || bytes[*at] == '&');
  const LanguageTag tag = parse_language(type);
  fuzzing::require(match_sources(tag, tag) == LanguageMatch::same);
  return 0;
}
