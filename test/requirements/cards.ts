/** The app cards of the deck, and plan files. */
export const cards = {
  "cards:rows":
    "the seven app cards have their order and names, belong to the profile all, and share nothing",
  "cards:arguments": "wrong arguments of a card are an error result that names the field",
  "cards:effects":
    "the effect of a call depends on its action: reading notes, lists, jobs and actions is read-only",
  "cards:todo": "todo replaces and shows a list with states and weights",
  "cards:bg-start": "bg-process starts jobs and reports one that fails at once, with log file and exit code",
  "cards:bg-poll": "bg-process keeps the streams apart and polls all kept lines, or only what is new",
  "cards:bg-lines": "of each stream the last 2000 lines are kept; incremental reads lose and repeat nothing",
  "cards:bg-stop": "bg-process ends a job with its whole tree: SIGTERM, then SIGKILL",
  "cards:bg-cap":
    "of 200 jobs started at once 50 run, the others fail with the reason, and all can be listed",
  "cards:bg-session":
    "background jobs, also those that are still starting, and their logs end with the session",
  "cards:bg-leftovers": "old logs of killed sessions are removed, other files stay",
  "cards:task": "task runs a sub-agent of the host, and describes the agents; an abort reaches the runner",
  "cards:saas": "saas-action lists and runs actions of the host's gateway, with slugs unchanged",
  "cards:saas-mcp": "a mounted MCP server can be the gateway of saas-action",
  "cards:absent": "a card without its handle says so, in words and as data",
  "cards:memory": "memory reads, replaces and appends notes, at most 64 KiB",
  "cards:memory-file":
    "notes in a file are private, replaced in one step, capped, and named if they cannot be used",
  "cards:memory-writers": "processes that append at the same time, or are killed, lose no note that was kept",
  "cards:plan-mode": "the plan cards are read-only and return their markers",
  "cards:plan-files": "a plan is written to a new file with a safe name, and read back",
} as const;
