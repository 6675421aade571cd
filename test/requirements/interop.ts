export const interop = {
  "interop:pins": "names, fault kinds, phases and identity of the bridge are pinned by literals",
  "interop:lazy-sdk": "importing indusagi/interop loads no MCP package; opening a server behind HTTP does",
  "interop:wire-name": "wire names are legal, injective, plain where possible, and depend only on their pair",
  "interop:fault":
    "a fault keeps kind, server, reason, cause and the peer's error, and its message does not repeat its kind",
  "endpoint:phases": "an endpoint makes only the transitions in the table, opens once and ends once",
  "endpoint:single-flight":
    "concurrent calls of open share one attempt, and an abort of one leaves it running",
  "endpoint:single-shot":
    "open on a closed endpoint is not_connected; on a faulted one it rejects with the same fault",
  "endpoint:both-eras": "servers of both eras are listed and called through the same endpoint",
  "endpoint:handshake":
    "server processes are probed and initialized without the SDK, with the same messages and conclusions",
  "endpoint:renewed": "a server remembered as legacy that refuses to open is probed at the next open",
  "endpoint:verbatim": "each block type, annotation, _meta and unknown member arrives as the server sent it",
  "endpoint:rpc-error": "an upstream JSON-RPC error arrives with code, message and data",
  "endpoint:definition": "a tool's definition is kept as sent; the descriptor shows the configured profile",
  "endpoint:listing": "all pages are listed; a malformed tool or a repeated cursor does not hide other tools",
  "endpoint:list-changed":
    "a changed list is fetched again, once for many notifications, and reported as a change",
  "endpoint:failed-listing":
    "a failed listing is repeated until it succeeds or the endpoint ends, and its tools are reported",
  "endpoint:abort": "an abort ends a call in flight at once with its reason, and the server is notified",
  "endpoint:deadline": "a passed deadline is a timeout fault; progress restarts it, up to the total limit",
  "endpoint:bytes":
    "the bytes of a large result are kept if they are valid and need no change; it is parsed only when somebody reads it",
  "endpoint:lean":
    "a call of a ready server is sent without waiting, with few promises, one write for many calls, and no timer of its own",
  "endpoint:progress": "progress of a call reaches only its caller",
  "endpoint:questions": "a server's question reaches the only caller, or the owner's answerer, in both eras",
  "endpoint:attribution":
    "what a server says or asks without naming a call goes to a client only if no other client can have caused it",
  "endpoint:entered-once": "a call is registered with the question router once, and for its whole duration",
  "endpoint:two-callers":
    "with calls of two callers in flight on a legacy server, its question reaches neither",
  "endpoint:suspend":
    "input_required suspends for a caller that supports it, and the resumed call carries state and answers",
  "endpoint:capabilities": "elicitation, sampling and roots are advertised only if they can be answered",
  "endpoint:text-ids":
    "a server that repeats ids and progress tokens as text is understood on every transport, and its status says so once",
  "endpoint:strays": "late, duplicate and foreign answers resolve nothing",
  "endpoint:listeners": "a listener that throws does not affect other listeners or answers",
  "endpoint:logs":
    "a log message of a server goes to the caller of its call, once; if the call is not known, to the only caller or to the fleet's log",
  "endpoint:notifications":
    "listeners get every notification of a server; the SDK gets only those that we do not handle alone",
  "endpoint:tasks": "a tool that requires a task is run as a task",
  "stdio:leftover":
    "after the exit of a server process nothing that its children write counts, and no message is sent to them",
  "stdio:oversized":
    "the call that a message over the limit answers fails when the message ends; a message without an id closes nothing",
  "stdio:frames": "frames of any slicing are read whole, and one over the limit fails only its own call",
  "stdio-host:slices":
    "a host on stdio holds memory in proportion to a message, however small the slices it arrives in",
  "stdio:garbage":
    "output lines that are not messages are skipped, counted and shown, also in the fault of a server that did not connect",
  "stdio:stderr":
    "floods of standard error do not block, and its last lines are quoted in faults with the exit code",
  "stdio:environment":
    "a server gets the safe environment and the variables of its row, and none of our secrets",
  "stdio:second-start":
    "a server that exits during the probe is started once more, unless it says that a variable, program or package is missing; no other is started twice",
  "stdio:no-orphans": "closing, failing and timing out leave no process behind",
  "http:transports": "Streamable HTTP and SSE are supported, each with fallback to the other unless pinned",
  "http:both-eras": "a server behind HTTP is listed and called in both eras, with progress and headers",
  "endpoint:command-value":
    "a value from a command is read once at a start, reaches only its server, and is in no fault or status",
  "http:proxy":
    "requests to a server use HTTP_PROXY, HTTPS_PROXY and NO_PROXY, and a problem with the proxy is named",
  "http:authorities": "requests to a server trust the authorities of SSL_CERT_FILE besides those of Node",
  "http:redirects": "a redirect to another origin is refused, and its target gets no request",
  "http:session-lost": "a lost session faults the endpoint and reports that the call did not run",
  "http:sse-lost": "a lost event stream ends the connection at once, and a supervised server comes back",
  "http:listens-again":
    "an ended subscription to changes is renewed while the session lasts, and missed changes are looked up",
  "http:streams-end": "an abandoned request leaves no stream open, in either era, and the connection remains",
  "http:login": "static headers and a token provider reach the server; a refused token is an auth fault",
  "http:faults":
    "an unreachable address, a wrong path and a refused login are transport faults that name the problem",
  "fleet:isolation": "a failing server leaves the others ready and stays in the status with its fault",
  "fleet:order": "endpoints and status keep configuration order, and of two equal ids the later one is used",
  "fleet:membership": "servers are added and removed while the others keep running",
  "fleet:spin-up": "spinUp starts the last configuration with fresh endpoints, also after tearDown",
  "fleet:lease": "acquire returns a usable endpoint, joins a start in progress, or rejects with a fault",
  "bridge:mount": "the tools of all servers are one box under wire names, each with origin and definition",
  "publish:law":
    "a definition that the official clients of both generations accept, and whose output schema has no names, is published as the same object; any other one is accepted after one repair, or left out",
  "publish:repairs":
    "a malformed definition is repaired where its meaning is clear, and left out otherwise; members that no client looks at stay",
  "publish:compiles":
    "an output schema that the validator of an official client cannot compile is dropped; valid ones are kept",
  "publish:names":
    "names in output schemas (`$id`, `$anchor`) never fail a list or mix up two tools: those that nothing refers to are removed, and a schema with others is dropped",
  "publish:named":
    "what is left out of a list is named in one line: three of it, each with the reason, and a count",
  "content:round-trip": "an MCP block converted to a block of ours and back is the same block",
  "content:data": "only the mark makes json an MCP block again; other data goes out as text",
  "content:text-members":
    "annotations, _meta and unknown members of a text block survive the bridge and the host",
  "bridge:overrides":
    "a tool that its row renames or describes is shown so to models and clients, runs under its own name, and takes no other tool's name",
  "bridge:review":
    "a review decides what is offered of each listing, live and of the last run; a withheld tool is refused by policy",
  "bridge:review-first":
    "a call that waits for its server to start is sent only when the server's new list was reviewed, and not if the tool is withheld by then",
  "bridge:content": "plain text becomes text, every other block is kept whole and marked, nothing is lost",
  "bridge:wire": "an outcome's wire value deep-equals the server's result",
  "bridge:retry":
    "a call that certainly did not run is repeated once on the next endpoint; no other call is repeated",
  "bridge:on-change":
    "a change at a server is a difference at the box; an unchanged tool keeps its descriptor",
  "bridge:everything": "each tool of server-everything answers over stdio, Streamable HTTP and SSE",
  "bridge:real-servers":
    "the public filesystem, memory and sequential-thinking servers are mounted and called",
} as const;
