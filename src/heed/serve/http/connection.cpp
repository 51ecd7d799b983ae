#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "heed/serve/http/connection-inl.h"
#include "heed/serve/http/listen_socket.h"
#include "heed/serve/http/response_bytes.h"

namespace heed::detail {
namespace {

using boost::system::error_code;

// A connection that is being closed reads, and discards, what the client still sends, for this time
// and up to this number of bytes: closing a socket with unread bytes resets the connection, and the
// client may then lose the answer that it has not read.
constexpr auto kLinger = std::chrono::seconds(2);
constexpr size_t kLingerBytes = 16 << 20;
// While the bytes of a client fill the buffer, nothing more is read, so reading cannot show that it
// has gone: this is checked at this interval instead.
constexpr auto kPeerCheck = std::chrono::milliseconds(250);
// Time for a new connection to send its first request when the server ends.
constexpr auto kFirstRequest = std::chrono::seconds(1);
// Maximum of bytes that the system keeps for a client besides those on their way: few, so that
// unsent() is about the number of bytes that the client has not read.
constexpr int kUnsentInSystem = 128 << 10;

// Bytes that the system has taken and the client's system has not confirmed.
int unconfirmed_bytes(int socket) {
  int bytes = 0;
  return ::ioctl(socket, TIOCOUTQ, &bytes) == 0 ? bytes : 0;
}

std::string peer_of(const Socket& socket) {
  error_code ignored;
  return peer_address(socket.remote_endpoint(ignored));
}

}  // namespace

Connection::Connection(ServerCore& core, Socket socket)
    : core_(core),
      socket_(std::move(socket)),
      peer_(peer_of(socket_)),
      idle_(core.connections.idle.end()),
      times_(core.io),
      input_(core.limits, core.memory) {
  core_.connections.all.insert(this);
  ++core_.counts.connections;
  if (peer_ == "unix") return;
  const auto set = [&](int level, int name, int value) {
    ::setsockopt(socket_.native_handle(), level, name, &value, sizeof(value));
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(IPPROTO_TCP, TCP_NOTSENT_LOWAT, kUnsentInSystem);
  // A client whose machine or network fails is noticed after about two minutes.
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 60);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 15);
  set(IPPROTO_TCP, TCP_KEEPCNT, 4);
}

Connection::~Connection() {
  try {
    close();
  } catch (const std::exception&) {
    // The socket's destructor closes it.
  }
}

void Connection::start(std::shared_ptr<void> slot) {
  slot_ = std::move(slot);
  enter(Stage::idle);
  wait_readable();
}

void Connection::refuse(const HttpError& error) {
  refused_ = true;
  ++core_.connections.refusing;
  answer_error(error);
}

void Connection::drain() {
  const auto has_no_headers = [&] {
    return stage_ == Stage::idle ||
           (stage_ == Stage::reading && input_.reader.state() == RequestReader::State::head);
  };
  answer_.keep_alive = false;
  if (has_no_headers()) read();  // they may wait in the socket
  if (!has_no_headers()) return;
  if (!input_.is_new) return close();
  set_deadline(kFirstRequest);
}

void Connection::close() {
  if (stage_ == Stage::closed) return;
  enter(Stage::closed);
  core_.connections.all.erase(this);
  --core_.counts.connections;
  if (refused_) --core_.connections.refusing;
  times_.timer.cancel();
  error_code ignored;
  socket_.close(ignored);
  input_.body.clear();
  if (answer_.state) answer_.state->sent(output_.outbox.payload());
  output_.outbox = {};
  count_unsent();
  slot_.reset();
  const Answer answer = std::exchange(answer_, {});
  if (answer.state) answer.state->client_gone();
  core_.closed();
}

void Connection::enter(Stage stage) {
  if (stage_ == Stage::idle) core_.connections.idle.erase(idle_);
  stage_ = stage;
  clear_deadline();
  times_.peer_check = Clock::time_point::max();
  if (stage != Stage::idle) return;
  idle_ = core_.connections.idle.insert(core_.connections.idle.end(), this);
  set_deadline(core_.limits.idle);
}

// Reading requests.

void Connection::advance() {
  using State = RequestReader::State;
  while (stage_ == Stage::idle || stage_ == Stage::reading) {
    const State before = input_.reader.state();
    if (stage_ == Stage::idle) {
      if (!input_.reader.begun()) break;
      enter(Stage::reading);
      set_deadline(core_.draining()
                       ? std::min<std::chrono::milliseconds>(kFirstRequest, core_.limits.headers)
                       : core_.limits.headers);
    }
    const State after = input_.reader.advance();
    if (after == State::failed) return answer_error(input_.reader.error());
    if (after == State::head) break;
    if (before == State::head) {
      ++core_.counts.requests;
      input_.is_new = false;
      set_deadline(core_.limits.body);
      if (input_.reader.expects_continue() && input_.reader.buffered() == 0) {
        output_.outbox.add("HTTP/1.1 100 Continue\r\n\r\n");
        flush();
      }
      continue;
    }
    if (!input_.body.try_set(int64_t(input_.reader.body_bytes())))
      return answer_error(no_memory_error());
    if (after == State::complete) return begin_answer();
    break;
  }
  wait_readable();
}

void Connection::begin_answer() {
  enter(Stage::answering);
  HttpRequest request = input_.reader.take();
  answer_ = {.state = std::make_shared<AnswerState>(core_.memory),
             .client_slot = {},
             .keep_alive = input_.reader.keep_alive() && !core_.draining(),
             .is_head = request.method == "HEAD",
             .is_http_1_0 = input_.reader.is_http_1_0(),
             .whole = {}};
  if (answer_.is_head) request.method = "GET";
  request.client = core_.proxies.client(peer_, request);
  const bool is_behind_proxy = core_.is_proxy(peer_) && request.client != peer_;
  if (is_behind_proxy) answer_.client_slot = core_.client_slots.take(request.client);
  const auto exchange = std::make_shared<HttpExchange>(std::move(request), std::move(input_.body),
                                                       shared_from_this(), answer_.state);
  if (is_behind_proxy && !answer_.client_slot) {
    ++core_.counts.refused;
    exchange->respond(error_response(core_.too_many_connections()));
  } else {
    try {
      core_.handler(exchange);
    } catch (const std::exception&) {
      // The exchange answers with status 500 when it is destroyed.
    }
  }
  wait_readable();
}

// Answering.

bool Connection::is_answering(const AnswerState& answer) const {
  return &answer == answer_.state.get() && stage_ == Stage::answering && !answer.is_complete();
}

void Connection::send_whole(HttpResponse response) {
  output_.outbox.add(response_head(response, response.body.size(), connection_header()));
  const size_t size = response.body.size();
  if (answer_.is_head || !has_body(response.status))
    answer_.state->sent(size);
  else
    output_.outbox.add(std::move(response.body), size);
  complete_answer();
}

void Connection::begin_stream(HttpResponse head) {
  answer_.bodyless = answer_.is_head || !has_body(head.status);
  const std::string first = std::exchange(head.body, {});
  if (answer_.is_http_1_0)
    answer_.whole = std::move(head);
  else
    output_.outbox.add(response_head(head, std::nullopt, connection_header()));
  send_chunk(first);
}

void Connection::send_chunk(const std::string& bytes) {
  const auto limit = size_t(core_.limits.unsent_bytes);
  if (answer_.is_http_1_0) {
    answer_.whole.body += bytes;
    if (answer_.whole.body.size() <= limit) return;
    answer_.state->client_gone();  // its producer need not go on
    return fail_whole("the answer is too long for HTTP/1.0: use HTTP/1.1");
  }
  if (answer_.bodyless)
    answer_.state->sent(bytes.size());
  else
    output_.outbox.add(chunk_bytes(bytes), bytes.size());
  flush();
  if (output_.outbox.payload() > limit) close();
}

// Answers with an error instead of a stream that was not sent yet.
void Connection::fail_whole(const std::string& text) {
  answer_.state->sent(std::exchange(answer_.whole, {}).body.size());
  HttpResponse response = error_response({500, text});
  answer_.state->written(response.body.size());
  send_whole(std::move(response));
}

void Connection::end_stream() {
  if (answer_.is_http_1_0) return send_whole(std::exchange(answer_.whole, {}));
  if (!answer_.bodyless) output_.outbox.add(std::string(kLastChunk));
  complete_answer();
}

void Connection::abort_stream() {
  answer_.keep_alive = false;
  if (answer_.is_http_1_0) return fail_whole("the answer was not completed");
  complete_answer();  // without its last chunk
}

void Connection::complete_answer() {
  answer_.state->complete();
  flush();
}

void Connection::answer_error(const HttpError& error) {
  input_.reader.abandon();
  input_.body.clear();
  HttpResponse response = error_response(error);
  output_.outbox.add(response_head(response, response.body.size(), "close"));
  output_.outbox.add(std::move(response.body));
  finish();
}

void Connection::after_answer() {
  const bool keep_alive = std::exchange(answer_, {}).keep_alive;
  if (!keep_alive || input_.ended || core_.draining()) return finish();
  enter(Stage::idle);
  advance();
}

void Connection::finish() {
  enter(Stage::finishing);
  flush();
}

// Bytes.

void Connection::wait_readable() {
  if (input_.waits || input_.ended || stage_ == Stage::closed) return;
  if (stage_ == Stage::answering &&
      int64_t(input_.reader.buffered()) >= core_.limits.header_bytes) {
    times_.peer_check = Clock::now() + kPeerCheck;
    return arm_timer();
  }
  input_.waits = true;
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](error_code error) {
    self->input_.waits = false;
    if (!error && self->stage_ != Stage::closed) self->read();
  });
}

void Connection::read() {
  size_t room = core_.scratch.size();
  const bool in_body =
      stage_ == Stage::reading && input_.reader.state() == RequestReader::State::body;
  const bool discards = stage_ == Stage::finishing || stage_ == Stage::lingering;
  if (!discards && !in_body) {
    // One byte more than headers may have, which shows that they are too long.
    const auto most = size_t(core_.limits.header_bytes) + 1;
    if (input_.reader.buffered() >= most) return wait_readable();
    room = std::min(room, most - input_.reader.buffered());
  }
  const ssize_t size = ::recv(socket_.native_handle(), core_.scratch.data(), room, MSG_DONTWAIT);
  if (size > 0) return received({core_.scratch.data(), size_t(size)});
  if (size == 0) return end_of_input();
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return wait_readable();
  close();
}

void Connection::received(std::string_view bytes) {
  switch (stage_) {
    case Stage::idle:
    case Stage::reading:
      input_.reader.feed(bytes);
      return advance();
    case Stage::answering:
      input_.reader.feed(bytes);
      return wait_readable();
    case Stage::finishing:
    case Stage::lingering:
      input_.discarded += bytes.size();
      return input_.discarded > kLingerBytes ? close() : wait_readable();
    case Stage::closed:
      return;
  }
}

void Connection::end_of_input() {
  input_.ended = true;
  // A complete answer is sent to its end, to a client that may have closed its sending side only.
  const bool sending =
      stage_ == Stage::finishing || (stage_ == Stage::answering && answer_.state->is_complete());
  if (!sending) close();
}

void Connection::flush() {
  if (stage_ == Stage::closed) return;
  if (!output_.outbox.empty()) {
    const Outbox::Progress progress = output_.outbox.send(socket_.native_handle());
    if (answer_.state) answer_.state->sent(progress.sent_payload);
    if (progress.failed) return close();
    count_unsent();
    if (!output_.outbox.empty()) {
      const bool sending = stage_ == Stage::answering || stage_ == Stage::finishing;
      const bool first = times_.deadline == Clock::time_point::max();
      if (sending && (first || progress.sent_bytes > 0)) {
        output_.unconfirmed = unconfirmed_bytes(socket_.native_handle());
        set_deadline(core_.limits.write);
      }
      wait_writable();
      return core_.bound_unsent();
    }
  }
  if (stage_ == Stage::answering) {
    clear_deadline();
    if (answer_.state->is_complete()) after_answer();
  } else if (stage_ == Stage::finishing) {
    if (input_.ended) return close();
    ::shutdown(socket_.native_handle(), SHUT_WR);
    enter(Stage::lingering);
    set_deadline(kLinger);
    wait_readable();
  }
}

void Connection::count_unsent() {
  core_.counts.unsent_bytes += int64_t(output_.outbox.bytes()) - output_.unsent;
  output_.unsent = int64_t(output_.outbox.bytes());
  if (output_.outbox.empty() == !output_.unsent_place) return;
  if (output_.unsent_place) {
    core_.connections.unsent.erase(*output_.unsent_place);
    output_.unsent_place.reset();
  } else {
    output_.unsent_place = core_.connections.unsent.insert(core_.connections.unsent.end(), this);
  }
}

void Connection::wait_writable() {
  if (output_.waits) return;
  output_.waits = true;
  socket_.async_wait(Socket::wait_write, [self = shared_from_this()](error_code error) {
    self->output_.waits = false;
    if (!error) self->flush();
  });
}

// Time.

void Connection::set_deadline(std::chrono::milliseconds from_now) {
  times_.deadline = Clock::now() + from_now;
  arm_timer();
}

void Connection::clear_deadline() {
  times_.deadline = Clock::time_point::max();
}

// A deadline that moves away leaves the timer as it is: when it expires, it is set again.
void Connection::arm_timer() {
  const Clock::time_point next = std::min(times_.deadline, times_.peer_check);
  if (next >= times_.armed_for) return;
  times_.armed_for = next;
  times_.timer.expires_at(next);
  times_.timer.async_wait([self = shared_from_this()](error_code error) {
    if (!error && self->stage_ != Stage::closed) self->on_timer();
  });
}

void Connection::on_timer() {
  times_.armed_for = Clock::time_point::max();
  const Clock::time_point now = Clock::now();
  if (times_.peer_check <= now) {
    times_.peer_check = now + kPeerCheck;
    if (has_peer_gone()) return end_of_input();
  }
  if (times_.deadline <= now) return deadline_passed();
  arm_timer();
}

void Connection::deadline_passed() {
  clear_deadline();
  if (stage_ == Stage::answering || stage_ == Stage::finishing) {
    // The socket becomes writable only after much of its buffer was sent, so sending to a slow
    // client may seem to stand still. It has stalled if its system confirmed nothing since the last
    // time.
    const int unconfirmed = unconfirmed_bytes(socket_.native_handle());
    if (unconfirmed >= output_.unconfirmed) return close();
    output_.unconfirmed = unconfirmed;
    return set_deadline(core_.limits.write);
  }
  const bool in_head = input_.reader.state() == RequestReader::State::head;
  if (stage_ != Stage::reading || (in_head && core_.draining())) return close();
  answer_error({408, in_head ? "the headers of the request took too long to arrive"
                             : "the body of the request took too long to arrive"});
}

bool Connection::has_peer_gone() {
  pollfd look{socket_.native_handle(), POLLRDHUP, 0};
  return ::poll(&look, 1, 0) == 1 && (look.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

}  // namespace heed::detail
