#include "heed/serve/api/api.h"

#include <algorithm>

#include "heed/serve/api/api_error.h"

namespace heed {

std::optional<std::chrono::steady_clock::time_point> deadline_of(const ServeOptions& options) {
  if (options.timeout <= 0) return {};
  return std::chrono::steady_clock::now() +
         std::chrono::milliseconds(int64_t(options.timeout * 1000));
}

void cancel_when_gone(const ApiClient& client, uint64_t id) {
  const std::weak_ptr<Scheduler> scheduler =
      client.api.scheduler;  // it may end before the connection
  client.exchange->on_gone([scheduler, id] {
    if (const auto running = scheduler.lock()) running->cancel(id);
  });
}

int64_t count_characters(std::string_view text) {
  // Every byte but those that continue a character.
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

int64_t check_characters(const ServeOptions& options, const std::vector<std::string>& texts) {
  int64_t characters = 0;
  for (const std::string& text : texts) characters += count_characters(text);
  if (options.max_characters > 0 && characters > options.max_characters)
    throw HttpError(
        400, fmt::format("{} characters: expected at most {}", characters, options.max_characters));
  return characters;
}

}  // namespace heed
