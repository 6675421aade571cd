/** A gateway for a team: who may use it, what it records, and how it is watched. */
export const gatewayTeam = {
  "access:tokens":
    "`indus token add`, `list` and `revoke` keep named tokens in a private file that holds only their hashes; a token is shown once",
  "access:file":
    "Changes of the tokens by several processes are not lost, and a damaged or open file admits no client",
  "access:grant":
    "A token with lists allows only those servers and tools, in both eras, in lists, searches, calls and refusals alike; its own mode decides how tools are listed",
  "access:calls":
    "A token with a limit runs no more calls at the same time, of tools, resources, prompts and completion together; another token is not affected",
  "access:revoked": "A revoked token is refused at once, and its streams and calls end",
  "access:loopback":
    "On this machine no token is needed for tools of servers and for the profiles `none` and `read-only`; a wrong token, and a request that a proxy forwarded without one, is refused",
  "access:needed":
    "`full`, `all`, `--require-token` and an address for other machines need a token; without one an address for other machines is refused before a server starts",
  "access:no-command":
    "No request can carry a command: whatever a client sends, no process is started but those of the configuration, and a server or profile that does not exist is 404",
  "access:upstream": "The header with the token of a client reaches no server",
  "audit:record":
    "Each call through a gateway, of a tool, a resource, a prompt or completion, is recorded when it has ended: who, what, when, how long, how it ended, and sizes, with a request id; arguments, results and secrets are not",
  "audit:bounded":
    "The audit trail is two private files of limited size that several gateways write; a call does not wait for it, and a full disk is one line",
  "audit:command":
    "`indus audit` shows recorded calls by server, tool, principal, time, method and outcome, and follows new ones",
  "operations:pages":
    "`/healthz`, `/readyz` and `/metrics` are served beside the endpoint: health to everyone, metrics on this machine or with a token that allows everything; wrong host names, origins and methods are refused",
  "operations:ready":
    "`/readyz` answers 200 while all required servers are ready, otherwise 503, without names",
  "operations:metrics":
    "`/metrics` counts calls by server and outcome, their time and bytes, servers by state, sessions, requests and streams; the labels are limited in number",
  "operations:log":
    "The log is text or JSON, on standard error or in a private file; JSON lines have each call with the shape of its arguments, and no values or secrets",
  "operations:rest": "a gateway with nothing to do gives back the memory of the calls before",
  "operations:max-sessions":
    "without tokens all clients share one limit of sessions, `--max-sessions` sets it, and a refusal names both",
  "operations:drain": "After SIGTERM running requests may go on for `--drain` seconds, new ones are refused",
  "previews:shorten":
    "With `--preview-over` a larger result becomes a preview with a link to the whole; never where an output schema must hold, never on the route of one server, and by default never",
  "previews:whole":
    "The whole result is read exactly as a resource, and in windows and by search with `read_result`, only by the principal or session that caused it",
  "previews:bounded":
    "Kept results expire, and are limited in number and size; many of one client do not push out those of another",
} as const;
