#!/usr/bin/env python3
"""Writes tests/run/data/tensorboard.events: an event file of TensorBoard's own writer. Needs
tensorboard: tools/make_tensorboard_goldens.py"""

import pathlib

from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.compat.proto.types_pb2 import DT_STRING
from tensorboard.summary.writer.record_writer import RecordWriter

SCALARS = [
    Summary.Value(tag="train/loss", simple_value=2.5),
    Summary.Value(tag="train/nll", simple_value=0.1),
]
TEXT = Summary.Value(
    tag="configuration",
    tensor=TensorProto(
        dtype=DT_STRING, tensor_shape=TensorShapeProto(), string_val=["    seed = 1\n".encode()]
    ),
    metadata=SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="text")),
)
EVENTS = [
    Event(wall_time=1700000000.25, file_version="brain.Event:2"),
    Event(wall_time=1700000000.25, step=301, session_log=SessionLog(status=SessionLog.START)),
    Event(wall_time=1700000001.5, step=300, summary=Summary(value=SCALARS)),
    Event(wall_time=1700000002, summary=Summary(value=[TEXT])),
]

path = pathlib.Path(__file__).parents[1] / "tests/run/data/tensorboard.events"
with path.open("wb") as file:
    writer = RecordWriter(file)
    for event in EVENTS:
        writer.write(event.SerializeToString())
