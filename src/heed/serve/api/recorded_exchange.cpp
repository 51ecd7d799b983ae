#include "heed/serve/api/recorded_exchange.h"

namespace heed {

constexpr int kClientGone = 499;  // nginx's

void RecordedExchange::Record::end(int status) {
  if (ended.exchange(true)) return;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begun;
  call(status, seconds.count());
}

RecordedExchange::RecordedExchange(std::shared_ptr<HttpExchange> exchange,
                                   std::vector<HttpHeader> headers, Ended ended)
    : exchange_(std::move(exchange)),
      headers_(std::move(headers)),
      record_(std::make_shared<Record>()) {
  record_->call = std::move(ended);
  on_gone([] {});
}

RecordedExchange::~RecordedExchange() {
  record_->end(500);
}

void RecordedExchange::respond(HttpResponse response) {
  response.headers.insert(response.headers.end(), headers_.begin(), headers_.end());
  record_->end(response.status);  // before the client sees the answer, and asks for the metrics
  exchange_->respond(std::move(response));
}

void RecordedExchange::begin(HttpResponse head) {
  status_ = head.status;
  head.headers.insert(head.headers.end(), headers_.begin(), headers_.end());
  exchange_->begin(std::move(head));
}

void RecordedExchange::end() {
  record_->end(status_);
  exchange_->end();
}

void RecordedExchange::on_gone(std::function<void()> gone) {
  exchange_->on_gone([record = record_, gone = std::move(gone)] {
    record->end(kClientGone);
    gone();
  });
}

}  // namespace heed
