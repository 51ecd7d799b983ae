#include "heed/core/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/facts.h"

namespace heed {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

enum class Fruit { apple, pear };

constexpr auto enum_names(Fruit) {
  return std::array<std::pair<std::string_view, Fruit>, 2>{
      {{"apple", Fruit::apple}, {"ripe-pear", Fruit::pear}}};
}

struct Inner {
  double rate = 0.1;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v.group("Inner");
    v("drop_rate", self.rate, {.help = "Share dropped", .minimum = 0, .below = 1});
  }
};

struct Settings {
  int64_t beam = 4;
  bool lowercase = false;
  std::string model;
  std::vector<std::string> source;
  std::optional<int64_t> steps;
  std::optional<Fruit> dessert;
  Fruit fruit = Fruit::apple;
  int64_t threads = 2;
  Inner inner;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v.group("Search");
    v("beam", self.beam, {.help = "Hypotheses kept", .minimum = 1, .maximum = 64});
    v("lowercase", self.lowercase, {.help = "Lowercase"});
    v("model", self.model, {.help = "Model directory", .value = "DIR", .required = true});
    v("source", self.source, {.help = "Files", .value = "FILE"});
    v("steps", self.steps, {.help = "Steps", .unit = "updates", .minimum = 1});
    v("dessert", self.dessert, {.help = "Dessert"});
    v("fruit", self.fruit, {.help = "Fruit"});
    v("threads", self.threads, {.help = "Threads", .ignored_in_comparison = true});
    Inner::visit(self.inner, v);
  }
};

// The message of the error that f() throws; the test fails if it throws none of that kind.
template <class Expected, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Expected& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

void set(Settings& settings, std::string_view name, const std::vector<std::string>& texts) {
  const Options options = options_of(settings);
  const Option* option = find_option(options, name);
  ASSERT_NE(option, nullptr) << name;
  assign(*option, texts, option->flag());
}

TEST(OptionsTest, TextsReachTheFieldsOfEveryType) {
  Settings settings;
  set(settings, "beam", {"7"});
  set(settings, "lowercase", {"true"});
  set(settings, "model", {"a b"});
  set(settings, "source", {"x", "y"});
  set(settings, "steps", {"12"});
  set(settings, "dessert", {"ripe-pear"});
  set(settings, "fruit", {"ripe-pear"});
  set(settings, "drop-rate", {"0.25"});
  EXPECT_EQ(settings.beam, 7);
  EXPECT_TRUE(settings.lowercase);
  EXPECT_EQ(settings.model, "a b");
  EXPECT_THAT(settings.source, ElementsAre("x", "y"));
  EXPECT_EQ(settings.steps, 12);
  EXPECT_EQ(settings.dessert, Fruit::pear);
  EXPECT_EQ(settings.fruit, Fruit::pear);
  EXPECT_EQ(settings.inner.rate, 0.25);
}

TEST(OptionsTest, KnowsGroupsAndDefaultsWhateverTheValues) {
  Settings settings;
  settings.beam = 9;
  const Options options = options_of(settings);
  EXPECT_THAT(find_option(options, "beam")->defaults, ElementsAre("4"));
  EXPECT_THAT(find_option(options, "beam")->read(), ElementsAre("9"));
  EXPECT_EQ(find_option(options, "drop_rate")->group, "Inner");
  EXPECT_TRUE(find_option(options, "steps")->defaults.empty());
  EXPECT_EQ(find_option(options, "nothing"), nullptr);
}

TEST(OptionsTest, RefusesWhatIsNoValueOrOutOfRangeAndKeepsTheField) {
  struct Case {
    const char* name;
    const char* text;
    const char* expected;
  };
  const Case cases[] = {
      {"beam", "65", "--beam: expected a whole number from 1 to 64, got '65'"},
      {"beam", "0", "from 1 to 64"},
      {"beam", "3.5", "a whole number"},
      {"beam", "3x", "got '3x'"},
      {"beam", "", "got ''"},
      {"beam", "99999999999999999999", "a whole number"},
      {"lowercase", "yes", "--lowercase: expected true or false, got 'yes'"},
      {"steps", "0", "--steps: expected a whole number of at least 1, got '0'"},
      {"steps", "9223372036854775808", "at least 1, at most 9223372036854775807, got '9223"},
      {"steps", "1e16", "at least 1, at most 9007199254740992, got '1e16'"},
      {"steps", "-9223372036854775809", "a whole number of at least 1, got"},
      {"fruit", "plum", "--fruit: expected apple or ripe-pear, got 'plum'"},
      {"drop_rate", "1", "--drop-rate: expected a number of at least 0 and below 1, got '1'"},
      {"drop_rate", "nan", "got 'nan'"},
      {"drop_rate", "-0.1", "got '-0.1'"},
      {"drop_rate", "inf", "got 'inf'"},
  };
  for (const Case& c : cases) {
    Settings settings;
    EXPECT_THAT(message_of<UsageError>([&] { set(settings, c.name, {c.text}); }),
                HasSubstr(c.expected));
    EXPECT_TRUE(differences(settings, Settings()).empty()) << c.name;
  }
}

TEST(OptionsTest, ValidateFindsMissingAndWrongValues) {
  Settings settings;
  EXPECT_THAT(message_of<UsageError>([&] { validate(settings); }), HasSubstr("--model is missing"));
  settings.model = "m";
  EXPECT_NO_THROW(validate(settings));
  settings.beam = 100;
  EXPECT_THAT(message_of<UsageError>([&] { validate(settings); }), HasSubstr("--beam"));
}

TEST(OptionsTest, SuggestsTheNearestName) {
  Settings settings;
  const Options options = options_of(settings);
  EXPECT_EQ(suggestion(options, "baem", "--"), "; did you mean '--beam'?");
  EXPECT_EQ(suggestion(options, "drop_raet", "--"), "; did you mean '--drop-rate'?");
  EXPECT_EQ(suggestion(options, "lower-case", ""), "; did you mean 'lowercase'?");
  EXPECT_EQ(suggestion(options, "xylophone", "--"), "");
}

TEST(OptionsTest, JsonHoldsEveryValueAndGivesItBack) {
  Settings settings;
  settings.model = "quote \" and \xE4\xB8\xAD";
  settings.source = {"a", "b c"};
  settings.steps = 3;
  settings.fruit = Fruit::pear;
  settings.inner.rate = 0.1 + 0.2;  // needs 17 digits
  settings.threads = 5;
  const std::string text = to_json(settings);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["beam"], 4);
  EXPECT_EQ(json["lowercase"], false);
  EXPECT_TRUE(json["dessert"].is_null());
  EXPECT_EQ(json["source"], nlohmann::json::array({"a", "b c"}));

  Settings loaded;
  loaded.dessert = Fruit::pear;
  from_json(loaded, text, "state.json");
  EXPECT_TRUE(differences(loaded, settings).empty());
  EXPECT_EQ(loaded.inner.rate, settings.inner.rate);
  EXPECT_EQ(loaded.threads, 5);
  EXPECT_FALSE(loaded.dessert);
}

TEST(OptionsTest, JsonThatSaysSomethingElseIsRefused) {
  Settings settings;
  const auto message = [&](const char* text) {
    return message_of<Error>([&] { from_json(settings, text, "c.json"); });
  };
  EXPECT_THAT(message("[]"), HasFacts("c.json JSON"));
  EXPECT_THAT(message("{\"beam\""), HasSubstr("c.json: byte 8 is no valid JSON"));
  EXPECT_THAT(message("{\"beam\": 1, \"beam\": 2}"), HasSubstr("\"beam\""));
  EXPECT_THAT(message("{\"beem\": 3}"), HasSubstr("unknown option 'beem'; did you mean 'beam'?"));
  EXPECT_THAT(message("{\"beam\": \"many\"}"), HasSubstr("beam: expected a whole number"));
  const std::string longer(100'000, 'x');
  EXPECT_LT(message(("{\"beam\": \"" + longer + "\"}").c_str()).size(), 400u);
  EXPECT_LT(message(("{\"" + longer + "\": 1}").c_str()).size(), 400u);
  EXPECT_THAT(message("{\"beam\": [1, 2]}"), HasSubstr("got '1 2'"));
  EXPECT_THAT(message("{\"beam\": {}}"), HasSubstr("beam"));
  EXPECT_THAT(message("{\"beam\": null}"), HasSubstr("got 'none'"));
}

TEST(OptionsTest, DifferencesNameWhatMatters) {
  Settings left, right;
  left.threads = 1;
  left.steps = 10;
  right.inner.rate = 0.3;
  const auto found = differences(left, right);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "steps");
  EXPECT_EQ(found[0].left, "10");
  EXPECT_EQ(found[0].right, "none");
  EXPECT_EQ(found[1].name, "drop_rate");
  EXPECT_EQ(found[1].left, "0.1");
  EXPECT_EQ(found[1].right, "0.3");
}

struct Basket {
  std::string name;
  std::vector<std::string> files;
  std::optional<double> weight;
  bool ripe = false;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v("name", self.name, {.help = "Name"});
    v("files", self.files, {.help = "Files", .ignored_in_comparison = true});
    v("weight", self.weight, {.help = "Weight", .above = 0});
    v("ripe", self.ripe, {.help = "Ripe"});
  }
};

struct Shop {
  int64_t size = 1;
  std::vector<Basket> baskets;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v("basket", self.baskets, {.help = "Baskets"});
    v("size", self.size, {.help = "Size"});
  }
};

Shop shop_of(const std::string& json) {
  Shop shop;
  from_json(shop, json, "shop.json");
  return shop;
}

TEST(ListsOfStructs, AreObjectsInJsonAndTablesInToml) {
  Shop shop{3, {{"a", {"x", "y"}, 0.5, true}, {.name = "b\"\x7f"}}};
  const std::string json = to_json(shop);
  EXPECT_EQ(nlohmann::json::parse(json)["basket"][0]["weight"], 0.5) << json;
  EXPECT_EQ(to_json(shop_of(json)), json);
  EXPECT_EQ(to_toml(options_of(shop)),
            "size = 3\n\n[[basket]]\nname = \"a\"\nfiles = [\"x\",\"y\"]\nweight = 0.5\nripe = "
            "true\n\n[[basket]]\nname = \"b\\\"\\u007f\"\n");
  EXPECT_EQ(to_toml(options_of(*std::make_unique<Shop>())), "");
}

TEST(ListsOfStructs, RefuseWhatTheirOptionsRefuse) {
  EXPECT_THAT(error_of([] { shop_of(R"({"basket": [{"nam": "a"}]})"); }),
              HasFacts("basket nam 'name'"));
  EXPECT_THAT(error_of([] { shop_of(R"({"basket": [{"weight": 0}]})"); }),
              HasFacts("basket weight above 0"));
  EXPECT_THAT(error_of([] { shop_of(R"({"basket": ["a"]})"); }), HasFacts("basket JSON"));
}

TEST(ListsOfStructs, AreComparedWithoutWhatIsIgnored) {
  const Shop shop{1, {{"a", {"x"}, 0.5, false}}};
  Shop other = shop;
  other.baskets[0].files = {"elsewhere"};
  EXPECT_THAT(differences(shop, other), ::testing::IsEmpty());
  other.baskets[0].weight = 0.6;
  EXPECT_EQ(differences(shop, other).size(), 1u);
  other = shop;
  other.baskets.push_back({});
  EXPECT_EQ(differences(shop, other).size(), 1u);
}

TEST(Choices, AreTakenInAnyCaseAndSuggested) {
  EXPECT_TRUE(names_choice("BLEU", "bleu"));
  EXPECT_TRUE(names_choice("chrF++", "chrf++"));
  EXPECT_FALSE(names_choice("bleu2", "bleu"));
  EXPECT_EQ(nearest("BELU", {"ter", "bleu"}), "bleu");
  EXPECT_THAT(suggestion("tre", {"ter", "bleu"}), ::testing::HasSubstr("'ter'"));
  EXPECT_EQ(suggestion("something", {"ter", "bleu"}), "");
}

}  // namespace
}  // namespace heed
