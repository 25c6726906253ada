// SPDX-License-Identifier: MIT

#pragma once

#include <cctype>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bracket::testing {

/// An element of an SVG document.
struct SvgElement {
  std::string name;
  std::map<std::string, std::string> attributes{};
  std::string text{};     // of the element itself
  std::string tooltip{};  // text of its child `title`

  [[nodiscard]] double number(const std::string& attribute) const {
    const std::string& written = attributes.at(attribute);
    std::size_t read = 0;
    const double value = std::stod(written, &read);
    if (read != written.size()) throw std::runtime_error("no number: " + written);
    return value;
  }

  /// True if the attribute `class` contains `word`.
  [[nodiscard]] bool is_a(const std::string& word) const {
    const auto found = attributes.find("class");
    std::istringstream words(found == attributes.end() ? "" : found->second);
    for (std::string each; words >> each;) {
      if (each == word) return true;
    }
    return false;
  }
};

/// Reads the elements of a document in their sequence. Throws for text that is not well-formed
/// XML, as far as pictures use XML: no entities but the five usual ones, no sections.
class SvgReader {
 public:
  static std::vector<SvgElement> read(std::string_view document) {
    SvgReader reader(document);
    reader.prolog();
    reader.element(nullptr);
    reader.space();
    if (!reader.rest_.empty()) throw std::runtime_error("text behind the document");
    return std::move(reader.elements_);
  }

 private:
  explicit SvgReader(std::string_view document) : rest_(document) {}

  void prolog() {
    space();
    while (rest_.starts_with("<?") || rest_.starts_with("<!")) {
      const bool comment = rest_.starts_with("<!--");
      until(comment ? "-->" : ">");
      space();
    }
  }

  void element(SvgElement* parent) {
    expect("<");
    const std::size_t place = elements_.size();
    elements_.push_back({word()});
    std::string name = elements_[place].name;
    for (space(); !rest_.starts_with(">") && !rest_.starts_with("/>"); space()) {
      const std::string attribute = word();
      expect("=\"");
      const std::string value = plain(until("\""));
      if (!elements_[place].attributes.emplace(attribute, value).second) {
        throw std::runtime_error("twice: " + attribute);
      }
    }
    if (rest_.starts_with("/>")) return cut(2);
    expect(">");
    std::string text;
    while (!rest_.starts_with("</")) {
      if (rest_.empty()) throw std::runtime_error("the document ends in <" + name + '>');
      if (rest_.starts_with("<!--")) {
        until("-->");
      } else if (rest_.starts_with("<")) {
        SvgElement whole = elements_[place];
        element(&whole);
        elements_[place] = whole;
      } else {
        const std::size_t length = std::min(rest_.find('<'), rest_.size());
        text += plain(rest_.substr(0, length));
        cut(length);
      }
    }
    expect("</" + name + ">");
    elements_[place].text = text;
    if (name == "title" && parent != nullptr) parent->tooltip = text;
  }

  std::string word() {
    std::size_t length = 0;
    const auto fits = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == ':' || c == '_';
    };
    while (length < rest_.size() && fits(rest_[length])) ++length;
    if (length == 0) throw std::runtime_error("a name is missing");
    const std::string found(rest_.substr(0, length));
    cut(length);
    return found;
  }

  std::string_view until(std::string_view end) {
    const auto at = rest_.find(end);
    if (at == std::string_view::npos) throw std::runtime_error("no " + std::string(end));
    const auto found = rest_.substr(0, at);
    cut(at + end.size());
    return found;
  }

  static std::string plain(std::string_view written) {
    static const std::map<std::string_view, char> entities{
        {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
    std::string text;
    for (std::size_t i = 0; i < written.size(); ++i) {
      if (written[i] == '<' ||
          (static_cast<unsigned char>(written[i]) < 0x20 && written[i] != '\n')) {
        throw std::runtime_error("a character that must be escaped");
      }
      if (written[i] != '&') {
        text += written[i];
        continue;
      }
      const auto end = written.find(';', i);
      if (end == std::string_view::npos) throw std::runtime_error("an open entity");
      const auto entity = written.substr(i + 1, end - i - 1);
      text += entity.starts_with('#') ? '#' : entities.at(entity);
      i = end;
    }
    return text;
  }

  void expect(std::string_view token) {
    if (!rest_.starts_with(token)) {
      throw std::runtime_error("expected " + std::string(token) + " before " +
                               std::string(rest_.substr(0, 40)));
    }
    cut(token.size());
  }
  void space() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front()))) cut(1);
  }
  void cut(std::size_t length) { rest_.remove_prefix(length); }

  std::string_view rest_;
  std::vector<SvgElement> elements_;
};

/// The elements of class `word`.
inline std::vector<SvgElement> of_class(const std::vector<SvgElement>& elements,
                                        const std::string& word) {
  std::vector<SvgElement> found;
  for (const SvgElement& element : elements) {
    if (element.is_a(word)) found.push_back(element);
  }
  return found;
}

/// The whole numbers in a text, in their sequence.
inline std::vector<long long> numbers_in(const std::string& text) {
  std::vector<long long> numbers;
  for (std::size_t i = 0; i < text.size();) {
    if (!std::isdigit(static_cast<unsigned char>(text[i]))) {
      ++i;
      continue;
    }
    std::size_t length = 0;
    numbers.push_back(std::stoll(text.substr(i), &length));
    i += length;
  }
  return numbers;
}

}  // namespace bracket::testing
