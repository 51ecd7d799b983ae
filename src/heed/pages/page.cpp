#include "heed/pages/page.h"

#include <fmt/format.h>
#include <zlib.h>

#include <sstream>

#include "heed/core/error.h"
#include "heed/core/version.h"
#include "heed/pages/page_assets.h"
#include "heed/pages/terminal_text.h"

namespace heed {
namespace {

std::string_view asset(std::string_view name) {
  return page_asset(name).content;
}

std::string html_escaped(std::string_view text) {
  return replaced(text, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}});
}

std::string compressed(const std::string& bytes) {
  uLongf size = compressBound(uLong(bytes.size()));
  std::string result(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(result.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes.data()), uLong(bytes.size()),
                               Z_DEFAULT_COMPRESSION);
  if (status != Z_OK) throw std::bad_alloc();
  result.resize(size);
  return result;
}

// RFC 4648, section 4.
std::string base64(std::string_view bytes) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - at);
    uint32_t group = 0;
    for (size_t i = 0; i < 3; ++i) group = group << 8 | (i < count ? uint8_t(bytes[at + i]) : 0);
    for (size_t i = 0; i < 4; ++i) text += i <= count ? kDigits[group >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

void append_little_endian(std::string& bytes, uint64_t value, size_t width) {
  for (size_t i = 0; i < width; ++i) bytes += char(value >> (8 * i) & 255);
}

std::string data_elements(const Page& page) {
  // JSON has "<" in strings only, where it may be written otherwise: no text can end the element.
  std::string html = fmt::format("<script type=\"application/json\" id=\"data\">{}</script>\n",
                                 replaced(page.data, {{'<', "\\u003c"}}));
  for (size_t i = 0; i < page.blocks.size(); ++i)
    html +=
        fmt::format("<script type=\"text/plain\" id=\"block-{}\">{}</script>\n", i, page.blocks[i]);
  return html;
}

std::string look_attributes(const PageLook& look) {
  std::string html;
  if (!look.language.empty())
    html += fmt::format(" data-language=\"{}\"", html_escaped(look.language));
  if (!look.theme.empty()) html += fmt::format(" data-theme=\"{}\"", html_escaped(look.theme));
  return html;
}

}  // namespace

const EmbeddedFile& page_asset(std::string_view name) {
  for (const EmbeddedFile& file : page_assets())
    if (file.name == name) return file;
  check(false, "no file of this name");
  return page_assets()[0];
}

std::string page_block(std::string_view json, std::span<const uint16_t> numbers) {
  std::string bytes;
  const size_t padded = json.size() + json.size() % 2;
  check(padded <= UINT32_MAX, "a block of a page is too large");
  append_little_endian(bytes, padded, 4);
  bytes += json;
  bytes.resize(4 + padded, ' ');
  for (const uint16_t number : numbers) append_little_endian(bytes, number, 2);
  return base64(compressed(bytes));
}

std::string page_html(const Page& page) {
  // The first line of KIND.html names the files that its pages have besides those of all. A script
  // may use what those before it define.
  const std::string_view html = asset(page.kind + ".html");
  const size_t first_line = html.find('\n');
  std::istringstream names("base.css page.css frame.js " + std::string(html.substr(0, first_line)));
  std::string style, scripts;
  for (std::string name; names >> name;) {
    if (name.ends_with(".css")) style += asset(name);
    if (name.ends_with(".js")) scripts += fmt::format("<script>{}</script>\n", asset(name));
  }
  return filled(asset("frame.html"), "{{", "}}", [&](std::string_view name) -> std::string {
    if (name == "look") return look_attributes(page.look);
    if (name == "title") return html_escaped(page.title);
    if (name == "version") return html_escaped(version());
    if (name == "main") return std::string(html.substr(first_line + 1));
    if (name == "data") return data_elements(page);
    if (name == "style") return style;
    check(name == "script", "a marker of frame.html that has no meaning");
    return scripts;
  });
}

}  // namespace heed
