// What tools/check_ecosystem.py compares with transformers: heed's ids of sentence pairs, and the
// logits of each target under teacher forcing.
//
// heed_logits MODEL OUTPUT.safetensors cpu|reference < PAIRS (source TAB target, a pair a line)
// Of pair i the output holds "i.source", "i.target" (ids, as fp64), "i.logits" [steps, classes].
#include <fmt/core.h>

#include <iostream>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/model/directory.h"
#include "heed/model/safetensors.h"
#include "heed/model/sequence_model.h"
#include "heed/text/tokenizer.h"
#include "reference/reference_backend.h"

namespace heed {
namespace {

Tensor to_tensor(const std::vector<TokenId>& ids) {
  const std::vector<double> values(ids.begin(), ids.end());
  return tensor_of<double>({int64_t(ids.size())}, values);
}

// The tensors of one pair.
std::vector<Parameter> run(const SequenceModel& model, const TokenizerPair& tokenizers,
                           ForwardPass& pass, const std::string& pair) {
  const size_t tab = pair.find('\t');
  if (tab == pair.npos) fail("expected source TAB target, got {}", pair);
  std::vector<TokenId> source = tokenizers.source().encode(pair.substr(0, tab));
  source.push_back(tokenizers.source().end_id());
  std::vector<TokenId> target = tokenizers.target().encode(pair.substr(tab + 1));
  target.insert(target.begin(), tokenizers.pad_id());
  Tokens source_tokens, target_tokens;
  source_tokens.add(source);
  target_tokens.add(target);
  const EncoderOutput memory = model.encode(pass, source_tokens);
  const Tensor logits = model.output().logits(pass, model.decode(pass, target_tokens, memory));
  return {{"source", to_tensor(source)}, {"target", to_tensor(target)}, {"logits", logits}};
}

void write_logits(const std::string& directory, const std::string& output,
                  const std::string& backend_name) {
  const SequenceModel model = load_model(directory);
  const TokenizerPair tokenizers = TokenizerPair::load(directory);
  const auto backend = backend_name == "cpu" ? make_cpu_backend() : make_reference_backend();
  TensorPool pool;
  ForwardPass pass(*backend, pool);
  std::vector<Parameter> results;
  std::string line;
  for (int i = 0; std::getline(std::cin, line); ++i)
    for (const Parameter& p : run(model, tokenizers, pass, line))
      results.push_back({fmt::format("{}.{}", i, p.name), p.tensor});
  std::vector<TensorEntry> entries;
  for (const Parameter& p : results)
    entries.push_back({p.name, p.tensor.dtype(), p.tensor.shape()});
  SafetensorsWriter writer(output, entries);
  for (const Parameter& p : results) writer.write(p.name, p.tensor);
  writer.commit();
}

}  // namespace
}  // namespace heed

int main(int count, char** arguments) {
  try {
    if (count != 4) heed::fail_usage("usage: heed_logits MODEL OUTPUT cpu|reference < PAIRS");
    heed::write_logits(arguments[1], arguments[2], arguments[3]);
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "heed_logits: " << e.what() << '\n';
    return 1;
  }
}
