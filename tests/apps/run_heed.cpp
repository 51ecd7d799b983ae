#include "run_heed.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "support/temporary_folder.h"

namespace heed::testing {
namespace {

namespace fs = std::filesystem;

void redirect(const std::string& path, int flags, int descriptor) {
  const int file = open(path.c_str(), flags, 0600);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(125);
}

// As dup2, where they may be the same descriptor, which is to stay open then.
void connect(int from, int to) {
  if (from == to ? fcntl(to, F_SETFD, 0) != 0 : dup2(from, to) < 0) _exit(125);
}

// The arguments and the environment of the program, made before the process is forked: another
// thread may hold the allocator's lock at that moment, and in the child no thread would release it.
class ProgramCall {
 public:
  explicit ProgramCall(const std::vector<std::string>& arguments, const std::string& preload = {},
                       const char* runner = nullptr)
      : preload_("LD_PRELOAD=" + preload) {
    if (runner != nullptr) arguments_.push_back(const_cast<char*>(runner));
    arguments_.push_back(const_cast<char*>(HEED_PROGRAM));
    for (const std::string& argument : arguments)
      arguments_.push_back(const_cast<char*>(argument.c_str()));
    arguments_.push_back(nullptr);
    if (!preload.empty()) environment_.push_back(preload_.data());
    for (char** variable = environ; *variable != nullptr; ++variable) {
      if (preload.empty() || !std::string_view(*variable).starts_with("LD_PRELOAD="))
        environment_.push_back(*variable);
    }
    environment_.push_back(nullptr);
  }
  ProgramCall(const ProgramCall&) = delete;
  ProgramCall& operator=(const ProgramCall&) = delete;

  // In the child: becomes the program.
  [[noreturn]] void execute(const char* directory) const {
    if (chdir(directory) != 0) _exit(125);
    execve(arguments_[0], arguments_.data(), environment_.data());
    _exit(126);
  }

 private:
  std::string preload_;
  std::vector<char*> arguments_, environment_;  // each ends with nullptr
};

int status_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// The files in place of the standard streams.
struct StreamFiles {
  std::string input, output, error;
};

// In the child: connects the standard streams, enters `directory` and sets the limits. Allocates
// nothing.
void take_conditions(const StreamFiles& files, const char* directory,
                     const Conditions& conditions) {
  std::signal(SIGPIPE, SIG_DFL);
  redirect(files.input, O_RDONLY, 0);
  redirect(files.error, O_WRONLY | O_CREAT, 2);
  if (conditions.output == OutputTo::closed_pipe) {
    int ends[2];
    if (pipe(ends) != 0 || close(ends[0]) != 0 || dup2(ends[1], 1) < 0) _exit(125);
  } else {
    redirect(files.output, O_WRONLY | O_CREAT, 1);
  }
  if (chdir(directory) != 0) _exit(125);
  if (conditions.as_nobody && geteuid() == 0) {
    constexpr uid_t kNobody = 65534;
    if (setgid(kNobody) != 0 || setuid(kNobody) != 0) _exit(125);
  }
  const auto limit = [](__rlimit_resource resource, int64_t most) {
    const rlimit both{rlim_t(most), rlim_t(most)};
    if (most > 0 && setrlimit(resource, &both) != 0) _exit(125);
  };
  limit(RLIMIT_AS, conditions.memory);
  limit(RLIMIT_FSIZE, conditions.file_size);
}

}  // namespace

RunResult run_heed(const std::vector<std::string>& arguments, const fs::path& directory,
                   const std::string& input, const Conditions& conditions) {
  const TemporaryFolder streams;
  streams.write("in", input);
  const bool reads_file = !conditions.input_file.empty();
  const StreamFiles files{
      reads_file ? conditions.input_file.string() : (streams / "in").string(),
      conditions.output == OutputTo::full_disk ? "/dev/full" : (streams / "out").string(),
      (streams / "err").string()};
  int memory[2];
  if (pipe2(memory, O_CLOEXEC) != 0) throw std::runtime_error("cannot make pipes");
  const ProgramCall call(arguments, conditions.preload, HEED_MEASURED);
  const pid_t child = fork();
  if (child == 0) {
    take_conditions(files, directory.c_str(), conditions);
    connect(memory[1], 3);
    call.execute(".");
  }
  close(memory[1]);
  int status = 0;
  RunResult result;
  const bool measured =
      child > 0 && waitpid(child, &status, 0) == child &&
      read(memory[0], &result.peak_memory, sizeof result.peak_memory) == sizeof result.peak_memory;
  close(memory[0]);
  if (!measured) throw std::runtime_error("cannot run heed");
  result.status = status_of(status);
  if (conditions.output == OutputTo::file) result.out = streams.read("out");
  result.err = streams.read("err");
  return result;
}

RunningHeed::RunningHeed(const std::vector<std::string>& arguments, const fs::path& directory,
                         const std::string& preload) {
  int in[2], out[2], err[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
    throw std::runtime_error("cannot make pipes");
  const ProgramCall call(arguments, preload);
  child_ = fork();
  if (child_ == 0) {
    if (dup2(in[0], 0) < 0 || dup2(out[1], 1) < 0 || dup2(err[1], 2) < 0) _exit(125);
    call.execute(directory.c_str());
  }
  if (child_ < 0) throw std::runtime_error("cannot run heed");
  close(in[0]);
  close(out[1]);
  close(err[1]);
  input_ = in[1];
  output_ = out[0];
  error_ = err[0];
}

RunningHeed::~RunningHeed() {
  if (child_ > 0) {
    send(SIGKILL);
    wait();
  }
  close(output_);
  close(error_);
}

void RunningHeed::write(const std::string& text) const {
  if (::write(input_, text.data(), text.size()) != ssize_t(text.size()))
    throw std::runtime_error("heed reads no more");
}

std::string RunningHeed::read_line(int descriptor) {
  std::string line;
  for (char c = 0; ::read(descriptor, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

std::string await_message(const RunningHeed& heed, const std::string& start) {
  for (std::string line = heed.read_error_line(); !line.empty(); line = heed.read_error_line()) {
    if (line.rfind(start, 0) == 0) return line;
  }
  ADD_FAILURE() << "no message began with '" << start << "'";
  return "";
}

void RunningHeed::send(int signal) const {
  kill(child_, signal);
}

int RunningHeed::wait() {
  close(input_);
  int status = 0;
  waitpid(child_, &status, 0);
  child_ = -1;
  return status_of(status);
}

HeedInTerminal::HeedInTerminal(const std::vector<std::string>& arguments, const fs::path& directory,
                               Hangup hangup) {
  const ProgramCall call(arguments);
  child_ = forkpty(&terminal_, nullptr, nullptr, nullptr);
  if (child_ == 0) {
    if (hangup == Hangup::ignored) std::signal(SIGHUP, SIG_IGN);
    call.execute(directory.c_str());
  }
  if (child_ < 0) throw std::runtime_error("cannot run heed in a terminal");
}

HeedInTerminal::~HeedInTerminal() {
  if (child_ > 0) {
    send(SIGKILL);
    wait();
  }
  close_terminal();
}

std::string HeedInTerminal::read_until(const std::string& text) {
  std::string all;
  for (char c = 0; !all.ends_with(text) && ::read(terminal_, &c, 1) == 1;) all += c;
  return all;
}

void HeedInTerminal::close_terminal() {
  if (terminal_ >= 0) close(std::exchange(terminal_, -1));
}

void HeedInTerminal::send(int signal) const {
  kill(child_, signal);
}

int HeedInTerminal::wait() {
  int status = 0;
  waitpid(child_, &status, 0);
  child_ = -1;
  return status_of(status);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace heed::testing
