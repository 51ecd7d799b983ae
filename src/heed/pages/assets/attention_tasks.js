"use strict";
// Texts of the attention page for models that do not translate.

// The texts of a task: these instead of those of attention_strings.js. Both languages have the same
// keys, in alphabetical order.
const taskStrings = {
  "classify": {
    en: {
      grid_lead_encoder: "Every head as a map: a row is a token of the text, a column a token it attends to. Choose one to enlarge it.",
      key_encoder: "Key: text",
      lines_lead_encoder: "How the tokens of the text attend to each other; the label is chosen from the mean of their states. The larger the weight, the stronger the line.",
      most_probable: "Most probable labels",
      query_encoder: "Query: text",
      source: "Text",
      translation: "Label",
    },
    zh: {
      grid_lead_encoder: "每个头一张热图：一行是文本的一个词元，一列是它所注意的词元。点选即可放大。",
      key_encoder: "键：文本",
      lines_lead_encoder: "文本的词元之间如何相互注意；标签由各词元状态的平均值决定。权重越大，连线越明显。",
      most_probable: "概率最高的标签",
      query_encoder: "查询：文本",
      source: "文本",
      translation: "标签",
    },
  },
  "language-model": {
    en: {
      note_unfinished: "The continuation reached its length limit before it ended.",
      source: "Prompt",
      translation: "Prompt and continuation",
    },
    zh: {
      note_unfinished: "续写在结束之前达到了长度上限。",
      source: "提示",
      translation: "提示与续写",
    },
  },
  "parse": {
    en: {
      grid_lead_cross: "Every head as a map: a row is a symbol of the tree, a column a token of the sentence. Choose one to enlarge it.",
      grid_lead_encoder: "Every head as a map: a row is a token of the sentence, a column a token it attends to. Choose one to enlarge it.",
      key_cross: "Key: sentence",
      key_encoder: "Key: sentence",
      lines_lead_cross: "How each symbol of the tree attends to the sentence. The larger the weight, the stronger the line.",
      lines_lead_encoder: "How the tokens of the sentence attend to each other. The larger the weight, the stronger the line.",
      most_probable: "Most probable symbols here",
      query_cross: "Query: tree",
      query_encoder: "Query: sentence",
      source: "Sentence",
      translation: "Tree",
    },
    zh: {
      grid_lead_cross: "每个头一张热图：一行是句法树的一个符号，一列是句子的一个词元。点选即可放大。",
      grid_lead_encoder: "每个头一张热图：一行是句子的一个词元，一列是它所注意的词元。点选即可放大。",
      key_cross: "键：句子",
      key_encoder: "键：句子",
      lines_lead_cross: "句法树的每个符号对句子的注意力。权重越大，连线越明显。",
      lines_lead_encoder: "句子的词元之间如何相互注意。权重越大，连线越明显。",
      most_probable: "此处概率最高的符号",
      query_cross: "查询：句法树",
      query_encoder: "查询：句子",
      source: "句子",
      translation: "句法树",
    },
  },
  "tag": {
    en: {
      grid_lead_encoder: "Every head as a map: a row is a token of the sentence, a column a token it attends to. Choose one to enlarge it.",
      key_encoder: "Key: sentence",
      lines_lead_encoder: "How the tokens of the sentence attend to each other; a word's label is chosen from the state of its first token. The larger the weight, the stronger the line.",
      most_probable: "Most probable labels of the word",
      query_encoder: "Query: sentence",
      source: "Sentence",
      translation: "Labels",
    },
    zh: {
      grid_lead_encoder: "每个头一张热图：一行是句子的一个词元，一列是它所注意的词元。点选即可放大。",
      key_encoder: "键：句子",
      lines_lead_encoder: "句子的词元之间如何相互注意；每个词的标签由其首个词元的状态决定。权重越大，连线越明显。",
      most_probable: "该词概率最高的标签",
      query_encoder: "查询：句子",
      source: "句子",
      translation: "标签",
    },
  },
};
