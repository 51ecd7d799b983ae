// One-line messages for failures that cannot be caught as exceptions.
#pragma once

namespace heed {

// A signal's default action, after the temporary files are removed: ends the program as the signal
// would. For signal handlers.
void end_by_signal(int signal);

// From now on SIGINT, SIGTERM and SIGHUP remove temporary files before they end the program, and
// these end it with one line and exit status 1:
// - a file that another program truncates while it is mapped (SIGBUS);
// - std::bad_alloc in a thread of SentencePiece's trainer, which does not catch it.
void leave_last_words();

}  // namespace heed
