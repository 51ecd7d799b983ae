#include "heed/text/sentence_marks.h"

#include "heed/core/scripts.h"

namespace heed::detail {

Mark mark_of(char32_t character, char32_t before) {
  const auto script_before = [&] { return script_of(before); };
  switch (character) {
    case U'.':
    case U'۔':
      return Mark::full_stop;
    case U'…':
    case U'⋯':
      return Mark::ellipsis;
    case U'!':
    case U'?':
    case U'؟':
    case 0x203C:  // !! ?? ?! !? as one character
    case 0x2047:
    case 0x2048:
    case 0x2049:
    case 0x05C3:  // Hebrew sof pasuq
    case 0x037E:  // the Greek question mark
      return Mark::question;
    case U';':  // the same as it is written today
      return script_before() == Script::greek ? Mark::question : Mark::none;
    case U'！':
    case U'？':
    case 0x1367:  // Ethiopic question mark
      return Mark::wide_question;
    case U'．':  // also in full-width numbers and names
      return script_before() == Script::han || script_before() == Script::kana ? Mark::wide_stop
                                                                               : Mark::none;
    case U'。':
    case U'｡':
    case 0x0589:  // Armenian
    case 0x0964:  // the danda of India, and a double one
    case 0x0965:
    case 0x0F0E:  // Tibetan
    case 0x104B:  // Myanmar
    case 0x1362:  // Ethiopic
    case 0x1368:
    case 0x17D4:  // Khmer
    case 0x17D5:
    case 0x1803:  // Mongolian
    case 0x1809:
      return Mark::wide_stop;
    default:
      return Mark::none;
  }
}

}  // namespace heed::detail
