"""Calls of the program heed by the recipes."""
import subprocess
import sys


def heed(program, *words):
    """What the program prints. Ends this one with its message if it fails."""
    process = subprocess.Popen([program, *map(str, words)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    try:
        printed, errors = process.communicate()
    except KeyboardInterrupt:
        process.wait()  # Ctrl-C reaches it too: it saves its state
        raise
    if process.returncode != 0:
        sys.exit(f"heed {' '.join(map(str, words))}\n{errors[-2000:]}")
    return printed
