"""A model directory whose model is replaced as heed itself does it."""
import os
import shutil

FILES = ["model.safetensors", "source.spm", "target.spm", "vocab.json", "generation_config.json", "tokenizer_config.json"]


class ModelFolder:
    """Files are copied beside it and renamed into place; config.json goes first and comes last."""

    def __init__(self, path):
        self.path = path
        os.makedirs(path, exist_ok=True)

    def put(self, name, data):
        partial = f"{self.path}/{name}.partial"
        with open(partial, "wb") as file:
            file.write(data)
        os.replace(partial, f"{self.path}/{name}")

    def begin(self, model):
        """Everything but config.json, which is missing until finish()."""
        if os.path.exists(f"{self.path}/config.json"):
            os.remove(f"{self.path}/config.json")
        for name in FILES:
            shutil.copyfile(f"{model}/{name}", f"{self.path}/{name}.partial")
            os.replace(f"{self.path}/{name}.partial", f"{self.path}/{name}")

    def finish(self, model):
        with open(f"{model}/config.json", "rb") as file:
            self.put("config.json", file.read())

    def replace(self, model):
        self.begin(model)
        self.finish(model)

    def damage(self, rng):
        """A model that cannot be opened: its weights are cut, its configuration is none, or a file is missing."""
        kind = rng.choice(["weights", "configuration", "vocabulary"])
        with open(f"{self.path}/config.json", "rb") as file:
            config = file.read()
        os.remove(f"{self.path}/config.json")
        if kind == "weights":
            with open(f"{self.path}/model.safetensors", "rb") as file:
                weights = file.read()
            self.put("model.safetensors", weights[:rng.randrange(len(weights) - 1)])
        elif kind == "vocabulary":
            os.remove(f"{self.path}/vocab.json")
        else:
            config = config[:rng.randrange(len(config) - 2)]
        self.put("config.json", config)
