#!/usr/bin/env bash
# Ends `heed serve` by SIGTERM DRAINS times (default 200) at random moments, while eight clients ask. The
# listening socket is passed as systemd passes it; the next server takes it over when the one before
# has ended, and connections wait in it meanwhile. Exit status 0 each time.
#
# What must hold for a request:
# - If the server has read it, a whole answer comes, equal to what heed translate gives. That it was
#   read is known from the first byte of an answer, from `100 Continue`, and from the line that the server
#   writes to its log for each request: as many lines as answers, all with status 200.
# - Otherwise the server may close the connection without a byte of an answer, but only where HTTP
#   clients expect it and ask again on another connection, as these do: between two requests on a kept
#   connection (the client's request crosses the server's close), and behind an answer after which the
#   server closes. The first request of a connection is always answered, by this server or the next.
# Needs HEED_PROGRAM and python3. Works in the current directory. MODELS names the folder of models
# that tools/soak/serve/make_models.sh makes. ./dev soak runs it.
set -euo pipefail
tools=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)/serve
export MODELS=${MODELS:-$PWD/models} DRAINS=${DRAINS:-200} SEED=${SEED:-1}
bash "$tools/make_models.sh" "$MODELS"
rm -f log
exec python3 "$tools/drains.py"
