/** What servers have beside tools, passed on to the clients of a host: names, lists, reads. */
export const relay = {
  "relay:namespaced":
    "a namespaced URI is the server and its URI, in one spelling, and no two pairs of them share a name",
  "relay:uris":
    "a resource URI is passed on as it is while one server has it, and is namespaced from the first clash on; the plain one is then an error that names both servers",
  "relay:unlisted":
    "a URI in no list belongs to the server that gave this client a link to it, else to the one with a template for it; no server is tried in turn",
  "relay:links": "links are remembered per session or principal, and their number is limited",
  "relay:rewritten":
    "URIs in links, embedded resources, templates and _meta are renamed only where they are namespaced, also in questions for a model, and back in requests",
  "relay:prompts": "prompts have wire names like tools; icons, titles, annotations and _meta are passed on",
  "relay:completion":
    "a completion is asked of the server that has the prompt or template, under its name there",
  "relay:advertised":
    "completion is offered to a client only if one of its servers supports it or is not known yet; prompts and resources always, because servers may come later",
  "relay:last-known":
    "lists are answered from what is last known while a server does not answer, and wait at most the patience",
  "relay:matrix":
    "calls, elicitation, sampling, roots, progress, cancellation, changes of lists and log messages pass between clients and servers of either era",
  "relay:watches":
    "clients of either era that watch one resource share one subscription of its server, which is renewed after a restart with one update and ends with the last client",
  "relay:log-levels": "a server gets the most verbose level of all clients, and each client gets its own",
  "relay:no-guess":
    "what a server writes or asks outside of a call reaches a client only if it can be for no other one",
  "relay:withdrawn": "a question that its server withdraws is withdrawn from the client, and gets no answer",
  "relay:only-client":
    "the only client of a host answers questions outside of calls, and its changed roots are announced",
  "relay:own-instance":
    "a server that runs once per client starts with its call, answers every question of it, and ends with it",
  "relay:instructions":
    "the composed instructions have a line of our own and one per server, keep the limit, and cut texts at a sentence; the full texts are resources",
  "relay:cache-kept":
    "a server's list is requested once within the lifetime that the server stated, whoever wants it, unless a change is reported or the connection is new",
  "relay:cache-renewed":
    "after that lifetime the tools of a server that reports no changes are listed again for the next list of a client, never by a timer, and a server that hangs delays it only briefly",
  "relay:cache-stated":
    "lists state the shortest lifetime that is left of their servers' parts, and private if a part is or another client may get another list; legacy servers have 0, or a short time of ours if they report changes",
  "relay:cache-read":
    "the content of a resource keeps its server's hint and is not stored; an answer to questions has none, and the legacy era has no hints",
  "relay:trace":
    "traceparent and tracestate of tools, resources, prompts and completion reach the server unchanged in both eras; baggage only if its row says so",
  "relay:scope": "one server can be relayed under its own names, or some servers under the shared ones",
  "serve:live":
    "through the gateway: subscriptions survive a restart of their server, changes and log messages arrive, and a server can run once per client",
  "serve:only-client":
    "over stdio the only client answers what servers ask outside of calls, such as the roots at their start, and its changed roots are announced",
  "serve:instructions":
    "instructions are a digest of at most 2,000 characters, also before servers run; the full text is a resource, and unchanged on the route of its server; unapproved changes are held",
  "serve:cache":
    "through the gateway every cacheable result of the modern era has a truthful hint, on /mcp and on the route of a server; what depends on tokens or a profile is private, and a list that changes with use is not cached",
  "serve:relay":
    "`indus serve` passes on resources, templates, prompts and completion, over stdio and HTTP, to clients of both eras",
  "serve:clashes": "a URI that two servers had stays namespaced after a restart of the gateway",
  "serve:relay-patience":
    "a server that hangs delays a list of a gateway by at most the patience, and its last known items are listed",
  "serve:status":
    "`indus__status` is offered only while a server is down, needs a login, is not approved, has malformed definitions or is quarantined, and says which, why and what to run",
} as const;

/** Extensions of the protocol, between clients and servers of a gateway. */
export const extensions = {
  "extensions:advertised":
    "a client learns of the extensions of the servers it may see, cut to those that can be routed, with merged settings; experimental capabilities are not copied",
  "extensions:declared":
    "a modern server gets each client's own declarations, a shared legacy server one superset, and logins at a server are never passed on",
  "extensions:forwarded":
    "a request of an unknown extension is passed on as it is: on a server's own route, or by a prefix in its row, only for callers who may use the whole server, and only if no rule concerns its tools; it is recorded and counted like a call",
  "extensions:key":
    "clients that declared the same relayed extensions share their lists, whatever else they declared",
  "extensions:lists":
    "a client gets the tools, resources, templates and prompts that a modern server lists for clients with its relayed extensions, on /mcp and on the server's route; a server that declares none of them is asked once for all clients",
  "extensions:lists-kept":
    "the lists for clients with extensions are shared by them, renewed when the server reports a change, and remembered across restarts; catalogue files of earlier versions are still read",
  "extensions:lists-ruled":
    "a tool that only clients with some extensions get is pinned, filtered and ruled like any other: neither it nor another form of a known tool is a way around a pin, a rule or a withheld tool",
  "tasks:kept":
    "a call of a tool that may run as a task goes on after its answer, for a modern client that follows tasks, which gets its state, questions and result later and may cancel it",
  "tasks:refused":
    "a request about tasks, or a tool that needs one, is refused with -32021 for a client that did not declare tasks; an unknown id is -32602, a removed method -32601",
  "tasks:limits":
    "tasks are limited per client, in number and in the size of their results, and expire; each limit has a clear error",
  "tasks:handles":
    "the id of a server's task is sealed, the same every time, valid only for the principal that created it, and outlives the process with its key",
  "tasks:pushed":
    "a modern client that subscribes to tasks is acknowledged by id for those that it owns, and is sent each with its whole state now and after each change, over stdio and HTTP, for tasks of the host and of servers; without the extension it is refused with -32021; nothing is left after the subscription",
  "tasks:after":
    "with `--task-after`, or `afterMs` of a host's tasks, a call of any tool that takes longer becomes a task for a modern client that follows tasks, with its progress and questions; for other clients, without room for a task, at /mcp/SERVER and by default it stays a call",
  "tasks:relayed":
    "a modern client follows the tasks of a modern server through a gateway; for a client that follows none the gateway does it where the server needs it",
  "tasks:legacy":
    "a client of the revision 2025-11-25 runs tools as tasks through a gateway, whatever the era of their server: it asks for one, for its state, waits for the result while it is asked the questions, lists and cancels its own; older revisions are offered none",
  "tasks:minted":
    "a tool of a server with the extension that answers a legacy client's task at once, and a tool of a host, become tasks that are kept: limited in number and size, with a time to live that is capped",
  "tasks:translated":
    "a modern client that follows tasks follows those of a legacy server: flat states, the result or error inside, questions that are kept until they are answered",
  "tasks:own-only":
    "the handle of a task works for its principal alone, also after a restart; a list of tasks has only those of the principal, and their changes are reported to nobody else",
  "apps:official":
    "the host library of the official package for MCP Apps lists, reads and runs an app through the gateway, for clients and servers of both eras",
  "apps:names":
    "the page of an app keeps its scheme when two servers have it, and a URI that only a tool or a result names can be read",
  "apps:app-only":
    "a tool that only apps may call is listed for clients that show apps, for no other client and in no search",
  "apps:bare-names":
    "with --bare-app-names a client that shows apps may call a tool for apps by its name on the one server that has it, under the rules of the real tool",
};
