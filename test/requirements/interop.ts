export const interop = {
  "interop:pins": "names, kinds, phases and identity of the bridge are pinned by literals",
  "interop:lazy-sdk": "importing indusagi/interop loads no MCP package; opening an endpoint does",
  "interop:wire-name":
    "wire names are legal, injective, plain where possible, and depend on their pair alone",
  "interop:fault":
    "a fault keeps kind, server, reason, cause and the peer's error, and its message never repeats its kind",
  "endpoint:phases": "an endpoint goes through its phases by the table alone, opens once and ends once",
  "endpoint:single-flight": "callers of open share one attempt, and one that gives up leaves it running",
  "endpoint:single-shot": "open on a closed endpoint is not_connected, on a faulted one the very same fault",
  "endpoint:both-eras": "a server of either era is listed and called through the same endpoint",
  "endpoint:renewed": "a server known as legacy that refuses to be opened so is probed at the next opening",
  "endpoint:verbatim": "every block kind, annotation, _meta and unknown member arrives as the server sent it",
  "endpoint:rpc-error": "an upstream JSON-RPC error arrives with code, message and data",
  "endpoint:definition":
    "a tool's definition is kept as it was sent, the descriptor shows the configured profile",
  "endpoint:listing": "all pages are listed; a malformed tool and a repeated cursor hide nothing else",
  "endpoint:list-changed": "a changed list is fetched again, once for many notices, and told as a change",
  "endpoint:failed-listing":
    "a listing that failed is tried again until it works or the endpoint ends, and its tools are told",
  "endpoint:abort": "an abort in flight ends the call at once with its reason, and the server is told",
  "endpoint:deadline": "a passed deadline is a timeout fault, progress starts it anew, and the total caps it",
  "endpoint:progress": "progress notes of a call reach its caller and nobody else",
  "endpoint:questions":
    "a server's question reaches the one caller there is, or the owner's answers, in both eras",
  "endpoint:entered-once": "a call is registered with the question router once, and for its whole duration",
  "endpoint:two-callers": "with two callers in flight on one legacy server its question reaches neither",
  "endpoint:suspend":
    "input_required suspends for a caller that can take it, and a resumed call carries state and answers",
  "endpoint:capabilities": "elicitation, sampling and roots are advertised only when somebody can answer",
  "endpoint:strays": "late, doubled and foreign answers resolve nothing",
  "endpoint:listeners": "a listener that throws costs nobody an answer",
  "endpoint:tasks": "a tool that must run as a task is driven as one",
  "stdio:frames": "frames of any slicing are read whole, and one over the cap fails its own call only",
  "stdio-host:slices":
    "a host on stdio holds memory in proportion to a message, however small the slices it arrives in",
  "stdio:garbage": "banners and other lines that are no messages are skipped, counted and shown",
  "stdio:stderr": "floods of standard error stall nothing, and its end is quoted in faults with the exit",
  "stdio:environment": "a server gets the safe environment and what its row names, and no secret of ours",
  "stdio:second-start":
    "a server that dies of the probe is started once more; no other is ever started twice",
  "stdio:no-orphans": "closing, failing and timing out leave no process behind",
  "http:transports": "Streamable HTTP and SSE are spoken, each falls back to the other unless pinned",
  "http:both-eras": "a server behind HTTP is listed and called in both eras, with progress and headers",
  "http:redirects": "a redirect to another origin is refused, and nothing reaches its target",
  "http:session-lost": "a lost session faults the endpoint, and says that the call did not run",
  "http:sse-lost": "a lost stream of events ends the connection at once, and a supervised server comes back",
  "http:listens-again":
    "a subscription to changes that ended is made again while the session stands, and the gap is made up for",
  "http:streams-end":
    "a request that was given up leaves no stream open, in either era, and the connection stands",
  "http:login": "static headers and a token provider reach the server; a refused token is a fault of login",
  "http:faults": "a dead address, a wrong path and a refused login are transport faults that say which",
  "fleet:isolation": "one bad server leaves the others ready and stays in the status with its fault",
  "fleet:order": "endpoints and status keep configuration order, and the later of two equal ids counts",
  "fleet:membership": "servers are added and removed while the others run on",
  "fleet:spin-up": "spinUp starts the last configuration with fresh endpoints, also after tearDown",
  "fleet:lease": "acquire gives a usable endpoint, joins a start under way, or refuses with a fault",
  "bridge:mount": "the tools of all servers are one box under wire names, each with origin and definition",
  "content:round-trip": "an MCP block converted to a block of ours and back is the same block",
  "content:data": "only the mark makes json an MCP block again; other data goes out as text",
  "content:text-members":
    "annotations, _meta and unknown members of a text block survive the bridge and the host",
  "bridge:content": "plain text becomes text, every other block is kept whole and marked, nothing is lost",
  "bridge:wire": "an outcome's wire value deep-equals what the server sent",
  "bridge:retry":
    "a call that certainly did not run is repeated once on the next endpoint, and never otherwise",
  "bridge:on-change":
    "a change at a server is a difference at the box; an unchanged tool keeps its descriptor",
  "bridge:everything": "each tool of server-everything answers over stdio, Streamable HTTP and SSE",
  "bridge:real-servers":
    "the public filesystem, memory and sequential-thinking servers are mounted and called",
} as const;
