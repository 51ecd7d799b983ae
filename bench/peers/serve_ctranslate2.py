#!/usr/bin/env python3
"""A translation server as one would write it on CTranslate2: FastAPI and uvicorn, two workers of one thread.

Answers POST /translate {"q": "..."} with {"translatedText": "..."}, as heed serve does. Requests are
gathered for up to --gather milliseconds and translated together; with --gather 0 each is translated
alone, as in the example of CTranslate2's documentation. bench/peers/serve_speed.py runs it.

Needs: fastapi, uvicorn[standard], ctranslate2 and sentencepiece from PyPI.
"""
import argparse, asyncio
from contextlib import asynccontextmanager

import ctranslate2, sentencepiece, uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

MOST = 64  # sentences that are translated together


class Request(BaseModel):
    q: str
    source: str = ""
    target: str = ""


class Gatherer:
    """Collects requests until there are MOST, or the first has waited for `seconds`."""

    def __init__(self, translator, options, seconds):
        self.translator, self.options, self.seconds = translator, options, seconds
        self.queue = asyncio.Queue()

    async def translate(self, pieces):
        done = asyncio.get_running_loop().create_future()
        await self.queue.put((pieces, done))
        return await done

    async def run(self):
        while True:
            batch = [await self.queue.get()]
            end = asyncio.get_running_loop().time() + self.seconds
            while len(batch) < MOST:
                try:
                    batch.append(self.queue.get_nowait())
                except asyncio.QueueEmpty:
                    left = end - asyncio.get_running_loop().time()
                    if left <= 0:
                        break
                    try:
                        batch.append(await asyncio.wait_for(self.queue.get(), left))
                    except asyncio.TimeoutError:
                        break
            asyncio.create_task(self.answer(batch))

    async def answer(self, batch):
        # A thread waits for the result; the translator's own workers compute it.
        results = await asyncio.to_thread(self.translator.translate_batch, [pieces for pieces, _ in batch], **self.options)
        for (_, done), result in zip(batch, results):
            if not done.done():
                done.set_result(result.hypotheses[0])


def make_app(o):
    sp = sentencepiece.SentencePieceProcessor(model_file=f"{o.tokenizer}/source.spm")
    translator = ctranslate2.Translator(o.model, device="cpu", compute_type=o.compute, inter_threads=2, intra_threads=1)
    options = dict(beam_size=o.beam, max_batch_size=MOST, batch_type="examples")
    gatherer = Gatherer(translator, options, o.gather / 1000)

    @asynccontextmanager
    async def lifespan(_):
        task = asyncio.create_task(gatherer.run()) if o.gather > 0 else None
        yield
        if task:
            task.cancel()

    app = FastAPI(lifespan=lifespan)

    @app.post("/translate")
    async def translate(request: Request):
        pieces = sp.encode(request.q, out_type=str) + ["</s>"]
        if o.gather > 0:
            hypothesis = await gatherer.translate(pieces)
        else:
            hypothesis = (await asyncio.to_thread(translator.translate_batch, [pieces], **options))[0].hypotheses[0]
        return {"translatedText": sp.decode(hypothesis)}

    return app


if __name__ == "__main__":
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--model", required=True, help="a model of CTranslate2")
    a.add_argument("--tokenizer", required=True, help="the directory of source.spm")
    a.add_argument("--compute", default="int8_float32")
    a.add_argument("--beam", type=int, default=4)
    a.add_argument("--gather", type=float, default=5)
    a.add_argument("--port", type=int, default=5001)
    o = a.parse_args()
    uvicorn.run(make_app(o), host="127.0.0.1", port=o.port, log_level="warning", access_log=False)
