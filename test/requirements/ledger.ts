/** The ledger of mounted tools, in memory and on the disk. */
export const ledger = {
  "ledger:value": "a transition returns a new ledger and leaves the old one unchanged",
  "ledger:fold": "the live view is computed from the log and depends only on the numbers of the entries",
  "ledger:by-server": "the counts per server have the order of the live capabilities",
  "ledger:linear": "a snapshot folds only the entries since the last one, and never changes afterwards",
  "ledger:replay":
    "a ledger made from a log equals the ledger that wrote it, and continues after its last number",
  "ledger:upsert": "enrolling a tool again replaces its entry and keeps its place",
  "ledger:withdraw": "a server is withdrawn completely and in one batch, and the others stay",
  "ledger:content-key": "a key depends on wire name and schema, not on the order of members",
  "ledger:ulid-key": "a minted key is unique and greater than every earlier one",
  "ledger:fingerprint": "a fingerprint changes with each part of a tool's description, and with nothing else",
  "ledger:names": "a qualified name is joined and split as in the sister editions",
  "ledger:capability":
    "a mounted tool answers through the runner of its box, and a replayed one explains why it cannot",
  "ledger:attach":
    "attaching mounts the servers and enrolls their tools; a bad configuration is carried in the result, never thrown",
  "ledger:detach": "detaching withdraws the named servers and ends them, or all of the fleet",
  "ledger:readers": "status, names and counts are read from fleet and ledger, and a mounted tool is a card",
  "ledger:late":
    "what happens to tools before their ledger is opened is recorded with its time, also if the run ends first; after the end no log is opened",
  "ledger:follow":
    "a difference of the fleet becomes enroll and retire events, and the box of the deck changes with it",
  "ledger:follow-restart": "a server that restarts with the same tools causes no event",
  "ledger:flips":
    "changes of a tool between known forms are stored at most once a minute with their number; what is live in the log is the last form",
  "ledger:compact":
    "a large segment is replaced in one step by one with the same tools live, every form and every change counted; a death at any moment loses nothing",
  "ledger:follow-log":
    "events of a followed box are stored; a disk that refuses holds up no tool, and gets the events later",
  "ledger:log-roundtrip": "entries are read from a log as they were appended",
  "ledger:log-flushed": "an entry is acknowledged after its flush, and waiting entries share a flush",
  "ledger:log-segments": "each run writes its own segment, and segments are listed oldest first",
  "ledger:log-version-1": "a segment that the first version wrote is read and continued",
  "ledger:log-records":
    "decisions are stored with the entries; an unknown type of a newer version is kept and skipped, any other is damage",
  "ledger:log-cut":
    "what is too large is stored cut with the hash of the whole, and an entry that cannot be stored is refused by itself",
  "ledger:log-bodies":
    "the description of a tool is stored once and referred to after that, also by later runs",
  "ledger:history":
    "the events of all runs are read in order, with the date of the oldest; a damaged segment is named",
  "ledger:diff": "the difference of two moments shows added, removed and changed tools, with readable text",
  "ledger:explain":
    "a tool is explained: here, gone or quarantined, since when, by which server, and what changed",
  "ledger:log-sweep":
    "segments of ended runs are deleted after 30 days; their last state and what others refer to are kept",
  "ledger:log-order": "a log accepts entries only in the order of their numbers",
  "ledger:log-private": "only the owner can read the files of a log",
  "ledger:log-large": "a log of many entries is read fast and in little memory",
  "faults:b19-ledger-order": "a clock that steps back changes time stamps, not the order of entries",
  "faults:b21-torn-tail":
    "a log cut off at any byte of its last record keeps the other records, and the rest is set aside",
  "faults:b22-bit-flip": "any flipped bit in a log is found, reported with its offset, and never folded",
  "faults:b22-sequence": "a record that is repeated, missing or numbered twice is found and named",
  "faults:b22-two-writers":
    "a segment has one writer at a time, and writers of different segments lose nothing",
  "faults:b22-stale-lock": "the lock of a killed process does not block the next writer",
  "faults:b23-short-writes": "a disk that reads and writes a few bytes at a time makes no difference",
  "faults:b23-full-disk":
    "a full disk refuses the entry, damages no other, and the log continues when there is space",
  "faults:b23-failed-flush":
    "after a failed write or flush nothing is acknowledged until the log is opened again",
  "faults:b23-reopened":
    "the log of a long run opens its segment again after a failed write or flush, and loses no change",
  "faults:b23-refused": "a disk that is read-only, forbidden or absent gives an error of that kind",
  "faults:b23-crash-states":
    "whatever a power cut leaves of the recorded writes, acknowledged entries are there and none is damaged",
  "faults:b23-kill": "a writer killed at any moment has lost no acknowledged entry and left no partial one",
} as const;
