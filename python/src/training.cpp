#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>

#include <map>
#include <mutex>

#include "heed/heed.h"
#include "options.h"

namespace heed::python {
namespace {

// Calls the methods of a Python object, and stops the run for Ctrl-C.
class PythonObserver : public TrainObserver {
 public:
  explicit PythonObserver(nb::object observer) : observer_(std::move(observer)) {}
  ~PythonObserver() override {
    const nb::gil_scoped_acquire acquire;
    observer_.reset();
  }

  void message(const std::string& text) override { call("message", with_option_names(text)); }
  void warning(const std::string& text) override { call("warning", with_option_names(text)); }
  void report(const TrainReport& report) override { call("report", report); }
  void validated(const ValidationReport& report) override { call("validated", report); }
  void preparing() override { check_signals_(); }

  // After Ctrl-C the run is saved; its exception is thrown by rethrow_interrupt().
  bool stop_requested() override {
    try {
      check_signals_();
    } catch (const nb::python_error&) {
      interrupt_ = std::current_exception();
    }
    if (interrupt_) return true;
    const nb::gil_scoped_acquire acquire;
    return nb::cast<bool>(observer_.attr("stop_requested")());
  }

  // For Python's garbage collector: a callback may refer to its own Trainer.
  nb::handle python_object() const { return observer_; }
  void forget_python_object() { observer_ = nb::none(); }

  void rethrow_interrupt() {
    if (interrupt_) std::rethrow_exception(interrupt_);
  }

 private:
  template <class T>
  void call(const char* method, const T& value) {
    const nb::gil_scoped_acquire acquire;
    observer_.attr(method)(value);
  }

  nb::object observer_;
  SignalCheck check_signals_;
  std::exception_ptr interrupt_;
};

const char* name_of(TrainEnd end) {
  switch (end) {
    case TrainEnd::limit_reached:
      return "limit reached";
    case TrainEnd::out_of_patience:
      return "out of patience";
    case TrainEnd::stopped:
      return "stopped";
  }
  return "";
}

TrainResult train_model(const nb::dict& arguments, nb::object python_observer) {
  const auto options = options_from<TrainOptions>(arguments, "train");
  PythonObserver observer(std::move(python_observer));
  const nb::gil_scoped_release release;
  const TrainResult result = heed::train(options, observer);
  observer.rethrow_interrupt();
  return result;
}

// heed::Trainer with all that it needs. One call at a time: a second one is refused.
class OpenTrainer {
 public:
  OpenTrainer(const nb::dict& arguments, nb::object observer)
      : observer_(std::move(observer)), options_(options_from<TrainOptions>(arguments, "Trainer")) {
    const nb::gil_scoped_release release;
    validate(options_);
    parts_ = std::make_unique<Parts>(options_, observer_);
  }
  ~OpenTrainer() {
    if (!process_.is_this()) static_cast<void>(parts_.release());
  }
  OpenTrainer(const OpenTrainer&) = delete;
  OpenTrainer& operator=(const OpenTrainer&) = delete;

  static int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self)) return 0;
    Py_VISIT(nb::inst_ptr<OpenTrainer>(self)->observer_.python_object().ptr());
    return 0;
  }
  static int clear(PyObject* self) {
    nb::inst_ptr<OpenTrainer>(self)->observer_.forget_python_object();
    return 0;
  }

  // Runs `function` on the trainer, without the GIL.
  template <class Function>
  auto use(const Function& function) {
    const nb::gil_scoped_release release;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) fail_usage("this Trainer is in use, by another thread or by its own callback");
    process_.expect_this("Trainer");
    return function(parts_->trainer);
  }

 private:
  struct Parts {
    Parts(const TrainOptions& given, TrainObserver& observer)
        : text(open_training_text(given, observer)),
          options(with_chosen_settings(given, text, observer)),
          backend(make_backend({options.compute, options.device}, Purpose::training)),
          trainer(options, text, *backend, observer, measures_of(options, text, observer)) {}
    TrainingText text;
    TrainOptions options;
    std::unique_ptr<Backend> backend;
    Trainer trainer;
  };

  OwnProcess process_;
  PythonObserver observer_;
  const TrainOptions options_;
  std::mutex mutex_;
  std::unique_ptr<Parts> parts_;
};

void bind_reports(nb::module_& m) {
  nb::class_<TrainReport>(m, "TrainReport", "Progress and metrics of a run, after a step.")
      .def_ro("step", &TrainReport::step, "Steps done.")
      .def_ro("epoch", &TrainReport::epoch, "1.5: in the middle of the second epoch.")
      .def_ro("loss", &TrainReport::loss,
              "With label smoothing, per target token; mean since the last report.")
      .def_ro("nll", &TrainReport::nll,
              "Without label smoothing, per target token; mean since the last report.")
      .def_ro("learning_rate", &TrainReport::learning_rate, "Of the last step.")
      .def_ro("gradient_norm", &TrainReport::gradient_norm, "Of the last step, before clipping.")
      .def_ro("tokens_per_second", &TrainReport::tokens_per_second,
              "(source + target tokens) / 2, </s> included, per second.")
      .def_ro("seconds", &TrainReport::seconds, "Of the run, earlier processes included.")
      .def_ro("fraction_done", &TrainReport::fraction_done, "Of the run, 0 to 1.")
      .def_ro("seconds_left", &TrainReport::seconds_left, "Estimated.")
      .def_ro("memory", &TrainReport::memory, "Bytes in memory (resident), of the whole process.")
      .def_ro("stage", &TrainReport::stage, "With corpora the stage, from 1, else None.")
      .def_prop_ro(
          "corpora",
          [](const TrainReport& r) {
            std::map<std::string, int64_t> drawn;
            for (const CorpusCount& corpus : r.corpora) drawn[corpus.name] = corpus.examples;
            return drawn;
          },
          "With corpora the examples drawn of each, by its name.")
      .def("__repr__", &repr_of);
  nb::class_<ValidationReport>(m, "ValidationReport", "The result of a validation.")
      .def_ro("step", &ValidationReport::step, "Steps done.")
      .def_ro("epoch", &ValidationReport::epoch, "1.5: in the middle of the second epoch.")
      .def_ro("train_loss", &ValidationReport::train_loss, "Of the epoch that just ended, or None.")
      .def_ro("loss", &ValidationReport::loss, "With label smoothing, or None.")
      .def_ro("perplexity", &ValidationReport::perplexity, "Per target token, or None.")
      .def_prop_ro(
          "bleu", [](const ValidationReport& r) { return r.score("bleu"); },
          "With validation_metric=\"bleu\" or \"chrf\", else None.")
      .def_prop_ro(
          "chrf", [](const ValidationReport& r) { return r.score("chrf"); },
          "With validation_metric=\"bleu\" or \"chrf\", else None.")
      .def_prop_ro(
          "brackets", [](const ValidationReport& r) { return r.score("brackets"); },
          "F1, with validation_metric=\"brackets\", else None.")
      .def_prop_ro(
          "accuracy", [](const ValidationReport& r) { return r.score("accuracy"); },
          "Of a tagger or a classifier, else None.")
      .def_prop_ro(
          "texts",
          [](const ValidationReport& r) {
            std::map<std::string, std::map<std::string, double>> texts;
            for (const TextValidation& text : r.texts) {
              auto& numbers = texts[text.name];
              if (text.loss) numbers["loss"] = *text.loss;
              if (text.perplexity) numbers["perplexity"] = *text.perplexity;
              for (const Score& score : text.scores) numbers[score.name] = score.value;
            }
            return texts;
          },
          "The numbers of each further validation text, by its name and theirs.")
      .def_ro("best", &ValidationReport::best, "Whether it is better than all before.")
      .def_ro("seconds", &ValidationReport::seconds, "Of the run, earlier processes included.")
      .def("__repr__", &repr_of);
  nb::class_<Progress>(m, "Progress", "How far a run is.")
      .def_ro("step", &Progress::step, "Steps done.")
      .def_ro("epoch", &Progress::epoch, "Epochs done.")
      .def_ro("batch", &Progress::batch, "Batches of the current epoch done.")
      .def_ro("since_best", &Progress::since_best, "Validations since the best one.")
      .def_ro("best", &Progress::best, "The score of the best validation, or None.")
      .def_ro("seconds", &Progress::seconds, "Of the run, earlier processes included.")
      .def("__repr__", &repr_of);
  nb::class_<TrainResult>(m, "TrainResult", "How a run ended.")
      .def_prop_ro(
          "end", [](const TrainResult& r) { return name_of(r.end); },
          "\"limit reached\", \"out of patience\" or \"stopped\".")
      .def_ro("progress", &TrainResult::progress, "How far it came.")
      .def("__repr__", &repr_of);
}

}  // namespace

void bind_training(nb::module_& m) {
  bind_reports(m);
  m.def("train", &train_model, nb::arg("options"), nb::arg("observer"));
  static PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(&OpenTrainer::traverse)},
                                {Py_tp_clear, reinterpret_cast<void*>(&OpenTrainer::clear)},
                                {0, nullptr}};
  nb::class_<OpenTrainer>(m, "Trainer", nb::type_slots(slots), "Used by heed.Trainer.")
      .def(nb::init<const nb::dict&, nb::object>(), nb::arg("options"), nb::arg("observer"))
      .def_prop_ro("done", [](OpenTrainer& t) { return t.use([](auto& x) { return x.done(); }); })
      .def("step", [](OpenTrainer& t) { t.use([](Trainer& x) { x.step(); }); })
      .def_prop_ro(
          "validation_due",
          [](OpenTrainer& t) { return t.use([](Trainer& x) { return x.validation_due(); }); })
      .def("validate",
           [](OpenTrainer& t) { return t.use([](Trainer& x) { return x.validate(); }); })
      .def_prop_ro("save_due",
                   [](OpenTrainer& t) { return t.use([](Trainer& x) { return x.save_due(); }); })
      .def("save", [](OpenTrainer& t) { t.use([](Trainer& x) { x.save(); }); })
      .def("finish", [](OpenTrainer& t) { t.use([](Trainer& x) { x.finish(); }); })
      .def_prop_ro("progress",
                   [](OpenTrainer& t) { return t.use([](Trainer& x) { return x.progress(); }); });
}

}  // namespace heed::python
