/** The last known catalogue of each server, and what clients see of it. */
export const catalogue = {
  "catalogue:everywhere":
    "what a server of the user's configuration offered is known in every folder, unless its row means another program there; each folder pins only what its own listings say",
  "catalogue:launch-hash":
    "The hash of a launch covers command, arguments, folder, URL, and variables and headers as written; nothing else changes it",
  "catalogue:values":
    "What a server offered and said of itself with other values of the variables in its row is not shown",
  "catalogue:round-trip": "An entry that was written is read again as it was, in this process and in another",
  "catalogue:launch-changed": "An entry is never used for another launch, even under its file name",
  "catalogue:damaged":
    "A damaged file counts as absent and is reported in one line; the next listing replaces it",
  "catalogue:in-order":
    "Entries are written without blocking; an older write never replaces a newer entry, also not when the catalogue is closed",
  "catalogue:head": "What a server says about itself is read without its lists",
  "catalogue:not-known": "A list that was never read is not taken for an empty one",
  "catalogue:private": "Only the owner can read a catalogue, and a file that is replaced is always whole",
  "catalogue:bounded": "The size of an entry and the number of entries are limited",
  "catalogue:concurrent":
    "Several processes write one catalogue at the same time, and every file stays whole",
  "catalogue:failures": "Failed starts are counted until one succeeds, and the last good listing stays",
  "catalogue:seed":
    "The tools of the last run are offered before a server is ready, and a call of one waits for its server",
  "catalogue:slices": "Reading the tools of many servers gives other work its turn, and the box changes once",
  "catalogue:seed-first":
    "The tools of the last run are offered before the process of their server is started",
  "catalogue:seed-failed": "A first start that fails for good withdraws the tools of the last run",
  "catalogue:listed": "A fleet reports every good listing of a server, also one without a change",
  "catalogue:listing": "All lists of a server are read page by page; one that fails does not hide the others",
  "catalogue:list-before-starts":
    "Over stdio, servers whose tools are known start after the client has its first list, or after a second; those that are required, unknown or called do not wait",
  "catalogue:first-list": "Only the first listing of a client waits, in both eras and over both transports",
  "catalogue:one-page": "Tools are listed in one page, however many there are",
  "catalogue:capabilities": "Tools, prompts and resources are advertised with list changes",
  "catalogue:clients": "How long a first listing waits depends on whether the client follows changes",
  "catalogue:pace": "While servers start, clients hear of changes at most once every 2 s",
  "catalogue:early-call": "A call of a tool whose server is not known yet waits while servers start",
  "catalogue:at-once": "`serve` answers initialize at once, whatever the servers do",
  "catalogue:codex":
    "A client that waits 1 s and follows no changes sees all tools of a gateway of ten servers on its second start",
  "catalogue:claude":
    "A client that follows list changes sees all tools of a gateway of ten servers on its first start",
  "catalogue:changed": "Tools that changed since the last run are corrected after the fresh listing",
  "catalogue:failing-server":
    "A server whose last two starts failed or were interrupted is not waited for, and one good start clears that; its known tools are offered until it has failed three times",
  "catalogue:slow-starts":
    "a row that shows no sign of work delays the first list and the first request of `-p` by at most 3 s, and from its third start on not at all",
  "catalogue:required": "A required server that fails ends `serve` with exit code 1, also after initialize",
} as const;
