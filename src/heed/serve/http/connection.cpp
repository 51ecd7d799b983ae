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

// How long, and for how many bytes, a connection that is being closed takes what the client still
// sends: closing a socket with unread bytes resets the connection, and the client may then lose the
// answer that it has not read.
constexpr auto kLinger = std::chrono::seconds(2);
constexpr size_t kLingerBytes = 16 << 20;
// How often a client is looked at from which nothing can be read, since its bytes fill the buffer.
constexpr auto kPeerCheck = std::chrono::milliseconds(250);
// How long a new connection may take to send its first request when the server ends.
constexpr auto kFirstRequest = std::chrono::seconds(1);
// Bytes that the system keeps for a client besides those on their way: few, so that unsent() tells
// a producer what its client has not read.
constexpr int kUnsentInSystem = 128 << 10;

// Bytes that the system has taken and the client's system has not confirmed.
int unconfirmed_bytes(int socket) {
  int bytes = 0;
  return ::ioctl(socket, TIOCOUTQ, &bytes) == 0 ? bytes : 0;
}

void set_option(int socket, int level, int name, int value) {
  ::setsockopt(socket, level, name, &value, sizeof(value));
}

}  // namespace

Connection::Connection(ServerCore& core, Socket socket)
    : core_(core),
      socket_(std::move(socket)),
      peer_(peer_address(socket_.native_handle())),
      timer_(core.io),
      idle_(core.idle.end()),
      reader_(core.limits),
      body_(core.memory) {
  core_.connections.insert(this);
  ++core_.open;
  if (peer_ == "unix") return;
  // A client whose machine or network fails is noticed after about two minutes.
  const int handle = socket_.native_handle();
  set_option(handle, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(handle, IPPROTO_TCP, TCP_NOTSENT_LOWAT, kUnsentInSystem);
  set_option(handle, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(handle, IPPROTO_TCP, TCP_KEEPIDLE, 60);
  set_option(handle, IPPROTO_TCP, TCP_KEEPINTVL, 15);
  set_option(handle, IPPROTO_TCP, TCP_KEEPCNT, 4);
}

Connection::~Connection() {
  try {
    close();
  } catch (const std::exception&) {
    // The socket's destructor closes it.
  }
}

void Connection::start(std::shared_ptr<void> place) {
  place_ = std::move(place);
  enter(Stage::idle);
  wait_readable();
}

void Connection::refuse(const HttpError& error) {
  refused_ = true;
  ++core_.refusing;
  answer_error(error);
}

void Connection::drain() {
  const auto has_no_headers = [&] {
    return stage_ == Stage::idle ||
           (stage_ == Stage::reading && reader_.state() == RequestReader::State::head);
  };
  keep_alive_ = false;
  if (has_no_headers()) read();  // they may wait in the socket
  if (!has_no_headers()) return;
  if (!is_new_) return close();
  set_deadline(kFirstRequest);
}

void Connection::close() {
  if (stage_ == Stage::closed) return;
  enter(Stage::closed);
  core_.connections.erase(this);
  --core_.open;
  if (refused_) --core_.refusing;
  timer_.cancel();
  error_code ignored;
  socket_.close(ignored);
  body_.clear();
  if (answer_) answer_->sent(outbox_.payload());
  outbox_ = {};
  count_unsent();
  place_.reset();
  client_place_.reset();
  if (const auto answer = std::move(answer_)) answer->client_gone();
  core_.closed();
}

void Connection::enter(Stage stage) {
  if (stage_ == Stage::idle) core_.idle.erase(idle_);
  stage_ = stage;
  clear_deadline();
  peer_check_ = Clock::time_point::max();
  if (stage != Stage::idle) return;
  idle_ = core_.idle.insert(core_.idle.end(), this);
  set_deadline(core_.limits.idle);
}

// Reading requests.

void Connection::advance() {
  using State = RequestReader::State;
  while (stage_ == Stage::idle || stage_ == Stage::reading) {
    const State before = reader_.state();
    if (stage_ == Stage::idle) {
      if (!reader_.begun()) break;
      enter(Stage::reading);
      set_deadline(core_.draining
                       ? std::min<std::chrono::milliseconds>(kFirstRequest, core_.limits.headers)
                       : core_.limits.headers);
    }
    const State after = reader_.advance();
    if (after == State::failed) return answer_error(reader_.error());
    if (after == State::head) break;
    if (before == State::head) {
      ++core_.requests;
      is_new_ = false;
      set_deadline(core_.limits.body);
      if (reader_.expects_continue() && reader_.buffered() == 0) {
        outbox_.add("HTTP/1.1 100 Continue\r\n\r\n");
        flush();
      }
      continue;
    }
    if (!body_.try_set(int64_t(reader_.body_bytes())))
      return answer_error({503, "the server has no memory left for this request: try again later"});
    if (after == State::complete) return begin_answer();
    break;
  }
  wait_readable();
}

void Connection::begin_answer() {
  enter(Stage::answering);
  keep_alive_ = reader_.keep_alive() && !core_.draining;
  is_http_1_0_ = reader_.is_http_1_0();
  HttpRequest request = reader_.take();
  is_head_ = request.method == "HEAD";
  if (is_head_) request.method = "GET";
  request.client = core_.proxies.client(peer_, request);
  complete_ = bodyless_ = false;
  answer_ = std::make_shared<AnswerState>(core_.memory);

  const std::shared_ptr<ServerCore> core = core_.shared_from_this();
  const auto deliver = [core, self = weak_from_this(), state = answer_](AnswerPart part) {
    core->post([self, state, part = std::move(part)]() mutable {
      if (const auto connection = self.lock()) connection->deliver(state, std::move(part));
    });
  };
  if (core_.is_proxy(peer_) && request.client != peer_ &&
      !(client_place_ = core_.places.take(request.client))) {
    ++core_.refused;
    const HttpError error = core_.too_many_connections();
    HttpResponse response = error_response(error.status, error.sentence);
    response.headers.push_back({"Retry-After", "1"});
    deliver({.response = std::move(response), .bytes = {}});
    return wait_readable();
  }
  const auto post = [core](std::function<void()> task) { core->post(std::move(task)); };
  auto exchange = make_exchange(std::move(request), body_, core_.memory, {answer_, deliver, post});
  try {
    core_.handler(std::move(exchange));
  } catch (const std::exception&) {
    // The exchange answers with status 500 when it is destroyed.
  }
  wait_readable();
}

// Answering.

void Connection::deliver(const std::shared_ptr<AnswerState>& state, AnswerPart part) {
  if (state != answer_ || stage_ != Stage::answering || complete_) return;
  switch (part.kind) {
    case AnswerPart::Kind::whole: {
      const size_t written = part.response.body.size();
      return send_whole(std::move(part.response), written);
    }
    case AnswerPart::Kind::begin:
      return begin_stream(std::move(part.response));
    case AnswerPart::Kind::chunk:
      return send_chunk(part.bytes);
    case AnswerPart::Kind::end:
      return end_stream();
    case AnswerPart::Kind::aborted:
      return abort_stream();
  }
}

// Of the body, `written` bytes are counted as unsent.
void Connection::send_whole(HttpResponse response, size_t written) {
  outbox_.add(response_head(response, response.body.size(),
                            keep_alive_ ? Connectedness::keep_alive : Connectedness::close));
  if (is_head_ || !has_body(response.status))
    answer_->sent(written);
  else
    outbox_.add(std::move(response.body), written);
  complete_answer();
}

void Connection::begin_stream(HttpResponse head) {
  bodyless_ = is_head_ || !has_body(head.status);
  const std::string first = std::exchange(head.body, {});
  if (is_http_1_0_)
    whole_ = std::move(head);
  else
    outbox_.add(response_head(head, std::nullopt,
                              keep_alive_ ? Connectedness::keep_alive : Connectedness::close));
  send_chunk(first);
}

void Connection::send_chunk(const std::string& bytes) {
  const auto most = size_t(core_.limits.unsent_bytes);
  if (is_http_1_0_) {
    whole_.body += bytes;
    if (whole_.body.size() <= most) return;
    drop_whole();
    answer_->client_gone();  // its producer need not go on
    return send_whole(error_response(500, "the answer is too long for HTTP/1.0: use HTTP/1.1"), 0);
  }
  if (bodyless_)
    answer_->sent(bytes.size());
  else
    outbox_.add(chunk_bytes(bytes), bytes.size());
  flush();
  if (outbox_.payload() > most) close();
}

void Connection::drop_whole() {
  answer_->sent(whole_.body.size());
  whole_ = {};
}

void Connection::end_stream() {
  if (is_http_1_0_) {
    const size_t written = whole_.body.size();
    return send_whole(std::exchange(whole_, {}), written);
  }
  if (!bodyless_) outbox_.add(std::string(kLastChunk));
  complete_answer();
}

void Connection::abort_stream() {
  keep_alive_ = false;
  if (is_http_1_0_) {
    drop_whole();
    return send_whole(error_response(500, "the answer was not completed"), 0);
  }
  complete_answer();  // without its last chunk
}

void Connection::complete_answer() {
  complete_ = true;
  answer_->complete();
  flush();
}

void Connection::answer_error(const HttpError& error) {
  reader_.abandon();
  body_.clear();
  HttpResponse response = error_response(error.status, error.sentence);
  if (error.status == 503 || error.status == 429) response.headers.push_back({"Retry-After", "1"});
  outbox_.add(response_head(response, response.body.size(), Connectedness::close));
  outbox_.add(std::move(response.body));
  finish();
}

void Connection::after_answer() {
  answer_.reset();
  client_place_.reset();
  if (!keep_alive_ || end_of_input_ || core_.draining) return finish();
  enter(Stage::idle);
  advance();
}

void Connection::finish() {
  enter(Stage::finishing);
  flush();
}

// Bytes.

void Connection::wait_readable() {
  if (waits_readable_ || end_of_input_ || stage_ == Stage::closed) return;
  if (stage_ == Stage::answering && int64_t(reader_.buffered()) >= core_.limits.header_bytes) {
    peer_check_ = Clock::now() + kPeerCheck;
    return arm_timer();
  }
  waits_readable_ = true;
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](error_code error) {
    self->waits_readable_ = false;
    if (!error && self->stage_ != Stage::closed) self->read();
  });
}

void Connection::read() {
  size_t room = core_.scratch.size();
  const bool in_body = stage_ == Stage::reading && reader_.state() == RequestReader::State::body;
  const bool discards = stage_ == Stage::finishing || stage_ == Stage::lingering;
  if (!discards && !in_body) {
    // One byte more than headers may have, which shows that they are too long.
    const auto most = size_t(core_.limits.header_bytes) + 1;
    if (reader_.buffered() >= most) return wait_readable();
    room = std::min(room, most - reader_.buffered());
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
      reader_.feed(bytes);
      return advance();
    case Stage::answering:
      reader_.feed(bytes);
      return wait_readable();
    case Stage::finishing:
    case Stage::lingering:
      discarded_ += bytes.size();
      return discarded_ > kLingerBytes ? close() : wait_readable();
    case Stage::closed:
      return;
  }
}

void Connection::end_of_input() {
  end_of_input_ = true;
  // A complete answer is sent to its end, to a client that may have closed its sending side only.
  const bool sending = stage_ == Stage::finishing || (stage_ == Stage::answering && complete_);
  if (!sending) close();
}

void Connection::flush() {
  if (stage_ == Stage::closed) return;
  if (!outbox_.empty()) {
    const Outbox::Progress progress = outbox_.send(socket_.native_handle());
    if (answer_) answer_->sent(progress.sent_payload);
    if (progress.failed) return close();
    count_unsent();
    if (!outbox_.empty()) {
      const bool sending = stage_ == Stage::answering || stage_ == Stage::finishing;
      const bool first = deadline_ == Clock::time_point::max();
      if (sending && (first || progress.sent_bytes > 0)) {
        unconfirmed_ = unconfirmed_bytes(socket_.native_handle());
        set_deadline(core_.limits.write);
      }
      wait_writable();
      return core_.bound_unsent();
    }
  }
  if (stage_ == Stage::answering) {
    clear_deadline();
    if (complete_) after_answer();
  } else if (stage_ == Stage::finishing) {
    if (end_of_input_) return close();
    ::shutdown(socket_.native_handle(), SHUT_WR);
    enter(Stage::lingering);
    set_deadline(kLinger);
    wait_readable();
  }
}

void Connection::count_unsent() {
  core_.unsent_bytes += int64_t(outbox_.bytes()) - unsent_;
  unsent_ = int64_t(outbox_.bytes());
  if (outbox_.empty() == !unsent_place_) return;
  if (unsent_place_) {
    core_.unsent.erase(*unsent_place_);
    unsent_place_.reset();
  } else {
    unsent_place_ = core_.unsent.insert(core_.unsent.end(), this);
  }
}

void Connection::wait_writable() {
  if (waits_writable_) return;
  waits_writable_ = true;
  socket_.async_wait(Socket::wait_write, [self = shared_from_this()](error_code error) {
    self->waits_writable_ = false;
    if (!error) self->flush();
  });
}

// Time.

void Connection::set_deadline(std::chrono::milliseconds from_now) {
  deadline_ = Clock::now() + from_now;
  arm_timer();
}

void Connection::clear_deadline() {
  deadline_ = Clock::time_point::max();
}

// A deadline that moves away leaves the timer as it is: when it expires, it is set again.
void Connection::arm_timer() {
  const Clock::time_point next = std::min(deadline_, peer_check_);
  if (next >= armed_for_) return;
  armed_for_ = next;
  timer_.expires_at(next);
  timer_.async_wait([self = shared_from_this()](error_code error) {
    if (!error && self->stage_ != Stage::closed) self->on_timer();
  });
}

void Connection::on_timer() {
  armed_for_ = Clock::time_point::max();
  const Clock::time_point now = Clock::now();
  if (peer_check_ <= now) {
    peer_check_ = now + kPeerCheck;
    if (has_peer_gone()) return end_of_input();
  }
  if (deadline_ <= now) return deadline_passed();
  arm_timer();
}

void Connection::deadline_passed() {
  clear_deadline();
  if (stage_ == Stage::answering || stage_ == Stage::finishing) {
    // The system asks for more only when much of what it has is sent; a slow client is one whose
    // system confirms none of it.
    const int unconfirmed = unconfirmed_bytes(socket_.native_handle());
    if (unconfirmed >= unconfirmed_) return close();
    unconfirmed_ = unconfirmed;
    return set_deadline(core_.limits.write);
  }
  const bool in_head = reader_.state() == RequestReader::State::head;
  if (stage_ != Stage::reading || (in_head && core_.draining)) return close();
  answer_error({408, in_head ? "the headers of the request took too long to arrive"
                             : "the body of the request took too long to arrive"});
}

bool Connection::has_peer_gone() {
  pollfd look{socket_.native_handle(), POLLRDHUP, 0};
  return ::poll(&look, 1, 0) == 1 && (look.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

}  // namespace heed::detail
