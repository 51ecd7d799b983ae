// heed serve: models by HTTP, and a web page.
#include <cmath>
#include <csignal>
#include <ctime>
#include <thread>

#include "commands/commands.h"
#include "console/signals.h"
#include "heed/core/counted.h"
#include "heed/core/json_text.h"
#include "heed/core/memory.h"
#include "heed/pages/terminal_text.h"
#include "heed/serve/http/activation.h"
#include "heed/serve/http/server.h"
#include "heed/serve/server.h"

namespace heed {
namespace {

enum class LogFormat { text, json, none };
constexpr auto enum_names(LogFormat) {
  return std::array<std::pair<std::string_view, LogFormat>, 3>{
      {{"text", LogFormat::text}, {"json", LogFormat::json}, {"none", LogFormat::none}}};
}

struct ServeSettings {
  ServeOptions serve;
  LogFormat log = LogFormat::text;
  double drain = 30;

  static void visit(auto& self, auto&& v) {
    ServeOptions::visit(self.serve, v);
    v.group("Running");
    v("log", self.log,
      {.help = "Format of the log on standard error: one line per request, without its text; none: "
               "only errors"});
    v("drain", self.drain,
      {.help = "Graceful-shutdown timeout: time to finish requests after SIGTERM",
       .unit = "seconds",
       .minimum = 0,
       .maximum = 86400});
  }
};

// Blocks SIGINT, SIGTERM and SIGHUP in this thread, and in those that it starts, during its
// lifetime.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  // Waits half a second for one of the signals; -1 if there was none.
  int wait() const {
    constexpr timespec kTimeout{0, 500'000'000};
    return sigtimedwait(&signals_, nullptr, &kTimeout);
  }

 private:
  sigset_t signals_, before_;
};

std::string log_line(LogFormat format, const RequestRecord& r) {
  if (format == LogFormat::text)
    return fmt::format("{} {} {} {} {:.1f} ms {}", r.client, r.method, r.route, r.status,
                       r.seconds * 1e3, detail::counted(r.body_bytes, "byte"));
  const double milliseconds = std::round(r.seconds * 1e6) / 1e3;
  nlohmann::ordered_json object = {{"time", utc_text(std::time(nullptr))},
                                   {"client", r.client},
                                   {"method", r.method},
                                   {"route", r.route},
                                   {"status", r.status},
                                   {"milliseconds", milliseconds},
                                   {"body_bytes", r.body_bytes}};
  return json_text(object);
}

// Handles signals and watches the models' directories, on a thread of its own.
class Monitor {
 public:
  Monitor(Server& server, const BlockedSignals& signals, const Console& console,
          std::chrono::milliseconds drain)
      : server_(server), signals_(signals), console_(console), drain_(drain), thread_([this] {
          run();
        }) {}
  ~Monitor() {
    ended_ = true;
    thread_.join();
  }

 private:
  void run() {
    bool draining = false;
    while (!ended_) {
      const int signal = signals_.wait();
      const bool closed = terminal_.was_closed(signal);
      if (signal == SIGINT || signal == SIGTERM || (closed && !draining)) {
        if (draining) return server_.stop();
        draining = true;
        drain();
      } else if (signal == SIGHUP && !closed) {
        reload();
      } else if (!draining) {
        reload_models(ServedModels::Which::changed);
        notify(kServiceAlive);
      }
    }
  }

  void drain() {
    notify(kServiceStopping);
    console_.note("finishing the requests that were begun; once more ends at once");
    server_.drain(drain_);
  }

  void reload() {
    notify(service_reloading());
    reload_keys();
    reload_models(ServedModels::Which::all);
    notify(kServiceReady);
  }

  // Continues without a service manager that cannot be reached.
  void notify(std::string_view lines) {
    try {
      notify_service_manager(lines);
    } catch (const Error& error) {
      if (!std::exchange(warned_, true)) console_.warn(error.what());
    }
  }

  void reload_keys() {
    try {
      server_.reload_keys();
    } catch (const Error& error) {
      console_.warn(fmt::format("{}; the old keys remain", error.what()));
    }
  }

  void reload_models(ServedModels::Which which) {
    for (const ModelReload& reload : server_.reload(which)) {
      if (reload.error.empty())
        console_.note(fmt::format("{}: serving the new model", reload.directory.string()));
      else
        console_.warn(fmt::format("{}: the old model serves on, since the new one cannot: {}",
                                  reload.directory.string(), reload.error));
    }
  }

  Server& server_;
  const BlockedSignals& signals_;
  const Console& console_;
  const std::chrono::milliseconds drain_;
  OwnTerminal terminal_;
  bool warned_ = false;
  std::atomic<bool> ended_ = false;
  std::thread thread_;  // uses the others
};

int run_serve(const ServeSettings& settings, const Words&, Console& console) {
  const std::vector<int> sockets = inherited_sockets();
  const BlockedSignals signals;
  // Models and the terminal have a few files besides.
  raise_open_file_limit(settings.serve.max_connections + 64);
  const LogFormat format = settings.log;
  const auto log = [&](const RequestRecord& record) {
    if (!record.error.empty()) console.warn(record.error);
    if (format != LogFormat::none) console.note(log_line(format, record));
  };
  Server server(settings.serve, log, sockets);
  for (const auto& model : server.models().all())
    console.note(fmt::format("{}: {}, {} parameters on {}", model->name, kind_of(model->task),
                             parameter_count(model->model.parts().model),
                             model->model.backend().name()));
  const MemoryBound memory = server.memory();
  console.note("memory: " + to_string(memory));
  const auto available = available_memory();
  if (available && memory.total() - memory.resident > available->bytes)
    console.warn(
        fmt::format("{} has only {} left", available->source, memory_text(available->bytes)));
  for (const std::string& address : server.addresses())
    console.note(
        fmt::format("listening on {}{}", address.starts_with("unix:") ? "" : "http://", address));
  notify_service_manager(kServiceReady);
  const Monitor monitor(server, signals, console,
                        std::chrono::milliseconds(int64_t(settings.drain * 1000)));
  server.run();
  return 0;
}

}  // namespace

Command make_serve_command() {
  return with_settings(
      run_serve,
      {.name = "serve",
       .summary = "Serves models by HTTP, with a web page",
       .description =
           "Serves models of any task: a web page, LibreTranslate's API (POST /translate) and "
           "heed's own (POST /v1/translate, /v1/generate, /v1/tag, /v1/classify, /v1/parse), which "
           "/openapi.json describes. Lines of different requests are decoded together, which does "
           "not change their results: they are those of heed translate, generate, tag, classify "
           "and parse with the same options. The server ends, after the requests that have begun, "
           "on SIGTERM and when the terminal that it was started in is closed (unless started with "
           "nohup). A SIGHUP that has another cause, such as kill -HUP, makes it reload models and "
           "API keys. A model is also reloaded when its directory "
           "changes.",
       .memory_advice = "a smaller --batch-tokens, --max-hypotheses or fewer --threads take less"});
}

}  // namespace heed
