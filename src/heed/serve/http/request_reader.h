// Reads the requests of one connection from its bytes, without a socket.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "heed/serve/http/message.h"

namespace heed::detail {

// A strict parser: text that two implementations could read differently is an error. Bytes beyond
// the current request are kept for the next one; the caller bounds them (buffered()).
class RequestReader {
 public:
  explicit RequestReader(const HttpLimits& limits);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  enum class State {
    head,      // before or within the request line and headers
    body,      // the headers are read
    complete,  // take() returns the request
    failed     // nothing more can be read
  };
  State state() const { return state_; }

  // Adds received bytes, to be read by advance().
  void feed(std::string_view bytes) { buffer_ += bytes; }
  // Reads as far as the bytes go; stops after the headers, so that the caller sees State::body for
  // every request, and before the next request.
  State advance();
  // The answer to a request that is not valid HTTP; the connection is closed afterwards.
  const HttpError& error() const { return error_; }

  // Whether a byte of the current request is there.
  bool begun() const { return state_ != State::head || !buffer_.empty(); }
  // Bytes that are not part of a read head or body.
  size_t buffered() const { return buffer_.size(); }

  // The following are known from State::body on.
  // The memory of the body.
  size_t body_bytes() const { return request_.body.empty() ? 0 : request_.body.capacity(); }
  bool expects_continue() const { return expects_continue_; }
  bool keep_alive() const { return keep_alive_; }
  bool is_http_1_0() const { return version_ == 10; }

  // The complete request, without `client`; State::head follows.
  HttpRequest take();

  // For a request that is answered with an error before it is complete: releases the bytes read of
  // it, since the connection may stay open for a while. State::failed follows.
  void abandon();

 private:
  class Parser;
  void read_head();
  void read_body();

  const int64_t header_bytes_, body_limit_;
  State state_ = State::head;
  std::string buffer_;
  size_t searched_ = 0;             // bytes of buffer_ in which there is no end of the headers
  std::unique_ptr<Parser> parser_;  // within a request
  HttpRequest request_;
  bool expects_continue_ = false, keep_alive_ = false;
  int version_ = 11;
  HttpError error_{400, ""};
};

}  // namespace heed::detail
