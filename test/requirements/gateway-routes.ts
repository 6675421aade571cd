/** What `indus serve` offers at each path, and what happens when its configuration changes. */
export const gatewayRoutes = {
  "routes:paths":
    "A listener serves one host at each of its paths; sessions and limits hold for the whole listener",
  "routes:unknown":
    "A path that is not a route is answered with 404 and a JSON-RPC error that names the routes, after the token is checked",
  "routes:path-law": "Every route has one path, and every path names at most one route",
  "routes:server":
    "`/mcp/<server>` offers one server under its own tool names with its definitions unchanged, behind the same policy",
  "routes:profile":
    "`/mcp/p/<profile>` offers a named part: the built-in ones as far as the gateway offers them, and those of the configuration, each with its own way to list tools",
  "routes:view": "A view of a box shows some of its tools, perhaps under other names, and follows the box",
  "routes:introduction":
    "A host can present itself as another server: name, instructions and capabilities, as far as it can do what they say",
  "routes:missing-capability":
    "The error of a server about a missing capability reaches a client that lacks it, and no other",
  "config:profiles":
    "Profiles of a configuration file are read with their position; one that cannot be used is dropped as a whole, and one of a project hides none of the user",
  "config:baggage":
    "a row can allow the `baggage` of callers to be sent to its server, and an approval covers that",
  "config:connectors": "a row can make its server a gateway of `saas-action`, and an approval covers that",
  "config:lazy": "`lazy` and `idleMs` of a row are read, checked and written",
  "config:last-good":
    "A file that is broken counts as if it had its last good text, and a row as if it had its last good form, with one diagnostic",
  "watch:files": "A change of a file is noticed once it is complete; many changes in a row settle",
  "watch:rows":
    "While `indus serve` runs, a row that is added, changed or removed touches only its server, and clients are told",
  "watch:broken": "A broken file keeps the last good state, with one line",
  "watch:row":
    "A row that becomes unusable while `indus serve` runs keeps its last good form, with one line; `indus__status` names it",
  "watch:protected": "No call changes a file that is followed without a question, whatever the rules allow",
  "watch:trust": "A new row of a project is not started before its approval, and is reported",
  "lazy:fleet":
    "A lazy server runs from its first call until it is idle; one that was never listed is started once, and everything it has is learned before it stops",
  "lazy:serve":
    "With `--lazy` the second start of a gateway answers its lists with no server running; a server starts with its first call and stops when it is idle",
} as const;
