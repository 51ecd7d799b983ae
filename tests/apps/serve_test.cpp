// heed serve as a user runs it.
#include <sys/socket.h>
#include <sys/un.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "heed/core/descriptor.h"
#include "small_model_test.h"
#include "support/http_client.h"

namespace heed::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class ServeTest : public SmallModelTest {
 protected:
  // The program, once it listens on a free port.
  struct Running {
    Running(const std::vector<std::string>& more, const std::filesystem::path& directory)
        : program(with({"serve", "--model", "zh-en=m", "--listen", "127.0.0.1:0"}, more),
                  directory) {
      static constexpr std::string_view kBegin = "listening on http://";
      for (std::string line = program.read_error_line(); !line.empty();
           line = program.read_error_line()) {
        if (!line.starts_with(kBegin)) continue;
        address = line.substr(kBegin.size());
        break;
      }
    }
    HttpReply ask(const std::string& path, const std::string& body) {
      HttpClient client(address);
      client.send(
          fmt::format("POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                      "application/json\r\nContent-Length: {}\r\n\r\n{}",
                      path, body.size(), body));
      return client.reply();
    }
    int end() {
      program.send(SIGTERM);
      return program.wait();
    }
    RunningHeed program;
    std::string address;
  };
};

TEST_F(ServeTest, AnswersAsTheCommandLine) {
  Running server({"--log", "none"}, folder_->path());
  ASSERT_NE(server.address, "");
  const std::string source = lines_of(folder_->read("test.zh")).front();
  const RunResult translated = heed({"translate", "--model", "m", "--input", "test.zh"});
  const HttpReply reply =
      server.ask("/translate", json{{"q", source}, {"source", "zh"}, {"target", "en"}}.dump());
  EXPECT_EQ(json::parse(reply.body)["translatedText"].get<std::string>() + "\n",
            translated.out.substr(0, translated.out.find('\n') + 1));
  EXPECT_EQ(server.end(), 0);
}

// The answers of each task have the bytes of the command's JSON lines.
TEST_F(ServeTest, AnswersAsTheCommandOfEachTask) {
  Running server({"--log", "none", "--model", "lm", "tagger", "labels=classifier", "parser"},
                 folder_->path());
  ASSERT_NE(server.address, "");
  struct Case {
    std::string command, model, name, field;
    std::vector<std::string> lines;
  };
  const std::vector<Case> cases = {
      {"generate", "lm", "lm", "prompt", {"My sister", "", "He is \u4f60"}},
      {"tag", "tagger", "tagger", "text", {"one TWO  three", "", "FOUR \u4f60"}},
      {"classify", "classifier", "labels", "text", {"one TWO", "", "TWO three FOUR"}},
      {"parse", "parser", "parser", "text", {"we see the cat .", "", "( a dog"}}};
  for (const auto& [command, model, name, field, lines] : cases) {
    std::string input, expected;
    for (const std::string& line : lines) input += line + "\n";
    const RunResult result =
        heed({command, "--model", model, "--format", "jsonl", "--quiet"}, {}, input);
    ASSERT_EQ(result.status, 0) << result.err;
    for (const std::string& line : lines_of(result.out))
      expected += (expected.empty() ? "" : ",") + line;
    const HttpReply reply = server.ask("/v1/" + command, json{{field, lines}}.dump());
    EXPECT_EQ(reply.body, fmt::format(R"({{"model":"{}","results":[{}]}})", name, expected));
  }
  EXPECT_EQ(server.end(), 0);
}

TEST_F(ServeTest, LogsRequestsWithoutTheirText) {
  const std::string secret = "secretword";
  for (const std::string format : {"text", "json", "none"}) {
    Running server({"--log", format}, folder_->path());
    server.ask("/translate?q=" + secret, json{{"q", secret}}.dump());
    server.program.send(SIGTERM);
    std::string log, line;
    while (!(line = server.program.read_error_line()).empty()) log += line + "\n";
    EXPECT_EQ(server.program.wait(), 0);
    EXPECT_EQ(log.find(secret), std::string::npos) << log;
    if (format == "text") {
      EXPECT_THAT(log, HasSubstr("127.0.0.1 POST /translate 400"));
    } else if (format == "json") {
      const json object = json::parse(lines_of(log).front());
      EXPECT_EQ(object["route"], "/translate");
      EXPECT_EQ(object["status"], 400);
    } else {
      EXPECT_EQ(log.find("POST"), std::string::npos) << log;
    }
  }
}

TEST_F(ServeTest, DrainingEndsInTime) {
  Running server({"--drain", "0.05", "--threads", "1"}, folder_->path());
  HttpClient client(server.address);
  // Its headers are read; its body never comes.
  client.send("POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n");
  HttpClient other(server.address);
  other.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(other.reply().status, 200);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(server.end(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_EQ(client.rest(), "") << "no part of an answer";
}

TEST_F(ServeTest, HangUpReadsTheModelsAgain) {
  Running server({}, folder_->path());
  server.program.send(SIGHUP);
  EXPECT_THAT(server.program.read_error_line(), HasSubstr("m: serving the new model"));
  EXPECT_EQ(server.end(), 0);
}

// A server whose terminal is closed ends as by SIGTERM; one started by nohup goes on.
TEST_F(ServeTest, AClosedTerminalEndsItUnlessHangUpsAreIgnored) {
  const std::vector<std::string> command{"serve", "--model", "zh-en=m", "--listen", "127.0.0.1:0"};
  HeedInTerminal server(command, folder_->path());
  EXPECT_THAT(server.read_until("listening on http://"), HasSubstr("listening"));
  server.send(SIGHUP);
  EXPECT_THAT(server.read_until("serving the new model"), HasSubstr("serving the new model"));
  server.close_terminal();
  EXPECT_EQ(server.wait(), 0);

  HeedInTerminal nohup(command, folder_->path(), HeedInTerminal::Hangup::ignored);
  EXPECT_THAT(nohup.read_until("listening on http://"), HasSubstr("listening"));
  nohup.close_terminal();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  nohup.send(SIGINT);
  EXPECT_EQ(nohup.wait(), 0) << "not drained before";
}

// As systemd passes one: a listening socket as descriptor 3.
TEST_F(ServeTest, ServesOnAnInheritedSocketOfTheFileSystem) {
  const std::string path = (folder_->path() / "socket").string();
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  ASSERT_LT(path.size(), sizeof(name.sun_path));
  path.copy(name.sun_path, path.size());
  const Descriptor listening(::socket(AF_UNIX, SOCK_STREAM, 0));
  ASSERT_EQ(::bind(listening.get(), reinterpret_cast<sockaddr*>(&name), sizeof(name)), 0);
  ASSERT_EQ(::listen(listening.get(), 1), 0);
  const std::string command = fmt::format(
      "cd '{}' && sh -c '(until grep -q listening log; do sleep 0.02; done; kill $$) & "
      "exec 3<&{}; LISTEN_FDS=1 LISTEN_PID=$$ exec \"{}\" serve --model zh-en=m 2>log'",
      folder_->path().string(), listening.get(), HEED_PROGRAM);
  folder_->write("log", "");
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_THAT(lines_of(folder_->read("log")), ::testing::Contains("listening on unix:" + path));
}

TEST_F(ServeTest, WhatIsWrongIsSaid) {
  EXPECT_THAT(heed({"serve"}).err, HasSubstr("--model"));
  const RunResult unknown = heed({"serve", "--model", "m"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("zh-en=m"));
  const RunResult address = heed({"serve", "--model", "zh-en=m", "--listen", "nowhere"});
  EXPECT_NE(address.status, 0);
  EXPECT_THAT(address.err, HasSubstr("nowhere"));
}

}  // namespace
}  // namespace heed::testing
