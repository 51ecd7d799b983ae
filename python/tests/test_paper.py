"""heed.paper against NumPy, and against PyTorch where it is installed."""

import numpy as np
import pytest

import heed
from heed import paper

draw = np.random.default_rng(1)


def normal(*shape):
    return draw.normal(size=shape).astype(np.float32)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def close(actual, expected, tolerance=1e-5):
    np.testing.assert_allclose(actual, expected, atol=tolerance, rtol=tolerance)


def test_scaled_dot_product_attention_is_equation_1():
    query, key, value = normal(3, 8), normal(5, 8), normal(5, 6)
    output, weights = paper.scaled_dot_product_attention(query, key, value)
    expected = softmax(query @ key.T / np.sqrt(8))
    close(weights, expected)
    close(output, expected @ value)
    assert output.dtype == np.float32

    mask = np.where(draw.random((3, 5)) < 0.5, -np.inf, 0)
    mask[:, 0] = 0
    mask[1] = -np.inf
    masked = paper.scaled_dot_product_attention(query, key, value, mask, scale=0.3)
    assert (masked.weights[1] == 0).all() and (masked.output[1] == 0).all()
    rows = [0, 2]
    close(masked.weights[rows], softmax((0.3 * query @ key.T + mask)[rows]))


def test_arguments_may_be_lists_other_types_and_other_orders():
    query = [[1, 0], [0, 1]]
    expected = paper.scaled_dot_product_attention(query, query, query).output
    wide = np.asfortranarray(np.array(query, dtype=np.float64))
    close(paper.scaled_dot_product_attention(wide, wide, wide[:, ::-1][:, ::-1]).output, expected)


def test_shapes_that_do_not_fit_are_named():
    with pytest.raises(heed.UsageError):
        paper.scaled_dot_product_attention(normal(3, 8), normal(5, 7), normal(5, 6))
    with pytest.raises(heed.UsageError):
        paper.positional_encoding(4, 3)


def test_schedule_positions_and_masks():
    assert paper.noam_learning_rate(4000) == pytest.approx(512**-0.5 * 4000**-0.5)
    encoding = paper.positional_encoding(10, 6)
    angles = np.arange(10)[:, None] / 10000 ** (np.arange(3) * 2 / 6)
    close(encoding, np.concatenate([np.sin(angles), np.cos(angles)], axis=1))
    assert paper.causal_mask(2, 3).tolist() == [[0, 0, -np.inf], [0, 0, 0]]
    assert paper.window_mask(3, 3, 1)[0].tolist() == [0, 0, -np.inf]
    close(paper.alibi_bias(2, 3, 3)[0, 0], -(2.0**-4) * np.arange(3))


def test_variants():
    query, key, value = normal(3, 8), normal(5, 8), normal(5, 6)
    close(paper.dot_scores(query, key), query @ key.T)
    weight = normal(8, 8)
    close(paper.general_scores(query, weight, key), query @ weight @ key.T)
    w, u, v = normal(7, 8), normal(7, 8), normal(7)
    additive = np.tanh((query @ w.T)[:, None] + (key @ u.T)[None]) @ v
    close(paper.additive_scores(w, u, v, query, key), additive)
    lengths = np.linalg.norm(query, axis=1)[:, None] * np.linalg.norm(key, axis=1)
    close(paper.cosine_scores(query, key, gain=2), 2 * query @ key.T / lengths)
    places = normal(4, 8)
    location = paper.location_scores(query, places, 5)
    close(location[:, :4], query @ places.T)
    assert (location[:, 4] == -np.inf).all()

    scores = query @ key.T
    close(paper.attend(scores, value).output, softmax(scores) @ value)
    close(paper.attend_hard(scores, value).output, value[scores.argmax(axis=1)])
    centers = paper.predicted_positions(query, w, v, 5)
    close(centers, 5 / (1 + np.exp(-(np.tanh(query @ w.T) @ v)))[:, None])
    local = paper.attend_locally(scores, value, centers, 2)
    assert local.weights.shape == (3, 5)
    distances = np.abs(np.arange(5) - centers)
    assert (local.weights[distances > 2] == 0).all()

    shared = paper.grouped_query_attention(2, normal(3, 8), normal(5, 4), normal(5, 3))
    assert shared.output.shape == (3, 6) and shared.weights.shape == (2, 3, 5)
    assert paper.t5_bias(normal(2, 32), 3, 5, causal=True).shape == (2, 3, 5)
    relative = paper.relative_attention(query, key, value, np.zeros((5, 8)), np.zeros((5, 6)))
    close(relative.output, paper.scaled_dot_product_attention(query, key, value).output)

    x = normal(4, 6)
    close(paper.layer_norm(x, np.ones(6), np.zeros(6)),
          (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5), 1e-4)  # fmt: skip
    close(paper.rms_norm(x, np.ones(6)), x / np.sqrt((x**2).mean(1, keepdims=True) + 1e-5), 1e-4)
    inner, outer = normal(9, 6), normal(6, 9)
    expected = np.maximum(x @ inner.T, 0) @ outer.T
    close(paper.feed_forward(paper.Linear(inner), paper.Linear(outer), x), expected, 1e-4)
    with pytest.raises(heed.UsageError, match="activation"):
        paper.feed_forward(paper.Linear(inner), paper.Linear(outer), x, activation="softplus")
    rotated = paper.rotary_embedding(x)
    close(rotated[0], x[0])
    close(np.linalg.norm(rotated, axis=1), np.linalg.norm(x, axis=1))


def test_the_attention_of_a_model(model_path, model):
    parameters = paper.attention_of(model_path, "encoder.0.self")
    config = model.config
    assert parameters.query.weight.shape == (config["d_model"], config["d_model"])
    x = normal(5, config["d_model"])
    result = paper.multi_head_attention(parameters, config["heads"], x)
    assert result.weights.shape == (config["heads"], 5, 5)
    with pytest.raises(heed.Error, match=r"encoder\.9"):
        paper.attention_of(model_path, "encoder.9.self")


class TestAgainstPyTorch:
    torch = None

    @pytest.fixture(autouse=True)
    def load(self):
        TestAgainstPyTorch.torch = pytest.importorskip("torch")

    def tensor(self, array):
        return self.torch.from_numpy(np.ascontiguousarray(array))

    def test_scaled_dot_product_attention(self):
        functional = self.torch.nn.functional
        for queries, keys, d_k, d_v in [(1, 1, 1, 1), (3, 5, 8, 6), (17, 33, 64, 64)]:
            query, key, value = normal(queries, d_k), normal(keys, d_k), normal(keys, d_v)
            mask = np.where(draw.random((queries, keys)) < 0.3, -np.inf, 0).astype(np.float32)
            mask[:, 0] = 0
            expected = functional.scaled_dot_product_attention(
                *map(self.tensor, (query, key, value)), attn_mask=self.tensor(mask)
            )
            close(paper.scaled_dot_product_attention(query, key, value, mask).output, expected)

    def test_tensors_are_taken_and_results_become_tensors(self):
        x = self.torch.randn(4, 8)
        output = paper.scaled_dot_product_attention(x, x, x).output
        assert self.torch.from_dlpack(output).shape == (4, 8)

    def test_multi_head_attention(self):
        d_model, heads = 12, 3
        peer = self.torch.nn.MultiheadAttention(d_model, heads, batch_first=True)
        query, key, value = (w.detach().numpy() for w in peer.in_proj_weight.chunk(3))
        bias = normal(4, d_model)
        with self.torch.no_grad():
            peer.in_proj_bias.copy_(self.tensor(bias[:3].reshape(-1)))
            peer.out_proj.bias.copy_(self.tensor(bias[3]))
        parameters = paper.AttentionParameters(
            paper.Linear(query, bias[0]), paper.Linear(key, bias[1]),
            paper.Linear(value, bias[2]), paper.Linear(peer.out_proj.weight.detach(), bias[3]),
        )  # fmt: skip
        x, memory = normal(4, d_model), normal(6, d_model)
        with self.torch.no_grad():
            output, weights = peer(
                self.tensor(x)[None], self.tensor(memory)[None], self.tensor(memory)[None],
                average_attn_weights=False,
            )  # fmt: skip
        result = paper.multi_head_attention(parameters, heads, x, memory)
        close(result.output, output[0])
        close(result.weights, weights[0])

    def test_label_smoothing(self):
        logits, labels = normal(5, 7), [0, 6, 3, 3, 1]
        x = self.tensor(logits).requires_grad_()
        loss = self.torch.nn.functional.cross_entropy(
            x, self.torch.tensor(labels), label_smoothing=0.1, reduction="none"
        )
        loss.sum().backward()
        mine = paper.label_smoothed_cross_entropy(logits, labels, 0.1)
        close(mine.smoothed, loss.detach())
        close(mine.gradient, x.grad)

    def test_norms_and_feed_forward(self):
        functional = self.torch.nn.functional
        x, gain, bias = normal(5, 8), normal(8), normal(8)
        close(paper.layer_norm(x, gain, bias),
              functional.layer_norm(*map(self.tensor, (x,)), (8,), self.tensor(gain),
                                    self.tensor(bias)))  # fmt: skip
        close(paper.rms_norm(x, gain),
              functional.rms_norm(self.tensor(x), (8,), self.tensor(gain), eps=1e-5))  # fmt: skip
        inner, outer = paper.Linear(normal(9, 8), normal(9)), paper.Linear(normal(8, 9), normal(8))
        for name in ("relu", "gelu", "gelu-tanh", "silu", "sigmoid", "tanh"):
            hidden = functional.linear(*map(self.tensor, (x, *inner)))
            if name == "gelu-tanh":
                activated = functional.gelu(hidden, approximate="tanh")
            else:
                place = self.torch if name in ("sigmoid", "tanh") else functional
                activated = getattr(place, name)(hidden)
            expected = functional.linear(activated, *map(self.tensor, outer))
            close(paper.feed_forward(inner, outer, x, activation=name), expected, 2e-4)
