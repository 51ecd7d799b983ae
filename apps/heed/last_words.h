// Failures that no code can catch, told like any other error.
#pragma once

namespace heed {

// From now on these end the program with one line and exit status 1:
// - a file that another program cuts short while it is mapped (SIGBUS);
// - memory that runs out in a thread of SentencePiece's trainer, where nothing catches.
void leave_last_words();

}  // namespace heed
