/** The ledger of mounted tools, in memory and on the disk. */
export const ledger = {
  "ledger:value": "a transition gives a new ledger and leaves the one it came from as it was",
  "ledger:fold": "the live view is a fold of the log that depends on the numbers of the entries alone",
  "ledger:replay": "a ledger made from a log is the ledger that wrote it, and goes on after its last number",
  "ledger:upsert": "enrolling a tool again changes nothing but its entry, which keeps its place",
  "ledger:withdraw": "a server is withdrawn whole and in one batch, and the others stay",
  "ledger:content-key": "a key is a function of wire name and schema, blind to the order of members",
  "ledger:ulid-key": "a minted key is unlike and greater than every one before it",
  "ledger:fingerprint": "a fingerprint changes with anything a tool says about itself, and with nothing else",
  "ledger:names": "a qualified name is joined and taken apart as the sister editions do",
  "ledger:capability":
    "a mounted tool answers through its box's runner, and a remembered one says why it cannot",
  "ledger:log-roundtrip": "what was appended to a log is read back as it was",
  "ledger:log-flushed": "an entry is acknowledged after it was flushed, and entries that wait share a flush",
  "ledger:log-segments": "each run writes a segment of its own, and they are listed oldest first",
  "ledger:log-order": "a log takes entries in the order of their numbers and no other",
  "ledger:log-private": "the files of a log are for their owner alone",
  "ledger:log-large": "a log of many entries is read back fast and in little memory",
  "faults:b19-ledger-order": "a clock that steps back changes stamps and not the order of entries",
  "faults:b21-torn-tail":
    "a log cut off at any byte of its last record keeps the others exactly, and the rest is put aside",
  "faults:b22-bit-flip": "any flipped bit in a log is found, refused by its offset, and never folded",
  "faults:b22-sequence": "a record that is doubled, missing or numbered twice is found and named",
  "faults:b22-two-writers":
    "a segment has one writer at a time, and writers of their own segments lose nothing",
  "faults:b22-stale-lock": "the lock of a process that was killed keeps nobody out",
  "faults:b23-short-writes": "a disk that takes and gives a few bytes at a time makes no difference",
  "faults:b23-full-disk":
    "a full disk refuses the entry, harms no other, and the log goes on when there is room",
  "faults:b23-failed-flush":
    "after a failed write or flush nothing is acknowledged until the log is opened again",
  "faults:b23-refused": "a disk that is read-only, forbidden or absent is a refusal of its kind",
  "faults:b23-kill": "a writer killed at any moment has lost nothing it acknowledged, and left nothing half",
} as const;
