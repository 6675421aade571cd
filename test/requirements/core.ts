export const core = {
  "core:error-brand": "a CoreError made by another loaded copy of the package is recognised",
  "core:duration": "durations are shown as people write them, rounded to what matters",
  "core:error-cause": "an error keeps its kind, its message and its cause",
  "core:canonical-json": "canonical JSON depends only on the value and parses back to it",
  "core:canonical-refusal":
    "values that JSON cannot represent are refused as not_json, never written as another value",
  "core:defined-members": "an object is copied without its undefined members, the others in order",
  "core:same-json":
    "two JSON values are compared without the order of members, and without making texts of them",
  "core:time-slices": "a long work in slices gives other work its turn after each slice",
  "core:content-hash": "equal values have equal hashes whatever their key order, and different ones differ",
  "core:join-signals":
    "a joined signal aborts with its first part, also with a deadline that has no other reference",
  "core:reused-signals":
    "a signal serves another call only if its holder released it, it has not aborted, nobody joined it with others and nothing listens to it",
  "core:in-flight": "calls in progress are kept like in a map, and what has ended can be collected at once",
  "core:listeners":
    "every listener is called in the order it was added, and one that fails affects nothing else",
  "core:settles-within":
    "waiting for work ends when it settles, when the time is up or when the signal aborts, and leaves no timer",
  "core:with-deadline":
    "work under a deadline gets a signal that aborts with the caller's or when the time is up",
  "core:scan-cost":
    "looking for new processes of our trees reads only those that are new, however many run on the machine",
  "core:cut-text": "a text is cut to a number of UTF-16 units without splitting a character",
  "core:shell-word": "a shell reads a quoted word as exactly this word, whatever it contains",
  "core:text-table": "rows are shown as aligned columns",
  "core:closest-names": "for a name that does not exist, the similar names are found",
  "core:version":
    "every place that names the version of the framework uses one constant, equal to package.json",
  "core:linear-regex":
    "patterns of others are matched in linear time with JavaScript's meaning; what that engine cannot express is refused",
  "core:bounded-patterns":
    "the patterns of a schema get a limited amount of work; beyond it nothing is evaluated",
  "core:ulid-monotonic": "minted ULIDs increase within a millisecond and when the clock steps back",
  "core:clock-sleep": "a sleep ends in time, or rejects with the signal's reason as soon as it aborts",
  "core:iso-time": "ISO time is UTC with milliseconds",
  "core:keyed-queue": "steps of one key run one after the other, in the order of the calls",
  "core:single-flight": "concurrent callers share one attempt; the next caller starts a new one",
  "core:backoff": "delays double from 250 ms to 30 s; jitter only shortens them, by half at most",
  "core:with-defaults": "an option that is absent or undefined keeps its default",
  "core:loopback-host": "one check decides whether a host is this machine, by name or by address",
  "core:work-tree": "one check decides which git work tree a folder is in",
  "core:temp-names": "our temporary files are recognised by the exact form of their names",
  "core:file-lock":
    "a lock among processes has one holder, names it when refused, and does not outlive a killed holder",
} as const;
