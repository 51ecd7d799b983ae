"""Threads, signals and other processes."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import heed


def test_threads_share_a_model(model, lines):
    expected = model.translate(lines)
    got = [None] * 4

    def work(index):
        got[index] = list(model.translate_iter(lines)) if index % 2 else model.translate(lines)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [expected] * 4


def test_python_runs_while_a_model_translates(model, lines):
    ticks = 0
    done = threading.Event()

    def work():
        model.translate(lines * 40, beam=8)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.wait(0.001):
        ticks += 1
    thread.join()
    assert ticks > 5


@pytest.mark.parametrize("call", ["translate", "iterate", "score", "train"])
def test_ctrl_c_interrupts(call, model_path, text, tmp_path):
    # A process that was started in the background of a shell ignores Ctrl-C, and so would its child.
    code = f"""
import heed, itertools, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
model = heed.Model({str(model_path)!r}, compute="fp32")
lines = ["eins zwei drei vier"] * 200_000
if {call!r} != "train":
    print("ready", flush=True)
if {call!r} == "translate":
    model.translate(lines, beam=16)
elif {call!r} == "iterate":
    for _ in model.translate_iter(itertools.cycle(lines), beam=16):
        pass
elif {call!r} == "score":
    model.score(lines, lines)
else:
    def ready(report):
        print("ready", flush=True)
    heed.train(source={text["source"]!r}, target={text["target"]!r}, model={str(tmp_path / "m")!r},
               preset="tiny", tokenizer="char", vocabulary_size=60, steps=1_000_000, compute="fp32",
               report_every=5, callback=ready)
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=20)
        finally:
            process.kill()
    assert errors.rstrip().endswith("KeyboardInterrupt")
    if call == "train":
        assert (tmp_path / "m" / "training" / "state.safetensors").exists()


def _translate(model, lines):
    return model.translate(lines)


def test_other_processes_open_the_model_themselves(model, lines):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(_translate, (model, lines)) == model.translate(lines)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of fork with threads
def test_a_forked_process_is_refused(model):
    model.translate(["eins", "zwei"])  # its threads run
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            model.translate("eins")
            os.write(write, b"translated")
        except heed.Error as error:
            os.write(write, str(error).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        message = pipe.read()
    os.waitpid(child, 0)
    assert "before a fork" in message
    assert model.translate("eins") is not None
