// A small random model with its tokenizers, ready to translate.
#pragma once

#include <memory>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/decode/model_outputs.h"
#include "support/folder_test.h"
#include "support/isolated_backend.h"
#include "support/small_translator.h"

namespace heed::testing {

class SmallTranslatorTest : public FolderTest {
 protected:
  SmallTranslatorTest() { model_.move_to(backend_->memory()); }

  ModelParts parts() { return {{model_, *backend_}, tokenizers_}; }

  std::unique_ptr<Backend> backend_ = isolated_if_asked(make_cpu_backend());
  TokenizerPair tokenizers_ = character_tokenizers(folder_);
  SequenceModel model_ = random_model(tokenizers_);
};

}  // namespace heed::testing
