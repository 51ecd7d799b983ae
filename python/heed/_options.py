"""The types of keyword arguments, for type checkers. Made by tools/make_python_types.py."""

import os
from collections.abc import Mapping, Sequence
from typing import Literal, Optional, TypedDict, Union

Path = Union[str, os.PathLike[str]]


class TrainOptions(TypedDict, total=False):
    """The options of train()."""

    task: Literal["translation", "language-model", "tag", "classify", "parse"]
    source: Union[str, Sequence[str]]
    target: Union[str, Sequence[str]]
    tsv: Union[str, Sequence[str]]
    columns: Union[str, Sequence[str]]
    corpus: Union[Mapping[str, object], Sequence[Mapping[str, object]]]
    stage: Union[Mapping[str, object], Sequence[Mapping[str, object]]]
    text: Union[str, Sequence[str]]
    trees: Union[str, Sequence[str]]
    function_tags: bool
    valid_source: Path
    valid_target: Path
    valid_tsv: Path
    valid_text: Path
    valid_trees: Path
    validation: Union[Mapping[str, object], Sequence[Mapping[str, object]]]
    hold_out: Optional[int]
    model: Path
    source_language: str
    target_language: str
    max_sentence_tokens: int
    max_words: int
    max_ratio: float
    min_word_count: int
    tokenizer: Literal["bpe", "unigram", "word", "char"]
    vocabulary_size: Optional[int]
    vocabulary_lines: Optional[int]
    character_coverage: float
    byte_fallback: bool
    split_digits: bool
    user_symbols: Path
    normalization: Literal["nmt_nfkc", "nfkc", "identity"]
    target_normalization: Literal["nmt_nfkc", "nfkc", "identity"]
    lowercase: bool
    vocabularies: Literal["joint", "separate"]
    tokenizer_model: Path
    source_subword_sampling: float
    target_subword_sampling: float
    vary: Union[str, Sequence[str]]
    guided_alignment: Union[str, Sequence[str]]
    guided_alignment_weight: Optional[float]
    preset: Optional[Literal["tiny", "small", "base", "big"]]
    encoder_layers: Optional[int]
    decoder_layers: Optional[int]
    d_model: Optional[int]
    heads: Optional[int]
    d_ff: Optional[int]
    activation: Literal["relu", "gelu", "gelu-tanh", "silu", "swiglu"]
    tie_embeddings: Literal["all", "decoder", "none"]
    dropout: Optional[float]
    attention_dropout: Optional[float]
    activation_dropout: Optional[float]
    initialization: Optional[Literal["fan-in", "xavier"]]
    finetune_from: Path
    architecture: Literal["transformer", "rnn"]
    cell: Literal["lstm", "gru"]
    input_feeding: Literal["on", "off"]
    attention: Literal["scaled-dot", "dot", "general", "additive", "cosine", "location", "none"]
    attention_reach: str
    key_value_heads: Optional[int]
    d_key: Optional[int]
    d_value: Optional[int]
    share_query_key: bool
    positions: Literal["sinusoidal", "learned", "none", "rotary", "alibi", "relative", "t5"]
    norm: Literal["post", "pre"]
    norm_kind: Literal["layer", "rms"]
    residual: Literal["on", "off"]
    batch_tokens: Optional[int]
    batch_sentences: int
    accumulate: int
    shards: Optional[int]
    schedule: Optional[Literal["noam", "inverse-sqrt", "linear", "cosine", "constant"]]
    learning_rate: Optional[float]
    warmup_steps: Optional[int]
    decay_steps: Optional[int]
    final_fraction: Optional[float]
    optimizer: Literal["adam", "adamw"]
    weight_decay: Optional[float]
    beta1: float
    beta2: float
    epsilon: float
    ema: Optional[float]
    clip_norm: float
    label_smoothing: Optional[float]
    epochs: Optional[int]
    steps: Optional[int]
    minutes: Optional[float]
    validate_every: int
    validation_metric: Literal["loss", "bleu", "chrf", "brackets"]
    scored_lines: int
    bleu_tokenize: Optional[Literal["13a", "none", "char", "intl", "zh"]]
    patience: int
    patience_on: Literal["metric", "any", "all"]
    keep_checkpoints: int
    keep_best: bool
    average: str
    save_minutes: float
    resume: bool
    overwrite: bool
    allow_other_instruction_set: bool
    seed: int
    device: Literal["cpu", "cuda"]
    compute: Literal["auto", "fp32", "bf16"]
    threads: Optional[int]
    memory_check: bool
    strict: bool
    report_every: int
    tensorboard: Path
    report: bool
    examples: bool


class TranslateOptions(TypedDict, total=False):
    """The options of translate()."""

    split: Literal["lines", "sentences"]
    protect: Union[str, Sequence[str]]
    beam: Optional[int]
    length_penalty: Optional[float]
    extra_length: int
    max_length: int
    min_length: int
    no_repeat_ngram_size: int
    nbest: int
    beam_groups: int
    diversity_penalty: Optional[float]
    sample: bool
    temperature: Optional[float]
    top_k: Optional[int]
    top_p: Optional[float]
    seed: Optional[int]
    batch_tokens: int
    threads: Optional[int]
    strict: bool
    terms: Union[Path, Mapping[str, Union[str, Sequence[str]]], None]


class GenerateOptions(TypedDict, total=False):
    """The options of generate()."""

    beam: Optional[int]
    length_penalty: Optional[float]
    extra_length: int
    max_length: int
    min_length: int
    no_repeat_ngram_size: int
    nbest: int
    beam_groups: int
    diversity_penalty: Optional[float]
    sample: bool
    temperature: Optional[float]
    top_k: Optional[int]
    top_p: Optional[float]
    seed: Optional[int]
    batch_tokens: int
    threads: Optional[int]
    strict: bool


class ParseOptions(TypedDict, total=False):
    """The options of parse()."""

    beam: Optional[int]
    length_penalty: Optional[float]
    nbest: int
    beam_groups: int
    diversity_penalty: Optional[float]
    sample: bool
    temperature: Optional[float]
    top_k: Optional[int]
    top_p: Optional[float]
    seed: Optional[int]
    batch_tokens: int
    threads: Optional[int]
    strict: bool


class ScoreOptions(TypedDict, total=False):
    """The options of score()."""

    batch_tokens: int
    threads: Optional[int]
    strict: bool


class EvaluateOptions(TypedDict, total=False):
    """The options of evaluate()."""

    metrics: Union[str, Sequence[str]]
    sentence: bool
    lowercase: bool
    bleu_tokenize: Optional[Literal["13a", "none", "char", "intl", "zh"]]
    smooth_method: Literal["none", "floor", "add-k", "exp"]
    smooth_value: Optional[float]
    ter_normalized: bool
    ter_no_punct: bool
    ter_asian_support: bool
    ter_case_sensitive: bool
    brackets_max_words: Optional[int]
    span_scheme: Literal["conlleval", "iob2"]


class InspectDataOptions(TypedDict, total=False):
    """The options of inspect_data()."""

    max_ratio_deviation: float
    max_sentence_tokens: int
    examples: int
    pairs: int
    max_table_entries: int


class CleanOptions(TypedDict, total=False):
    """The options of clean()."""

    drop: Union[str, Sequence[str]]
    keep: Union[str, Sequence[str]]
    repair: bool
    max_ratio_deviation: float
    max_words: int
