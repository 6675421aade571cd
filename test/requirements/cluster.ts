/** Gateways and workers on several machines, which share what lies in NATS. */
export const cluster = {
  "cluster:link":
    "while both ends of a link live, each message arrives exactly once and in order, whatever NATS loses, repeats or delays, and large messages do not hold small ones up",
  "cluster:garbage": "a message that no node sends ends at most the link that it is for",
  "cluster:unsent":
    "when a link ends, requests that certainly never arrived fail so that they are repeated, and all others as calls that may have run",
  "cluster:placement": "the least loaded worker that has the labels of a row gets its server",
  "cluster:rows": "a gateway learns neither how a server is started nor what its variables hold",
  "cluster:refused":
    "NATS on another machine without TLS and credentials, secrets in a URL, servers before 2.12 and a cluster that is not set up are refused with one line that names the way out",
  "cluster:unloaded": "without --cluster nothing of NATS is loaded",
  "cluster:calls": "every gateway of a cluster serves its servers, each of which runs once, on a worker",
  "cluster:questions": "a question that one gateway asked may be answered at another one, for the same call",
  "cluster:tasks":
    "tasks of a server are through a cluster what they are through one gateway, for clients of both eras: what its tools say about tasks, the lifetime that a client asks for, each question once, news of changes; a modern client follows them at any gateway",
  "cluster:extensions":
    "each client of a cluster gets the tools that a server lists for the extensions it declared",
  "cluster:sessions":
    "a session of the older protocol may be used through every gateway, which forwards its requests to the one that has it; only with the same token, and 404 when that one has ended",
  "cluster:limits":
    "a token's calls at all gateways together never exceed its limit; permits that a gateway does not use are had by others at once, and those of a dead one when its lease has ended",
  "cluster:pins":
    "a tool whose changed form is withheld is withheld at every gateway, and approved or refused for all of them with one command; another row for the same program keeps what was approved",
  "cluster:catalogue":
    "a gateway shows what servers offered before a worker has answered it: what any gateway listed, large listings too",
  "cluster:links":
    "what a result of one gateway links to is read at every other one: resources that no list has, and the whole of a result that was previewed",
  "cluster:instances":
    "in a cluster too, clients that must not share a process of a server have their own, the same at every gateway",
  "cluster:revoked":
    "a revoked token's streams and calls end at every gateway within two seconds of the write, and a gateway that is cut off from NATS refuses tokens",
  "cluster:both":
    "one process may be gateway and worker; profiles with tools that change files are refused with one line",
  "cluster:drain": "draining a worker moves its servers without a failed call",
  "cluster:killed":
    "when a worker is killed, calls under way say that they may have run, and the next owner starts the server only after the old process has ended",
  "cluster:fenced": "a worker whose lease is taken ends its servers",
  "cluster:still": "the servers of a worker that stands still are ended before another worker may start them",
  "cluster:approvals":
    "a gateway asks its client before a call that its rules or protected names hold back, and the worker does not ask again; relative paths are not those of the gateway",
  "cluster:proofs":
    "while workers and NATS servers are killed, cut off or restarted, no call runs twice, no call said not to have run did, none is left without an answer, each client gets its own answers, and no two processes of a server live at once",
  "cluster:state":
    "commands with --cluster change servers and tokens for all gateways, and a revoked token is refused by each within seconds",
  "cluster:check":
    "cluster check finds a cluster without workers, writes that are not flushed, and users who may write configuration",
  "cluster:ledger":
    "the ledger of a server is written by the worker that began last, an event that was acknowledged is there once and in order, and commands read it like that of one machine",
  "cluster:ledger-kills":
    "rival writers and NATS servers may be killed at any moment: no acknowledged event of the ledger is lost, repeated or out of order",
  "cluster:history":
    "mcp history, mcp explain and mcp diff take --cluster, and show the tools of all servers, without those that only moved to another worker",
  "cluster:logins":
    "mcp login --cluster seals a login for all workers that have the key file; NATS never has a token, and of several workers one renews it",
  "cluster:audit":
    "indus audit --cluster shows the calls of all gateways with the filters and the output of one machine, and neither contents nor secrets",
  "cluster:audit-spill":
    "while NATS is away calls go on, and what they leave for the audit trail is kept in a file of limited size and delivered afterwards, each record once",
} as const;
