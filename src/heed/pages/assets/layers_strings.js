"use strict";
// Every text of the page of layers.

addStrings({
  en: {
    backend: "backend",
    charts_help: "Point at a chart, or focus it and use the arrow keys, to read all values at one length. Both axes are logarithmic.",
    complexity: "Complexity",
    forward: "Forward",
    forward_backward: "Forward and backward",
    forward_backward_time: "Forward and backward, µs",
    forward_backward_token: "Forward and backward, µs per token",
    forward_time: "Forward, µs",
    forward_token: "Forward, µs per token",
    heads: "heads",
    layer: "Layer",
    longest: "At the greatest length",
    maximum_path_length: "Maximum path length",
    measurements: "Measurements",
    microseconds: "µs per token",
    multiply_adds: "Multiply-adds",
    n: "n",
    preset: "preset",
    sequential_operations: "Sequential operations",
    shown: "Shown",
    table: "Table of all measurements",
    times: "Time per token",
    title: "Table 1, measured",
  },
  zh: {
    backend: "后端",
    charts_help: "将指针移到图上，或聚焦后用方向键，可读出同一长度下的所有数值。两个坐标轴均为对数轴。",
    complexity: "复杂度",
    forward: "前向",
    forward_backward: "前向与反向",
    forward_backward_time: "前向与反向（µs）",
    forward_backward_token: "前向与反向（µs/词元）",
    forward_time: "前向（µs）",
    forward_token: "前向（µs/词元）",
    heads: "头数",
    layer: "层",
    longest: "最大长度时",
    maximum_path_length: "最大路径长度",
    measurements: "测量结果",
    microseconds: "µs/词元",
    multiply_adds: "乘加次数",
    n: "n",
    preset: "预设",
    sequential_operations: "顺序操作数",
    shown: "显示",
    table: "全部测量结果表",
    times: "每个词元的用时",
    title: "表 1 实测",
  },
});

// The English names and note are in the data.
const layersInChinese = {
  names: {
    "Self-attention": "自注意力", "Recurrent (LSTM)": "循环层（LSTM）", "Convolutional": "卷积层",
    "Self-attention (restricted)": "受限自注意力", "Self-attention, projected": "自注意力，含投影", "Restricted, projected": "受限自注意力，含投影",
  },
  note: "乘加次数只计前向计算中的矩阵乘法。表 1 中的注意力不含投影，Q = K = V = x；“含投影”另有四个投影，多 4 n d^2 次乘加。LSTM 为四个门乘以 x 和 h，共 8 n d^2 次。用时为单核处理一个序列的处理器时间，取多次测量的最小值。",
};
