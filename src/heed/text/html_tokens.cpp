#include "heed/text/html_tokens.h"

#include <algorithm>
#include <array>

#include "heed/core/ascii.h"

namespace heed {
namespace {

constexpr std::string_view kSpace = " \t\n\f\r";

bool is_space(char c) {
  return kSpace.find(c) != kSpace.npos;
}
bool ends_name(char c) {
  return is_space(c) || c == '/' || c == '>';
}

}  // namespace

bool has_raw_content(std::string_view name) {
  static constexpr auto kRaw =
      std::to_array<std::string_view>({"script", "style", "xmp", "iframe", "noembed", "noframes",
                                       "textarea", "plaintext", "title"});
  return std::ranges::find(kRaw, name) != kRaw.end();
}

bool HtmlTokenizer::is_end_tag(size_t at, std::string_view name) const {
  const std::string_view rest = html_.substr(at);
  if (!rest.starts_with("</") || rest.size() < name.size() + 3) return false;
  return lower_ascii(rest.substr(2, name.size())) == name && ends_name(rest[name.size() + 2]);
}

// In a script "<!--" and then "<script" hide an end tag, until "-->" or "</script".
size_t HtmlTokenizer::end_of_script() const {
  enum class In { script, comment, inner } in = In::script;
  for (size_t at = at_; at < html_.size(); ++at) {
    const std::string_view rest = html_.substr(at);
    if (in != In::script && rest.starts_with("-->")) {
      in = In::script;
    } else if (rest[0] != '<') {
      continue;
    } else if (in == In::script && rest.starts_with("<!--")) {
      in = In::comment;
      ++at;  // of "<!-->" the "-->" ends it
    } else if (is_end_tag(at, "script")) {
      if (in != In::inner) return at;
      in = In::comment;
    } else if (in == In::comment && rest.size() > 7 && ends_name(rest[7]) &&
               lower_ascii(rest.substr(0, 7)) == "<script") {
      in = In::inner;
    }
  }
  return html_.size();
}

size_t HtmlTokenizer::end_of_raw(const std::string& name) const {
  if (name == "script") return end_of_script();
  if (name == "plaintext") return html_.size();
  for (size_t at = html_.find("</", at_); at != html_.npos; at = html_.find("</", at + 1))
    if (is_end_tag(at, name)) return at;
  return html_.size();
}

size_t HtmlTokenizer::end_of_declaration() const {
  const auto behind = [&](std::string_view end, size_t from) {
    const size_t found = html_.find(end, from);
    return found == html_.npos ? found : found + end.size();
  };
  if (!starts("<!--")) return behind(">", at_);
  if (starts("<!-->")) return at_ + 5;
  if (starts("<!--->")) return at_ + 6;
  return std::min(behind("-->", at_ + 4), behind("--!>", at_ + 4));
}

void HtmlTokenizer::skip_space() {
  while (at_ < html_.size() && is_space(html_[at_])) ++at_;
}

// Reads one attribute; false at the end of the tag or of the document.
bool HtmlTokenizer::read_attribute(HtmlToken& token) {
  while (at_ < html_.size() && (is_space(html_[at_]) || html_[at_] == '/')) ++at_;
  if (at_ == html_.size() || html_[at_] == '>') return false;
  const size_t begin = at_++;  // a name may begin with "="
  while (at_ < html_.size() && !ends_name(html_[at_]) && html_[at_] != '=') ++at_;
  HtmlAttribute attribute{lower_ascii(html_.substr(begin, at_ - begin)), at_, at_, 0};
  const size_t behind_name = at_;
  skip_space();
  if (at_ == html_.size() || html_[at_] != '=') {
    at_ = behind_name;
  } else {
    ++at_;
    skip_space();
    const char first = at_ < html_.size() ? html_[at_] : '>';
    if (first == '"' || first == '\'') {
      attribute.quote = first;
      attribute.begin = ++at_;
      at_ = std::min(html_.find(first, at_), html_.size());
      attribute.end = at_;
      if (at_ < html_.size()) ++at_;
    } else {
      attribute.begin = at_;
      while (at_ < html_.size() && !is_space(html_[at_]) && html_[at_] != '>') ++at_;
      attribute.end = at_;
    }
  }
  // Of attributes with one name the first counts. More than any page has are not searched.
  constexpr size_t kMost = 256;
  if (token.attributes.size() < kMost &&
      std::ranges::find(token.attributes, attribute.name, &HtmlAttribute::name) ==
          token.attributes.end())
    token.attributes.push_back(std::move(attribute));
  return true;
}

void HtmlTokenizer::read_tag(HtmlToken& token) {
  const bool is_end = starts("</");
  at_ += is_end ? 2 : 1;
  const size_t begin = at_;
  while (at_ < html_.size() && !ends_name(html_[at_])) ++at_;
  token.name = lower_ascii(html_.substr(begin, at_ - begin));
  while (read_attribute(token)) {
  }
  token.unfinished = at_ == html_.size();
  if (token.unfinished) return;
  token.self_closing = html_[at_ - 1] == '/';
  ++at_;
  token.kind = is_end ? HtmlToken::Kind::end_tag : HtmlToken::Kind::start_tag;
}

bool HtmlTokenizer::next(HtmlToken& token) {
  if (at_ >= html_.size()) return false;
  token = {.kind = HtmlToken::Kind::other, .begin = at_};
  if (!raw_of_.empty()) {
    const size_t end = end_of_raw(raw_of_);
    raw_of_.clear();
    if (end > at_) {
      token.kind = HtmlToken::Kind::raw;
      token.end = at_ = end;
      return true;
    }
  }
  const auto next_is = [&](size_t offset, auto is) {
    return at_ + offset < html_.size() && is(html_[at_ + offset]);
  };
  const auto is_letter = [](char c) { return is_ascii_letter(char32_t(uint8_t(c))); };
  const auto begins_tag = [&] {
    return starts("</") ? next_is(2, is_letter) : html_[at_] == '<' && next_is(1, is_letter);
  };
  const auto is_markup = [&] {
    return begins_tag() || starts("<!") || starts("<?") || (starts("</") && at_ + 2 < html_.size());
  };
  if (begins_tag()) {
    read_tag(token);
    if (token.kind == HtmlToken::Kind::start_tag && has_raw_content(token.name))
      raw_of_ = token.name;
  } else if (is_markup()) {
    const size_t end = end_of_declaration();
    token.unfinished = end == html_.npos;
    at_ = std::min(end, html_.size());
  } else {
    token.kind = HtmlToken::Kind::text;
    ++at_;
    for (at_ = html_.find('<', at_); at_ != html_.npos && !is_markup();
         at_ = html_.find('<', at_ + 1)) {
    }
    at_ = std::min(at_, html_.size());
  }
  token.end = at_;
  return true;
}

}  // namespace heed
