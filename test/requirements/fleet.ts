export const fleet = {
  "servers:early":
    "commands that look at servers start approved, enabled processes before the code that connects is loaded, each once and no other",
  "listing:restless":
    "a server that keeps reporting changes is listed ever more rarely, its last state always, and promptly after a calm time",
  "listing:same-definition":
    "one comparison of tool definitions ignores member order, and treats what is too deep to compare as different",
  "supervise:states":
    "a supervisor moves between its states only as one table lists, and the documentation draws that table",
  "supervise:outlook": "one table decides which faults another start can fix, and gives a remedy for each",
  "supervise:delay":
    "delays double from the first to the longest, only jitter shortens them, and Retry-After is honoured",
  "supervise:breaker":
    "many failures in a short time or without a good start open the breaker: tools are withdrawn, tries are rare, a good start closes it",
  "supervise:unseen":
    "a call during a restart succeeds; descriptors keep their identity and no change is reported",
  "supervise:acquire":
    "acquire joins a restart, starts a dormant server, or rejects in time with a fault that explains why",
  "supervise:final": "a cause that another start cannot fix is not retried, and a refused login is shown",
  "supervise:dormant": "an idle server is stopped, keeps its tools and starts on demand",
  "supervise:unlisted": "a server whose tools could not be listed yet is not stopped when it is idle",
  "supervise:lazy":
    "a lazy server shows its tools from a seed, or learns them by one start, and then runs only after a call",
  "supervise:check": "an unused server is pinged, and one that does not answer is restarted",
  "health:hang":
    "a server that was ready and answers nothing any more is restarted: two calls without a byte, then unanswered probes",
  "health:slow":
    "a server that answers the probes, if only with an error, is shown as slow until a call is answered, and is not restarted",
  "health:no-alarm":
    "a single deadline, a call that its client cancelled, and a server that writes anything raise no suspicion",
  "health:running-calls": "a hanging server is not restarted while a call waits for it, and new calls wait",
  "health:off": "the watch for hanging servers can be turned off",
  "health:patience":
    "calls of a gateway's clients end with the client's patience, or with a limit that the server's row names",
  "supervise:restart":
    "restart closes and starts a server from any state, and never rejects for a bad server",
  "supervise:reload":
    "a reload touches only the rows that changed, and takes the order of the new configuration",
  "supervise:drain": "idle stop and reload do not end an endpoint during a leased call, within a time limit",
  "supervise:tear-down":
    "tearDown cancels pending restarts, takes limited time, and leaves nothing running or starting",
  "supervise:status":
    "the status explains phase, state, tools, restarts, fault and remedy, and every change is reported",
  "supervise:off": "without supervision a server that failed stays failed",
  "supervise:statuses":
    "one table gives the meaning of an HTTP status for request and connection, and is checked for every status",
  "supervise:retry-after":
    "Retry-After is read as seconds or date, invalid values are ignored, and the maximum is a minute",
  "supervise:ask-again":
    "a request is repeated only if it did not run or is harmless to repeat, at most three times",
  "supervise:session":
    "a lost session is opened again once for all callers, and only requests that did not run are repeated",
  "supervise:redeploy":
    "a server that was ready recovers after a time of 404 and the like; one that never was ready is not retried",
  "supervise:once": "no side effect is ever repeated, however often and whenever the server is killed",
  "supervise:killed": "a call whose server is killed fails soon, and the next one succeeds soon after",
  "supervise:neighbours": "a crash loop opens the breaker and does not slow down other servers",
  "supervise:company": "dead, mute, flooding and dying servers delay no start and affect no other server",
  "fleet:refused-row":
    "a row that asks for something unknown is refused with one line, not started and not advertised",
  "fleet:wrong-row":
    "a row with a member of a wrong kind, or without an id, is a faulted server that says so; no other server is affected",
  "fleet:feed":
    "what a server reports outside of calls reaches the listeners of the fleet, also after a restart; log messages name who may see them",
  "fleet:watches":
    "watchers of one resource share one subscription, which is renewed after a restart or a change of the row with one update and ended with the last watcher",
  "fleet:log-level":
    "each server has the most verbose level that a client or a request asks for, also after a restart",
  "fleet:share":
    "a server can run once per session or principal: started by a call, limited, stopped when idle, ended with its client",
  "fleet:untrusted":
    "a pending row is listed as untrusted with the way to approve it, and nothing starts it before that",
  "supervise:shown-states": "every state that a status can show is produced by the fleet",
  "fleet:chosen": "a configuration can disable a server and select its tools",
  "fleet:starts-at-once":
    "of several starts at the same time the last counts: one set of servers runs, and none after tearDown",
  "supervise:killed-owner": "when the owner of a fleet is killed, none of its servers is left",
  "supervise:failing-starts": "starts that fail for a temporary reason are retried until the server runs",
  "starts:cap":
    "at most startConcurrency processes start at a time, HTTP is counted apart, and a mute server frees its slot after 3 s",
  "starts:order":
    "servers start in this order: called now, required, never seen before, the shortest start, restarts, tried and never ready",
  "starts:idle":
    "on Linux a process that uses no processor frees its slot for those that wait; elsewhere only after 3 s",
  "starts:in-vain":
    "a server that was tried and never ready, also in a run that was cut off, starts after the others",
  "starts:mute": "twelve mute servers before healthy ones delay these by less than a third",
  "starts:stop": "a stop empties the queue at once, and nothing starts after it",
  "starts:queued":
    "a waiting server is shown as queued, and its connect deadline and acquireMs begin when its slot is granted",
  "starts:installs":
    "first starts that install run two at a time and one per package, with a deadline of their own",
  "starts:recognised": "a launch that installs a package is recognised by its command line",
  "starts:waiting-call":
    "a call that waits for a start gets progress, and an error that says to call again before its client gives up",
  "starts:warm":
    "indus mcp warm starts every server once, prints one line per server with its time, ends them, and exits with 1 if any failed",
  "starts:npx-cache":
    "a damaged folder of the npx cache is recognised and named, with the command that removes it alone",
  "starts:no-sign-of-work":
    "a start whose processes use almost no processor time, read and write almost nothing and send nothing is reported as mute; one that computes, writes, prints or waits for a download is not",
  "starts:interrupted":
    "a start that the end of a run interrupts counts from 3 s on, an installation only if it shows no sign of work",
  "starts:history":
    "the fleet records each start that succeeds or fails, by default in memory and by the launch of a server",
} as const;
