/** `indus up`: one background gateway for all of a user's clients. */
export const background = {
  "background:shares":
    "clients with the same folder, rows and environment share one process of each server; any difference in what makes a process makes another one",
  "background:apart":
    "clients never see each other's secret, question, log message or subscription, whichever instances they share",
  "background:key":
    "an instance is identified by everything that makes its process or connection, and by nothing else",
  "background:user-share":
    'a row with "share": "user" runs once for all folders, in the home folder; one that depends on a folder is refused',
  "background:recovers": "a shared server that dies is started once more, for all its users",
  "background:life":
    "indus up starts one gateway in a session of its own, indus status shows it, indus down ends it and everything it started",
  "background:found":
    "the socket and its key are in a folder that only the user can open, under a path of less than 100 bytes, with the version in their name",
  "background:proof":
    "neither side of a connection says anything before the other has proved that it knows the key",
  "background:private":
    "a client that cannot use the gateway, or must not, runs its servers itself, and says so in one line",
  "background:killed":
    "when the gateway is killed, only calls in flight fail, each with whether it may have run; nothing runs twice, no process is left, and the next call works",
  "background:replay":
    "a new connection gets the handshake, the log level and the subscriptions again, and only the requests that were never written",
  "background:silent":
    "a gateway that is stopped counts as lost for its clients; one that only stood still for seconds does not, and what it reads after its clients gave it up never runs",
  "background:at-once": "twenty clients that start at the same moment share one gateway and one process",
  "background:upgrade":
    "after an upgrade the old gateway serves its clients until they leave, and takes no new ones",
  "background:commands":
    "indus mcp call, list and tools use a running instance instead of starting a second one, and print what they print without it",
  "background:hidden":
    "sandboxed commands see neither the socket nor the key, and indus up is refused inside a session",
} as const;
