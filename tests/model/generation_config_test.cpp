#include "heed/model/generation_config.h"

#include <nlohmann/json.hpp>

#include "heed/model/directory.h"
#include "heed/model/sequence_model.h"
#include "reference/reference_backend.h"
#include "support/damage.h"
#include "support/small_model.h"
#include "support/temporary_folder.h"

namespace heed {
namespace {

using nlohmann::json;
using testing::error_of;
using ::testing::HasSubstr;

class GenerationConfigTest : public ::testing::Test {
 protected:
  std::filesystem::path path() const { return folder_.path(); }
  static SequenceModel small_model() {
    SequenceModel model(testing::small_config(13));
    model.initialize(3);
    return model;
  }
  void save() const {
    SequenceModel model = small_model();
    save_model(path(), model);
  }

  testing::TemporaryFolder folder_;
};

TEST_F(GenerationConfigTest, KeepsTheHeadsThatAlignWords) {
  SequenceModel model = small_model();
  save_model(path(), model);
  EXPECT_EQ(load_model(path()).generation_defaults().alignment, std::nullopt);
  const AlignmentHeads heads{{{model.config().decoder_layers - 1, 1}}, AlignmentStep::following};
  model.set_generation_defaults({.alignment = heads});
  EXPECT_EQ(model.clone().generation_defaults().alignment, heads);
  save_model(path(), model);
  json generation = json::parse(folder_.read("generation_config.json"));
  EXPECT_EQ(generation.at("num_beams"), 4);
  EXPECT_EQ(generation.at("heed").at("alignment").at("step"), "following");
  EXPECT_EQ(load_model(path()).generation_defaults().alignment, heads);
  EXPECT_EQ(load_model(path(), *make_reference_backend()).generation_defaults().alignment, heads);

  const AlignmentHeads others{{{0, 0}, {0, 1}}, AlignmentStep::predicting};
  store_alignment_heads(path(), others);
  EXPECT_EQ(read_generation_defaults(path(), model.config()).alignment, others);
  generation["heed"]["alignment"] =
      json::parse(R"({"heads": [[0, 0], [0, 1]], "step": "predicting"})");
  EXPECT_EQ(json::parse(folder_.read("generation_config.json")), generation) << "all else stays";
  std::filesystem::remove(path() / "generation_config.json");
  EXPECT_EQ(load_model(path()).generation_defaults().alignment, std::nullopt);
  store_alignment_heads(path(), others);
  EXPECT_EQ(load_model(path()).generation_defaults().alignment, others);
}

TEST_F(GenerationConfigTest, KeepsTheSearchOfTheModel) {
  SequenceModel model = small_model();
  const AlignmentHeads heads{{{0, 1}}, AlignmentStep::following};
  const GenerationDefaults defaults{.alignment = heads,
                                    .search = {.beam = 2, .length_penalty = 1.25},
                                    .examples = {"你好。", "a \"b\""}};
  model.set_generation_defaults(defaults);
  save_model(path(), model);
  const json generation = json::parse(folder_.read("generation_config.json"));
  EXPECT_EQ(generation.at("num_beams"), 2) << "for transformers";
  EXPECT_EQ(generation.at("heed").at("search"), json({{"beam", 2}, {"length_penalty", 1.25}}));
  EXPECT_EQ(load_model(path()).generation_defaults(), defaults);

  store_search_defaults(path(), {.beam = 8, .length_penalty = 0});
  EXPECT_EQ(json::parse(folder_.read("generation_config.json")).at("num_beams"), 8);
  const GenerationDefaults stored = read_generation_defaults(path(), model.config());
  EXPECT_EQ(stored.search, (SearchDefaults{.beam = 8, .length_penalty = 0}));
  EXPECT_EQ(stored.alignment, heads) << "all else stays";
  EXPECT_EQ(stored.examples, defaults.examples);
}

TEST_F(GenerationConfigTest, NamesWhatIsWrongWithTheSearch) {
  save();
  const auto complaint_of = [&](const std::string& entry) {
    folder_.write("generation_config.json", R"({"heed": {"search": )" + entry + "}}");
    return error_of([&] { load_model(path()); });
  };
  const char* const place = "generation_config.json: heed.search";
  EXPECT_THAT(complaint_of("7"), HasSubstr(std::string(place) + ": expected an object"));
  for (const char* beam : {"0", "-1", "1025", "2.5", "\"4\"", "null", "1e300"})
    EXPECT_THAT(complaint_of(fmt::format(R"({{"beam": {}}})", beam)),
                HasSubstr(std::string(place) + ".beam: expected a whole number from 1 to 1024"));
  for (const char* penalty : {"-0.1", "10.5", "\"1\"", "null", "[1]"})
    EXPECT_THAT(complaint_of(fmt::format(R"({{"length_penalty": {}}})", penalty)),
                HasSubstr(std::string(place) + ".length_penalty: expected a number from 0 to 10"));
  for (const char* examples : {"3", "\"a\"", "[1]", "[[\"a\"]]"}) {
    folder_.write("generation_config.json",
                  fmt::format(R"({{"heed": {{"examples": {}}}}})", examples));
    EXPECT_THAT(error_of([&] { load_model(path()); }),
                HasSubstr("heed.examples: expected a list of texts, got"));
  }
  folder_.write("generation_config.json", R"({"heed": {"search": {}}})");
  EXPECT_EQ(load_model(path()).generation_defaults(), GenerationDefaults());
}

TEST_F(GenerationConfigTest, NamesWhatIsWrongWithTheHeadsThatAlignWords) {
  save();
  const auto complaint_of = [&](const std::string& entry) {
    folder_.write("generation_config.json", R"({"heed": {"alignment": )" + entry + "}}");
    return error_of([&] { load_model(path()); });
  };
  const char* const file = "generation_config.json: heed.alignment";
  EXPECT_THAT(complaint_of("7"), HasSubstr(std::string(file) + ": expected an object"));
  EXPECT_THAT(complaint_of(R"({"heads": [[0, 0]]})"), HasSubstr("expected an object with"));
  EXPECT_THAT(complaint_of(R"({"heads": [[9, 0]], "step": "predicting"})"),
              HasSubstr(std::string(file) + ".heads: layer: expected a whole number from 0 to"));
  EXPECT_THAT(complaint_of(R"({"heads": [3], "step": "predicting"})"),
              HasSubstr("heads: expected a list of [layer, head], got 3"));
  EXPECT_THAT(complaint_of(R"({"heads": [], "step": "predicting"})"),
              HasSubstr("heads: expected a list of [layer, head], got []"));
  EXPECT_THAT(complaint_of(R"({"heads": [[0, -1]], "step": "predicting"})"),
              HasSubstr("heads: head: expected a whole number from 0 to"));
  EXPECT_THAT(complaint_of(R"({"heads": [[0, 1], [0, 1]], "step": "predicting"})"),
              HasSubstr("ascending"));
  EXPECT_THAT(complaint_of(R"({"heads": [[0, 0]], "step": "both"})"),
              HasSubstr("step: expected predicting or following, got"));
  folder_.write("generation_config.json", R"({"heed": 3})");
  EXPECT_THAT(error_of([&] { load_model(path()); }), HasSubstr("heed: expected an object"));
  // Files of other programs are not read further.
  folder_.write("generation_config.json", "no JSON at all");
  EXPECT_EQ(load_model(path()).generation_defaults().alignment, std::nullopt);
  EXPECT_THAT(error_of([&] {
                store_alignment_heads(path(), {{{0, 0}}});
              }),
              HasSubstr("expected a JSON object"));
}

}  // namespace
}  // namespace heed
