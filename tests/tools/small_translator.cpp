// Writes the model directory of tests/support/small_translator.h, for tools/make_score_goldens.py.
//
// small_translator DIRECTORY
#include "support/small_translator.h"

#include <iostream>

int main(int count, char** arguments) {
  try {
    if (count != 2) heed::fail_usage("usage: small_translator DIRECTORY");
    heed::testing::write_small_translator(arguments[1]);
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "small_translator: " << e.what() << '\n';
    return 1;
  }
}
