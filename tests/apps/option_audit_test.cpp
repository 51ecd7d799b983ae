// tests/options.txt names, for every option of every command, a test that fails where the option is
// ignored; here it is held against the options and the tests that there are.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "command.h"
#include "heed/core/files.h"

namespace heed {
namespace {

// "translate --beam"
std::string key(const std::string& command, const std::string& flag) {
  return command + " " + flag;
}

// The test of each option, by its key.
std::map<std::string, std::string> listed_tests() {
  std::istringstream list(read_file(HEED_TESTS "/options.txt"));
  std::map<std::string, std::string> tests;
  for (std::string line; std::getline(list, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string command, flag, test, more;
    EXPECT_TRUE(words >> command >> flag >> test && !(words >> more)) << line;
    EXPECT_TRUE(tests.emplace(key(command, flag), test).second) << line << " stands there twice";
  }
  return tests;
}

std::set<std::string> options_of_the_program() {
  std::set<std::string> keys;
  for (const auto& command : all_commands())
    for (const Option& option : command->options())
      keys.insert(key(command->name(), option.flag()));
  CommonSettings common;
  for (const Option& option : options_of(common)) keys.insert(key("every", option.flag()));
  return keys;
}

// The sources that declare each test, "Suite.Name".
std::map<std::string, std::string> sources_of_tests() {
  const std::regex declaration(R"(TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\))");
  std::map<std::string, std::string> sources;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(HEED_TESTS)) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = read_file(entry.path());
    for (auto it = std::sregex_iterator(text.begin(), text.end(), declaration);
         it != std::sregex_iterator(); ++it)
      sources[(*it)[1].str() + "." + (*it)[2].str()] += text;
  }
  return sources;
}

TEST(OptionAuditTest, EveryOptionHasATest) {
  const auto tests = listed_tests();
  const auto options = options_of_the_program();
  for (const std::string& option : options)
    EXPECT_TRUE(tests.count(option)) << "heed " << option
                                     << " has no line in tests/options.txt: name a test that fails "
                                        "where the option is ignored";
  for (const auto& [option, test] : tests)
    EXPECT_TRUE(options.count(option)) << "tests/options.txt: there is no heed " << option;
}

TEST(OptionAuditTest, TheTestsAreThereAndNameTheirOptions) {
  const auto sources = sources_of_tests();
  for (const auto& [option, test] : listed_tests()) {
    const auto source = sources.find(test);
    ASSERT_NE(source, sources.end()) << "tests/options.txt: no test is called " << test;
    // As a flag, or as the field of a struct.
    const std::string flag = option.substr(option.find(' ') + 1);
    std::string field = flag.substr(2);
    std::replace(field.begin(), field.end(), '-', '_');
    EXPECT_TRUE(std::regex_search(source->second, std::regex(flag + "\\b")) ||
                std::regex_search(source->second, std::regex("\\b" + field + "\\b")) ||
                source->second.find("--no-" + flag.substr(2)) != std::string::npos)
        << test << " does not name " << flag;
  }
}

}  // namespace
}  // namespace heed
