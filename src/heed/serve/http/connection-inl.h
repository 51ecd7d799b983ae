// One connection of a server: reads requests, one at a time, and sends their answers.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>

#include "heed/serve/http/answer.h"
#include "heed/serve/http/outbox.h"
#include "heed/serve/http/request_reader.h"
#include "heed/serve/http/server_core-inl.h"

namespace heed::detail {

// Pending operations of Asio keep it alive; close() ends them all.
//
// While a request is being answered the connection goes on reading: what comes is kept for the next
// request (at most as much as headers may have), and an end of input means that the client has
// gone, as for nginx and Go, even if it has only closed its sending side.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(ServerCore& core, Socket socket);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The address that it comes from, or "unix".
  const std::string& peer() const { return peer_; }

  // Begins to read requests. `place` is its client's (ServerCore::take_place()).
  void start(std::shared_ptr<void> place);
  // Sends an answer without reading a request, and closes.
  void refuse(const HttpError& error);
  // The server ends: no request is begun any more whose headers have not arrived, except the first
  // of a new connection, which its client sends in the belief that it will be answered.
  void drain();
  void close();

 private:
  enum class Stage {
    idle,       // no byte of the next request has arrived
    reading,    // a request
    answering,  // its handler has been called
    finishing,  // sending the last bytes
    lingering,  // the last bytes are sent; waiting for the client to read them and to close
    closed
  };

  void enter(Stage stage);
  void advance();
  void begin_answer();
  void deliver(const std::shared_ptr<AnswerState>& state, AnswerPart part);
  void send_whole(HttpResponse response, size_t written);
  void drop_whole();
  void begin_stream(HttpResponse head);
  void send_chunk(const std::string& bytes);
  void end_stream();
  void abort_stream();
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

  ServerCore& core_;
  Socket socket_;
  const std::string peer_;
  Timer timer_;
  Clock::time_point deadline_ = Clock::time_point::max();
  Clock::time_point peer_check_ = Clock::time_point::max();  // while nothing can be read
  Clock::time_point armed_for_ = Clock::time_point::max();
  Stage stage_ = Stage::lingering;  // until start()
  std::list<Connection*>::iterator idle_;
  RequestReader reader_;
  HeldBytes body_;  // being read
  Outbox outbox_;
  int64_t unsent_ = 0;  // bytes of the outbox, as they were last counted
  std::optional<std::list<Connection*>::iterator> unsent_place_;
  std::shared_ptr<void> place_;
  bool is_new_ = true;  // no request has been read
  bool refused_ = false;
  bool waits_readable_ = false, waits_writable_ = false;
  bool end_of_input_ = false;
  int unconfirmed_ = 0;   // sent bytes, when the deadline for sending was set
  size_t discarded_ = 0;  // bytes while lingering

  // The request being answered:
  std::shared_ptr<AnswerState> answer_;
  std::shared_ptr<void> client_place_;  // of a client that a proxy names
  bool keep_alive_ = false, is_head_ = false, is_http_1_0_ = false;
  bool complete_ = false;  // nothing will be added to the answer
  bool bodyless_ = false;  // a streamed answer whose body is left out
  HttpResponse whole_;     // a streamed answer to HTTP/1.0, until its end
};

}  // namespace heed::detail
