#include "files/phrasebook_files.h"

#include <array>
#include <optional>
#include <span>

#include "heed/core/directory_lock.h"
#include "heed/core/error.h"
#include "heed/core/files.h"
#include "heed/phrasebook/phrasebook.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 3> kStems = {"train", "valid", "test"};
constexpr const char *kChinese = ".zh", *kEnglish = ".en", *kAlignment = ".align";

fs::path with_ending(fs::path stem, const char* ending) {
  return stem += ending;
}

// One part of the corpus, written but not yet in place.
class Split {
 public:
  Split(const fs::path& stem, std::span<const SentencePair> pairs, AlignmentFiles alignments)
      : stem_(stem), chinese_(with_ending(stem, kChinese)), english_(with_ending(stem, kEnglish)) {
    if (alignments == AlignmentFiles::written) alignment_.emplace(with_ending(stem, kAlignment));
    for (const SentencePair& pair : pairs) {
      chinese_.write(pair.chinese + "\n");
      english_.write(pair.english + "\n");
      if (alignment_) alignment_->write(alignment_text(pair) + "\n");
    }
  }
  void commit() {
    std::error_code error;
    fs::remove(with_ending(stem_, kAlignment), error);  // of the text that is replaced
    chinese_.commit();
    english_.commit();
    if (alignment_) alignment_->commit();
  }

 private:
  fs::path stem_;
  AtomicFile chinese_, english_;
  std::optional<AtomicFile> alignment_;
};

void refuse_existing(const fs::path& directory) {
  for (const char* stem : kStems) {
    for (const char* ending : {kChinese, kEnglish, kAlignment}) {
      const fs::path path = with_ending(directory / stem, ending);
      std::error_code error;
      if (fs::exists(path, error)) {
        fail_usage("'{}' is there already: name another directory, or give --overwrite",
                   path.string());
      }
    }
  }
}

}  // namespace

void write_phrasebook(const PhrasebookSettings& settings, const fs::path& directory,
                      Existing existing, AlignmentFiles alignments) {
  const Phrasebook book = make_phrasebook(
      settings.pairs, settings.valid_pairs + settings.test_pairs, uint64_t(settings.seed));
  const DirectoryLock lock(directory);
  if (existing == Existing::refuse) refuse_existing(directory);

  const std::span<const SentencePair> held_out = book.held_out;
  Split train(directory / kStems[0], book.train, alignments);
  Split valid(directory / kStems[1], held_out.first(size_t(settings.valid_pairs)), alignments);
  Split test(directory / kStems[2], held_out.subspan(size_t(settings.valid_pairs)), alignments);
  for (Split* split : {&train, &valid, &test}) split->commit();
}

}  // namespace heed
