// Failures that no code can catch, told like any other error.
#pragma once

namespace heed {

// A signal's default action, after the temporary files are removed: ends the program as the signal
// would. For signal handlers.
void end_by_signal(int signal);

// From now on SIGINT, SIGTERM and SIGHUP remove temporary files before they end the program, and
// these end it with one line and exit status 1:
// - a file that another program cuts short while it is mapped (SIGBUS);
// - memory that runs out in a thread of SentencePiece's trainer, where nothing catches.
void leave_last_words();

}  // namespace heed
