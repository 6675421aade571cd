/** The deck: built-in tools, catalog, profiles, provisioning. */
export const deck = {
  "addons:tools":
    "the files `*.mjs` in the user's folder of addons add tools to a session, in the order of their names",
  "addons:around":
    "an addon wraps every call of a session: it sees the tool, and may change arguments and results",
  "addons:fault":
    "an addon that cannot be loaded, that others may change or that fails is named; the others are used",
  "addons:session": "addons come from the user's own folder only, never from a project's",
  "deck:builtin-table":
    "one table has the twelve native tools with title, profiles and factory; the other views are derived from it",
  "deck:builtin-parity": "the built-in tools have exactly the names of the kernel's native tools",
  "deck:builtin-card": "a native tool answers through its card as it does alone",
  "deck:tools": "a deck lists its capabilities in a new array each time",
  "deck:graft": "grafted capabilities come after the others; a name that is taken is reported and left out",
  "deck:graft-live": "the box follows a live source, with one event per change",
  "deck:map":
    "mapCapabilities replaces each capability of the deck once, also those that a live source adds later",
  "deck:retain":
    "retain filters the capabilities of the deck so far, also those that a live source adds later",
  "deck:runner":
    "the deck's runner returns the outcome of a capability unchanged, and every failure is an outcome",
  "deck:session": "all calls of a deck belong to one session",
  "deck:close": "closing a deck ends its session once and leaves no listener",
  "deck:effect":
    "the effect of a call comes from the card, or from the annotations and, for native tools, the paths in the input",
  "deck:differential":
    "the box of a deck with mounted servers behaves as the mounted box: definitions, results, errors, progress, logs, questions, cancellation, changes",
  "deck:catalog":
    "the catalog has the twelve built-in tools and the seven app cards, and all lookups come from it",
  "deck:profiles":
    "the inverted profiles are kept: authoring is the read-only built-in tools, survey all built-in tools, all everything",
  "deck:provision": "a deck has the tools of its profile, built for its context, in one session",
  "deck:context": "a deck context has an absolute folder and a read state; a plain object works too",
  "deck:close-jobs": "closing a deck ends the background jobs of its tools",
} as const;
