/** The fault catalogue of the bridge, row by row. */
export const faultsBridge = {
  "faults:b1-lost-in-call":
    "a server that dies in a call fails that call at once as transport, not retry-safe, and affects no other",
  "faults:b2-mute": "a server that never answers is a timeout at its limit, and leaves nothing behind",
  "faults:b3-junk":
    "garbage on standard output is skipped, counted and shown; a megabyte of it before any message is a protocol fault",
  "faults:b4-frames":
    "frames of any size and slicing are read in linear time; one over the limit fails only its call",
  "faults:b5-answers": "answers to no request are ignored and counted, and the first valid one counts",
  "faults:b6-cursors": "an endless listing is cut at its limit and reports that",
  "faults:b7-floods": "a flood of changes causes few listings, and the last state wins",
  "faults:b7-illegal-question": "a question of a modern server reaches no caller",
  "faults:b8-stubborn":
    "a server that ignores signals, stops or hangs is closed in time, and its process is gone",
  "faults:b9-grandchildren": "no descendant outlives a close, a fault, a failed start or our own end",
  "faults:b10-fork-bomb":
    "a server that forks endlessly is ended completely, while its neighbours are served",
  "faults:b11-stderr": "floods of standard error, with or without line ends, do not block and cost little",
  "faults:b12-writes": "writing to a server that stopped reading is limited and ends in a fault",
  "faults:b13-spawn":
    "a program that cannot be started is spawn_failed with the system's code, and nothing is half open",
  "faults:b14-aborts": "an abort or a close at any moment leads to one end state and leaves no process",
  "faults:b15-statuses":
    "each HTTP status is a fault that names it, its cause, and whether the call can have run",
  "faults:b16-streams":
    "a stream that breaks, never ends or is too large ends its call in a fault, and the call is never repeated",
  "faults:b17-redirects": "a redirect to another origin is refused, and its target gets no request",
  "faults:b18-tls": "a certificate that is expired, self-signed or of another host is refused",
  "faults:b19-clock": "a clock that jumps moves no deadline",
  "faults:b20-config":
    "a configuration that is half written, huge, deep or not a file is dropped whole, at once, with the reason",
  "faults:b24-values": "results of any content are converted without loss, and what goes out is valid JSON",
  "faults:b25-schemas":
    "a hostile schema costs little, causes no network access, and affects at most its own tool",
  "faults:b26-names":
    "names of any characters become legal, distinct names, and a call reaches the exact original",
  "faults:b27-cancel-races":
    "a cancel at any moment leads to one outcome and at most one notification, in every order of events",
  "faults:b28-crowds": "each of a thousand concurrent calls, and of a hundred servers, gets its own answers",
  "faults:b29-lifetimes": "connecting and closing repeatedly leaves no descriptor, timer or memory behind",
  "faults:campaign":
    "a seeded mix of faults always ends in the expected kind, never hangs, and repeats the same log",
} as const;
