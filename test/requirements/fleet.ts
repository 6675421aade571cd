export const fleet = {
  "listing:same-definition":
    "one comparison of tool definitions ignores member order, and treats what is too deep to compare as different",
  "supervise:states":
    "a supervisor moves between its states only as one table lists, and the documentation draws that table",
  "supervise:prospects": "what cannot heal is told from what can, by one table, and each has a way out",
  "supervise:delay":
    "delays double from the first to the longest, shortened by jitter alone, and honour Retry-After",
  "supervise:breaker":
    "many failures in a while or without a good start open the breaker: tools leave, one try at times, they return",
  "supervise:unseen":
    "a call during a restart succeeds unnoticed; descriptors keep their identity and no change is told",
  "supervise:acquire":
    "acquire joins a restart, starts what sleeps, or refuses in time with a fault that says why",
  "supervise:no-hope": "a cause that cannot heal is not tried again, and a refused login is shown as such",
  "supervise:dormant":
    "an idle or lazy server is stopped or not started at all, keeps its tools, and wakes on demand",
  "supervise:check":
    "a server nobody speaks to is asked now and then, and one that is silent is started again",
  "supervise:restart": "restart closes and starts afresh from any state, and never rejects for a bad server",
  "supervise:reload": "a reload touches only the rows that changed, in the order of the new configuration",
  "supervise:drain": "idle stop and reload end no endpoint in the middle of a leased call, within a bound",
  "supervise:tear-down":
    "tearDown clears pending restarts, is bounded, and nothing starts or lives afterwards",
  "supervise:status":
    "status explains phase, state, tools, restarts, fault and way out, and tells of changes",
  "supervise:off": "without supervision a server that failed stays as it is",
  "supervise:statuses":
    "what an HTTP status means for request and connection is one table, held against every status",
  "supervise:retry-after":
    "Retry-After is read as seconds or date, nonsense is ignored, and a minute is the most",
  "supervise:ask-again":
    "a request is asked again only if it did not run or does no harm twice, thrice at the most",
  "supervise:session":
    "a lost session is opened again once for all callers, and only what did not run is repeated",
  "supervise:redeploy":
    "a server that was ready comes back by itself after a time of 404 and the like; one that never was is left",
  "supervise:once": "no side effect is ever repeated, however often and whenever the server is killed",
  "supervise:killed": "a call whose server is killed fails soon, and the next one is good soon after",
  "supervise:neighbours": "a crash loop opens the breaker and costs the neighbours nothing",
  "supervise:company": "dead, mute, flooding and dying servers delay no start and touch no other server",
  "fleet:chosen": "A configuration can switch a server off and choose among its tools",
  "fleet:starts-at-once":
    "Of starts at the same time the last counts: one set of servers runs, and none after tearDown",
  "supervise:killed-owner": "When the owner of a fleet is killed, none of its servers is left",
  "supervise:failing-starts":
    "Starts that fail for want of something passing are tried again until the server is there",
} as const;
