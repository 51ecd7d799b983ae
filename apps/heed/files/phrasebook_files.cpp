#include "files/phrasebook_files.h"

#include <span>

#include "heed/core/directory_lock.h"
#include "heed/core/error.h"
#include "heed/core/files.h"
#include "heed/phrasebook/phrasebook.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// One part of the corpus, written but not yet in place.
struct Split {
  AtomicFile chinese, english;

  Split(const fs::path& stem, std::span<const SentencePair> pairs)
      : chinese(stem.string() + ".zh"), english(stem.string() + ".en") {
    for (const SentencePair& pair : pairs) {
      chinese.write(pair.chinese + "\n");
      english.write(pair.english + "\n");
    }
  }
  void commit() {
    chinese.commit();
    english.commit();
  }
};

void refuse_existing(const fs::path& directory) {
  for (const char* stem : {"train", "valid", "test"}) {
    for (const char* language : {".zh", ".en"}) {
      const fs::path path = directory / (std::string(stem) + language);
      if (fs::exists(path)) {
        fail_usage("'{}' is there already: name another directory, or give --overwrite",
                   path.string());
      }
    }
  }
}

}  // namespace

void write_phrasebook(const PhrasebookSettings& settings, const fs::path& directory,
                      Existing existing) {
  const Phrasebook book = make_phrasebook(
      settings.pairs, settings.valid_pairs + settings.test_pairs, uint64_t(settings.seed));
  const DirectoryLock lock(directory);
  if (existing == Existing::refuse) refuse_existing(directory);

  const std::span<const SentencePair> held_out = book.held_out;
  Split train(directory / "train", book.train);
  Split valid(directory / "valid", held_out.first(size_t(settings.valid_pairs)));
  Split test(directory / "test", held_out.subspan(size_t(settings.valid_pairs)));
  for (Split* split : {&train, &valid, &test}) split->commit();
}

}  // namespace heed
