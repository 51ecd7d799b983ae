"""Training runs that never were, made from the data of a page of one run: for run_page_test.py."""
import copy
import math

HOSTILE = "<script>document.title='x'</script><img src=x onerror=alert(1)>\"'&amp;{{data}}\u202eabc\u202c\u0000</td>"


def columns(count, seed):
    """The reports of a run that never was."""
    steps = [10 * (i + 1) for i in range(count)]
    loss = [2 + seed / 10 + 6 * math.exp(-i / 200) + 0.05 * math.sin(i * (seed + 1)) for i in range(count)]
    return {
        "step": steps, "epoch": [step / 1600 for step in steps], "loss": loss,
        "nll": [value - 0.7 for value in loss], "learning_rate": [0.001 / (i + 1) for i in range(count)],
        "gradient_norm": [1 + (i * seed) % 3 for i in range(count)],
        "tokens_per_second": [5000.5 + seed for _ in range(count)],
        "seconds": [2.5 * (i + 1) for i in range(count)], "memory": [3 * 2**30 + i for i in range(count)],
    }


def validations(train, every, bleu):
    rows = range(every - 1, len(train["step"]), every)
    loss = [train["loss"][i] + 0.1 for i in rows]
    return {
        "step": [train["step"][i] for i in rows], "epoch": [train["epoch"][i] for i in rows],
        "loss": loss, "perplexity": [math.exp(x - 0.7) for x in loss],
        "bleu": [30 - x if bleu else None for x in loss], "chrf": [60 - x if bleu else None for x in loss],
        "best": [x <= min(loss[: i + 1]) for i, x in enumerate(loss)],
        "seconds": [train["seconds"][i] + 1 for i in rows],
    }


def five(data):
    [run] = data["runs"]
    data["runs"] = []
    for i in range(5):
        train = columns(2000, i)
        data["runs"].append({**copy.deepcopy(run), "name": f"runs/number-{i}", "train": train, "step": 20000,
                             "validation": validations(train, 100, i != 3), "sentences": [],
                             "options": {"seed": str(i), "d_model": "512", **({"ema": "0.99"} if i == 2 else {})}})


def hostile(data):
    run = data["runs"][0]
    run["name"] = HOSTILE
    run["bleu_tokenize"] = HOSTILE
    run["options"] = {HOSTILE: HOSTILE, "long": "x" * 20000, "direction": "שלום \u202e"}
    run["train"] = columns(20, 1)
    run["validation"] = validations(run["train"], 5, True)
    samples = [{"step": 50 * (i + 1), "output": HOSTILE * (i * 60 + 1), "score": None, "block": 10**6 + i} for i in range(3)]
    run["sentences"] = [{"source": HOSTILE * 200, "reference": "שלום עולם", "samples": samples}]


def one_report(data):
    run = data["runs"][0]
    run["train"] = {name: values[:1] for name, values in columns(1, 0).items()}
    run["validation"] = {name: [] for name in validations(columns(1, 0), 1, False)}
    run.update(sentences=[], average=None, state="running", fraction_done=0.0005, seconds_left=4000)
    data["live"] = True


def without_validation(data):
    one_report(data)
    data["runs"][0]["train"] = columns(50, 0)
    data["runs"][0]["train"]["memory"] = [None] * 50


def diverged(data):
    run = data["runs"][0]
    run["train"] = columns(40, 1)
    run["validation"] = validations(run["train"], 10, True)
    for name in ("loss", "nll", "gradient_norm"):
        run["train"][name][5] = None
        run["train"][name][30:] = [None] * 10
    run["validation"]["loss"][3] = run["validation"]["perplexity"][3] = None
    run["validation"]["bleu"][3] = 0.0
    run.update(sentences=[], state="interrupted", fraction_done=None)


def nothing(data):
    run = data["runs"][0]
    for part in ("train", "validation"):
        run[part] = {name: [] for name in run[part]}
    run.update(sentences=[], options={}, model=None, parameters=None, average=None, step=0, epoch=0, seconds=0)
