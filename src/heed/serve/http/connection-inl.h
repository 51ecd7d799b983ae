// One connection of a server: reads requests, one at a time, and sends their answers.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>

#include "heed/serve/http/exchange.h"
#include "heed/serve/http/outbox.h"
#include "heed/serve/http/request_reader.h"
#include "heed/serve/http/server_core-inl.h"

namespace heed::detail {

// Pending operations of Asio keep it alive; close() ends them all.
//
// While a request is being answered the connection continues to read: bytes are kept for the next
// request (at most as many as headers may have), and an end of input means that the client has
// gone, as for nginx and Go, even if it has only closed its sending side.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(ServerCore& core, Socket socket);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  ServerCore& core() { return core_; }
  // The address that it comes from, or "unix".
  const std::string& peer() const { return peer_; }

  // Begins to read requests. `slot` is its client's (ServerCore::take_slot()).
  void start(std::shared_ptr<void> slot);
  // Sends an answer without reading a request, and closes.
  void refuse(const HttpError& error);
  // The server ends: only requests whose headers have arrived are answered, and the first one of a
  // new connection, whose client could not know.
  void drain();
  void close();

  // For the exchange of the request that is being answered. The caller has counted bodies by
  // AnswerState::written().
  bool is_answering(const AnswerState& answer) const;
  void send_whole(HttpResponse response);
  void begin_stream(HttpResponse head);
  void send_chunk(const std::string& bytes);
  void end_stream();
  void abort_stream();

 private:
  enum class Stage {
    idle,       // no byte of the next request has arrived
    reading,    // a request
    answering,  // its handler has been called
    finishing,  // sending the last bytes
    lingering,  // the last bytes are sent; waiting for the client to read them and to close. The
                // initial stage, too, before start() or refuse()
    closed
  };

  void enter(Stage stage);
  void advance();
  void begin_answer();
  void fail_whole(const std::string& text);
  const char* connection_header() const { return answer_.keep_alive ? "keep-alive" : "close"; }
  void complete_answer();
  void answer_error(const HttpError& error);
  void after_answer();
  void finish();

  void wait_readable();
  void read();
  void received(std::string_view bytes);
  void end_of_input();
  void flush();
  void count_unsent();
  void wait_writable();

  void set_deadline(std::chrono::milliseconds from_now);
  void clear_deadline();
  void arm_timer();
  void on_timer();
  void deadline_passed();
  bool has_peer_gone();

  struct Times {
    explicit Times(asio::io_context& io) : timer(io) {}
    Timer timer;
    Clock::time_point deadline = Clock::time_point::max();
    Clock::time_point peer_check = Clock::time_point::max();  // while nothing can be read
    Clock::time_point armed_for = Clock::time_point::max();
  };
  struct Input {
    Input(const HttpLimits& limits, const std::shared_ptr<RequestMemory>& memory)
        : reader(limits), body(memory) {}
    RequestReader reader;
    HeldBytes body;        // being read
    bool is_new = true;    // no request has been read
    bool waits = false;    // until the socket can be read
    bool ended = false;    // the client sends no more
    size_t discarded = 0;  // bytes while lingering
  };
  struct Output {
    Outbox outbox;
    bool waits = false;   // until the socket can be written
    int unconfirmed = 0;  // sent bytes, when the deadline for sending was set
    int64_t unsent = 0;   // bytes of the outbox, as they were last counted
    std::optional<std::list<Connection*>::iterator> unsent_place;
  };
  // The answer to the request that was read last.
  struct Answer {
    std::shared_ptr<AnswerState> state;
    std::shared_ptr<void> client_slot;  // of a client that a proxy names
    bool keep_alive = false, is_head = false, is_http_1_0 = false;
    bool bodyless = false;  // a streamed answer whose body is left out
    HttpResponse whole;     // a streamed answer to HTTP/1.0, until its end
  };

  ServerCore& core_;
  Socket socket_;
  const std::string peer_;
  Stage stage_ = Stage::lingering;
  std::list<Connection*>::iterator idle_;
  std::shared_ptr<void> slot_;
  bool refused_ = false;
  Times times_;
  Input input_;
  Output output_;
  Answer answer_;
};

}  // namespace heed::detail
