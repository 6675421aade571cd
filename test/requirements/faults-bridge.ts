/** The fault catalogue of the bridge, row by row. */
export const faultsBridge = {
  "faults:b1-lost-in-call":
    "a server that dies in a call fails that call at once as transport, not to be repeated, and harms no other",
  "faults:b2-mute": "a server that never answers is a timeout at its budget, and nothing of it is left",
  "faults:b3-junk":
    "junk on standard output is skipped, counted and shown; a megabyte of it before any message is a protocol fault",
  "faults:b4-frames":
    "frames of any size and slicing are read in linear time; one over the cap fails its call alone",
  "faults:b5-answers": "answers that are nobody's are ignored and counted, and the first right one counts",
  "faults:b6-cursors": "a listing that never ends is cut at its budget and says so",
  "faults:b7-floods": "a flood of changes leads to few listings, and the last state wins",
  "faults:b7-illegal-question": "a question of a server in the modern era reaches nobody",
  "faults:b8-stubborn": "a server that ignores, stops or hangs is closed in time, and its process is gone",
  "faults:b9-grandchildren": "no descendant outlives a close, a fault, a failed start or the end of us",
  "faults:b10-fork-bomb": "a server that forks without end is ended whole, and its neighbours are served",
  "faults:b11-stderr": "floods of standard error, with or without line ends, stall nothing and cost little",
  "faults:b12-writes": "writing to a server that stopped reading is bounded and ends in a fault",
  "faults:b13-spawn": "what cannot be started is spawn_failed with the system's code, and nothing half open",
  "faults:b14-aborts": "an abort or a close at any moment leaves one end state and no process",
  "faults:b15-statuses":
    "each HTTP status is a fault that says which, why, and whether the call can have run",
  "faults:b16-streams":
    "a stream that breaks, never ends or bursts ends its call in a fault, and is never resent",
  "faults:b17-redirects": "a redirect away from the origin is refused, and its target is never asked",
  "faults:b18-tls": "a certificate that is expired, self-signed or another host's is refused",
  "faults:b19-clock": "a clock that jumps moves no deadline",
  "faults:b20-config":
    "a configuration that is half written, huge, deep or no file at all is dropped whole, at once, and says why",
  "faults:b24-values": "results of any content are projected without loss, and what goes out is valid JSON",
  "faults:b25-schemas": "a hostile schema costs little, reaches no network, and at worst its own tool",
  "faults:b26-names":
    "names of any characters become legal, distinct names, and a call reaches the exact original",
  "faults:b27-cancel-races":
    "a cancel at any moment leads to one outcome and at most one notice, in every order of events",
  "faults:b28-crowds": "a thousand calls at once, and a hundred servers, each get their own answers",
  "faults:b29-lifetimes": "connecting and closing for ever leaves no descriptor, timer or memory behind",
  "faults:campaign":
    "a seeded mix of faults always ends in the expected kind, hangs never, and repeats the same log",
} as const;
