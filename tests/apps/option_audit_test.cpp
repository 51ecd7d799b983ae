// Runs every option against its default: tests/options.txt says with what value, and what must then
// differ.
#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "console/command.h"
#include "heed/core/error.h"
#include "heed/core/files.h"
#include "heed/run/train_options.h"
#include "heed/serve/options.h"
#include "small_model_test.h"
#include "support/sanitized.h"

namespace heed::testing {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// A line of the table.
struct Row {
  std::string command, option;  // "translate", "--beam"
  std::string argument;         // "--beam=1", or "--columns~1~3" where it takes several words
  std::string base;             // which command it is added to; "-" for none
  std::string trace;            // what must differ
  Words more;                   // added with and without the option
};

struct Table {
  std::map<std::string, Words> bases;
  std::vector<Row> rows;
};

// The option that an argument sets: "--beam" of "--beam=1", "--inspect" of "--no-inspect".
std::string option_of(const std::string& argument, const std::set<std::string>& options) {
  const std::string flag = argument.substr(0, argument.find_first_of("=~"));
  if (options.count(flag) || flag.rfind("--no-", 0) != 0) return flag;
  return "--" + flag.substr(5);
}

// The options of each command, and those of "every" command.
std::map<std::string, std::set<std::string>> options_of_the_program() {
  std::map<std::string, std::set<std::string>> all;
  for (const Command& command : all_commands())
    for (const Option& option : command.options()) all[command.name].insert(option.flag());
  CommonSettings common;
  for (const Option& option : options_of(common)) all["every"].insert(option.flag());
  return all;
}

Table read_table() {
  const auto options = options_of_the_program();
  std::istringstream lines(read_file(HEED_TESTS "/options.txt"));
  Table table;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream stream(line);
    Words words(std::istream_iterator<std::string>(stream), {});
    if (words.empty() || words[0][0] == '#') continue;
    if (words[0] == "base" && words.size() > 2) {
      table.bases[words[1]] = Words(words.begin() + 2, words.end());
      continue;
    }
    if (words.size() < 4 || !options.count(words[0])) {
      ADD_FAILURE() << "tests/options.txt: expected COMMAND OPTION BASE TRACE, got: " << line;
      continue;
    }
    const Words more(words.begin() + 4, words.end());
    table.rows.push_back(
        {words[0], option_of(words[1], options.at(words[0])), words[1], words[2], words[3], more});
  }
  return table;
}

// What a run left.
struct Outcome {
  RunResult run;
  std::map<std::string, std::string> files;  // hashes of those that are new or changed
  double seconds = 0;
  int64_t threads = 0;
};

// A copy of a folder for one run after another. To copy all of its files takes longer than most
// runs.
class RestoredCopy {
 public:
  explicit RestoredCopy(const fs::path& original) : original_(original) {
    fs::copy(original_, path(), fs::copy_options::recursive);
    states_ = states();
  }
  const fs::path& path() const { return copy_.path(); }

  // The files that are new or changed, as hashes.
  std::map<std::string, std::string> changes() const {
    std::map<std::string, std::string> files;
    for (const auto& [name, state] : states())
      if (state.is_file && is_changed(name, state))
        files[name] = fmt::format("{:x}", std::hash<std::string>{}(read_file(path() / name)));
    return files;
  }

  // Makes it the original again.
  void restore() {
    for (const auto& [name, state] : states())
      if (is_changed(name, state)) fs::remove_all(path() / name);
    for (const auto& [name, state] : states_) {
      if (fs::exists(path() / name)) continue;
      if (state.is_file)
        fs::copy_file(original_ / name, path() / name);
      else
        fs::create_directory(path() / name);
    }
    states_ = states();
  }

 private:
  // Nothing changes a file, or its rights, without one of these.
  struct State {
    bool is_file = false;
    ino_t number = 0;
    int64_t changed_at = 0;  // nanoseconds
    bool operator==(const State&) const = default;
  };

  std::map<std::string, State> states() const {
    std::map<std::string, State> all;
    for (const auto& entry : fs::recursive_directory_iterator(path())) {
      struct stat status = {};
      check(lstat(entry.path().c_str(), &status) == 0, "a file that is listed exists");
      State& state = all[entry.path().lexically_relative(path()).string()];
      state.is_file = !S_ISDIR(status.st_mode);
      // The time of a directory is that of what comes and goes in it.
      if (!state.is_file) continue;
      state.number = status.st_ino;
      state.changed_at = status.st_ctim.tv_sec * 1'000'000'000 + status.st_ctim.tv_nsec;
    }
    return all;
  }
  bool is_changed(const std::string& name, const State& state) const {
    const auto before = states_.find(name);
    return before == states_.end() || before->second != state;
  }

  const fs::path original_;
  TemporaryFolder copy_;
  std::map<std::string, State> states_;
};

class OptionAuditTest : public SmallModelTest, public ::testing::WithParamInterface<std::string> {
 protected:
  static void SetUpTestSuite() {
    SmallModelTest::SetUpTestSuite();
    fs::copy(folder_->path() / "brief", folder_->path() / "calibrated");
    const RunResult calibrated =
        heed({"calibrate", "--model", "calibrated", "--source", "brief.zh", "--reference",
              "brief.en", "--reverse-model", "m", "--threads", "1"});
    ASSERT_EQ(calibrated.status, 0) << calibrated.err;
    std::string damaged = folder_->read("brief.zh");
    damaged[0] = '\xff';
    folder_->write("damaged.zh", damaged);
    folder_->write("broken.zh", "\xe4\xbd\xa0\xe5\xa5\xbd\n\xff\n");
    folder_->write("dos.en", "one line\r\nanother one\r\n");
    folder_->write("spans.zh", "老师买了 %s 和 😆 书。\n");
    folder_->write("two.zh", "老师买了三本书。学生买了书。\n");
    folder_->write("two.en", "the teacher bought three books . the student bought a book .\n");
    folder_->write("whole.en", "hello\nhello\n");
    std::string prefixes, many;
    for (int i = 0; i < 20; ++i) prefixes += i % 2 ? "the\n" : "\n";
    for (int i = 0; i < 2000; ++i) many += "\xe4\xbd\xa0\n";
    folder_->write("prefixes", prefixes);
    folder_->write("terms", "她\tThey\n");
    folder_->write("patterns", "\\p{Han}\n");
    folder_->write("many", many);
    const std::string odd =
        "It's \"fine\" & \xe4\xbd\xa0\xe5\xa5\xbd\xef\xbc\x8c\xe4\xb8\x96 , Today !\n";
    const std::string same = "it's \"fine\" &amp; \xe4\xbd\xa0\xe5\xa5\xbd\xe4\xb8\x96, today!\n";
    std::istringstream lines(folder_->read("test.en"));
    std::string hypothesis, other;
    int64_t number = 0;
    for (std::string line; std::getline(lines, line); ++number) {
      const std::string half = line.substr(0, line.size() / 2);
      hypothesis += (number % 3 == 0 ? half : line) + "\n";
      other += (number % 4 == 0 ? "The " + half : line) + "\n";
    }
    std::string nbest, nbest2;
    for (const std::string& line : lines_of(folder_->read("test.en"))) {
      const auto pair = [](const std::string& first, const std::string& second) {
        return nlohmann::json{{"nbest", {{{"translation", first}}, {{"translation", second}}}}};
      };
      nbest += pair(line, line + " " + line).dump() + "\n";
      nbest2 += pair("the " + line, line).dump() + "\n";
    }
    folder_->write("nbest", nbest);
    folder_->write("nbest2", nbest2);
    folder_->write("reference", folder_->read("test.en") + odd);
    folder_->write("reference2", other + odd);
    folder_->write("hypothesis", hypothesis + same);
    folder_->write("hypothesis2", other + same);
    folder_->write("three.tsv", "one line\ttwo\tno\na line\tsecond line\tnone\n");
    folder_->write("other.tsv", "another one\ttwo\tno\n");
    folder_->write("trees", "(S (NP (NN a)) (VP (VB b)))\n(S (NN c))\n");
    folder_->write("other.trees", "(ROOT (NP (DT a) (NN dog)))\n(ROOT (S (NP (PRP we))))\n");
    folder_->write("guesses", "(S (NN a) (VP (VB b)))\n(S (NN c))\n");
    folder_->write("labels", "B-A I-A O\nI-B O\n");
    folder_->write("labelled", "B-A I-A O\nB-B O\n");
    folder_->write("run.toml", "json = true\n");
    folder_->write("empty.toml", "");
    copy_ = std::make_unique<RestoredCopy>(folder_->path());
  }
  static void TearDownTestSuite() {
    copy_.reset();
    SmallModelTest::TearDownTestSuite();
  }

  // In a folder as it was at the beginning.
  static Outcome run(const Words& arguments, const std::string& trace) {
    const fs::path counted = copy_->path() / "threads";
    Conditions conditions;
    if (trace == "threads") {
      conditions.preload = HEED_THREAD_COUNTER;
      setenv("HEED_THREADS_FILE", counted.c_str(), 1);
    }
    if (trace == "memory") conditions.memory = int64_t{300} << 20;
    const auto begin = std::chrono::steady_clock::now();
    Outcome outcome;
    outcome.run = run_heed(arguments, copy_->path(), "", conditions);
    outcome.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    unsetenv("HEED_THREADS_FILE");
    if (fs::exists(counted)) outcome.threads = int64_t(fs::file_size(counted));
    outcome.files = copy_->changes();
    copy_->restore();
    return outcome;
  }

  // Runs of one command line are one run: many options have the same base.
  const Outcome& outcome(const Words& arguments, const std::string& trace) {
    const std::string condition = trace == "threads" || trace == "memory" ? trace : "";
    Words key = arguments;
    std::sort(key.begin(), key.end());
    const auto [found, added] =
        outcomes_.try_emplace(fmt::format("{} {}", condition, fmt::join(key, "\n")));
    if (added) found->second = run(arguments, condition);
    return found->second;
  }

  static inline std::unique_ptr<RestoredCopy> copy_;
  std::map<std::string, Outcome> outcomes_;
};

// A trace is one of
//   out, err, status   of the program
//   file:PATH          what it wrote there
//   shows:TEXT         whether that is on standard output or error; ~ stands for a space
//   threads            how many threads it began
//   peak               the most memory that it held: with the option a megabyte more at least
//   memory             what it says on standard error under a limit of addresses
//   takes:N, within:N  how many seconds it takes, at least or at most

// "file", "o" of "file:o".
std::pair<std::string, std::string> kind_of(const std::string& trace) {
  const size_t colon = trace.find(':');
  if (colon == std::string::npos) return {trace, ""};
  std::string rest = trace.substr(colon + 1);
  std::replace(rest.begin(), rest.end(), '~', ' ');
  return {trace.substr(0, colon), rest};
}

// The trace as text, where two texts that differ show that the option is felt.
std::string trace_of(const std::string& trace, const Outcome& o) {
  const auto [kind, rest] = kind_of(trace);
  if (kind == "out") return o.run.out;
  if (kind == "err") return o.run.err;
  if (kind == "status") return std::to_string(o.run.status);
  if (kind == "file") return o.files.count(rest) ? o.files.at(rest) : "no such file";
  if (kind == "shows")
    return (o.run.out + o.run.err).find(rest) == std::string::npos ? "no" : "yes";
  if (kind == "memory") return o.run.err;
  if (kind == "takes") return o.seconds >= std::stod(rest) ? "yes" : "no";
  if (kind == "within") return o.seconds <= std::stod(rest) ? "yes" : "no";
  ADD_FAILURE() << "tests/options.txt: there is no trace " << trace;
  return "";
}

Words words_of(const std::string& argument) {
  std::istringstream stream(argument);
  Words words;
  for (std::string word; std::getline(stream, word, '~');) words.push_back(word);
  return words;
}

class OptionAuditRows : public OptionAuditTest {
 protected:
  void expect_felt(const Row& row, const Table& table) {
    const std::string kind = kind_of(row.trace).first;
    const bool alone = row.base == "-";
    ASSERT_TRUE(alone || table.bases.count(row.base)) << "there is no base " << row.base;
    const Words base = with(alone ? Words{row.command} : table.bases.at(row.base), row.more);
    const Outcome& after = outcome(with(base, words_of(row.argument)), row.trace);
    expect_success(after, kind);
    if (alone) {
      const std::string nothing = kind == "file" ? "no such file" : "no";
      EXPECT_NE(trace_of(row.trace, after), nothing) << after.run.err;
      return;
    }
    const Outcome& before = outcome(base, row.trace);
    expect_success(before, kind);
    // What two equal runs do not share shows nothing.
    const bool text = kind == "out" || kind == "err" || kind == "file";
    if (text) {
      EXPECT_EQ(trace_of(row.trace, again(base)), trace_of(row.trace, before)) << "by itself";
    }
    if (kind == "threads") {
      EXPECT_GT(after.threads, before.threads);
    } else if (kind == "peak") {
      EXPECT_GT(after.run.peak_memory, before.run.peak_memory + (1 << 20));
    } else {
      EXPECT_NE(trace_of(row.trace, after), trace_of(row.trace, before))
          << after.run.out.substr(0, 2000) << after.run.err;
    }
  }

 private:
  static void expect_success(const Outcome& o, const std::string& kind) {
    if (kind == "status" || kind == "memory") return;
    EXPECT_EQ(o.run.status, 0) << o.run.err;
  }
  const Outcome& again(const Words& arguments) {
    return outcome(with(arguments, {"--config=empty.toml"}), "");
  }
};

TEST_P(OptionAuditRows, SlowAreFelt) {
  const Table table = read_table();
  for (const Row& row : table.rows) {
    const std::string kind = kind_of(row.trace).first;
    // A sanitizer must be the first library, takes addresses and memory of its own, and may need
    // more time for one step than a measurement is given.
    if (is_sanitized() &&
        (kind == "threads" || kind == "memory" || kind == "peak" || kind == "takes"))
      continue;
    if (row.command != GetParam()) continue;
    SCOPED_TRACE(fmt::format("{} {} ({})", row.command, row.argument, row.trace));
    expect_felt(row, table);
  }
}

std::vector<std::string> audited() {
  std::vector<std::string> names{"every"};
  for (const Command& command : all_commands())
    if (!command.options().empty()) names.push_back(command.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Commands, OptionAuditRows, ::testing::ValuesIn(audited()),
                         [](const auto& info) { return info.param; });

// The options of heed train that tests/run/train_options_test.cpp runs: those with a row in its
// table, as its source has them: a line that begins with {{"hold_out", say.
std::set<std::string> options_run_by_train_tests() {
  const std::string source = read_file(HEED_TESTS "/run/train_options_test.cpp");
  const size_t begin = source.find("std::vector<Row> rows()"), end = source.find("\n}\n", begin);
  const std::string table = source.substr(begin, end - begin);
  std::set<std::string> options;
  TrainOptions train;
  for (const Option& option : options_of(train))
    if (table.find(fmt::format("\n      {{{{\"{}\", ", option.name)) != std::string::npos)
      options.insert(option.flag());
  return options;
}

// Those of heed serve that tests/serve/serve_options_test.cpp and tests/apps/serve_test.cpp run.
std::set<std::string> options_run_by_serve_tests() {
  std::set<std::string> options{"--log", "--drain"};
  ServeOptions serve;
  for (const Option& option : options_of(serve)) options.insert(option.flag());
  return options;
}

TEST(OptionAuditTable, EveryOptionHasARow) {
  std::map<std::string, std::set<std::string>> listed;
  for (const Row& row : read_table().rows) listed[row.command].insert(row.option);
  const std::set<std::string> elsewhere = options_run_by_train_tests();
  EXPECT_GT(elsewhere.size(), 50u) << "the rows of train_options_test.cpp were not found";
  for (const std::string& option : elsewhere)
    EXPECT_TRUE(listed["train"].insert(option).second) << option << " has two rows";
  listed["serve"] = options_run_by_serve_tests();
  for (const auto& [command, options] : options_of_the_program()) {
    for (const std::string& option : options)
      EXPECT_TRUE(listed[command].count(option))
          << "heed " << command << " " << option << " has no row in tests/options.txt";
    for (const std::string& option : listed[command])
      EXPECT_TRUE(options.count(option))
          << "tests/options.txt: there is no heed " << command << " " << option;
  }
}

}  // namespace
}  // namespace heed::testing
