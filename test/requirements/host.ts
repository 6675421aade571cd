/** The provider half: a tool box as an MCP server. */
export const host = {
  "host:catalogue":
    "a client sees the box's tools in their order, each with its server's definition, under our name",
  "host:blocks":
    "results go out as typed blocks with structured content and meta; a result that cannot be sent is a failed call",
  "host:as-sent":
    "arguments, _meta and results keep every member on their way, whatever its name, and change no prototype",
  "host:arguments":
    "the host refuses arguments that do not fit the schema of a tool of ours, and names the field; arguments of a mounted tool are not checked",
  "host:errors": "errors of an upstream server keep code and data; an unknown tool is an error that names it",
  "host:progress":
    "progress and log entries reach the client while the tool runs, and never after its result",
  "host:cancel": "a client that cancels or disconnects aborts the tool it started",
  "host:questions": "a tool can ask its client a question during its work, in both eras",
  "host:list-changed": "clients are notified when the tools of the box change",
  "host:http": "one URL serves both eras: sessions with streams, and requests without sessions",
  "host:streams":
    "a stream is sent as fast as its client reads, is cancelled when the client disconnects, and never looks complete when it broke off",
  "host:plain-answers":
    "the only message of a response is plain JSON if it comes at once; anything before it makes the response a stream, and so does a call that runs for a while if its client can return to a stream",
  "host:large-answers": "a large answer is written in pieces, as fast as its client reads it",
  "host:real-clients":
    "the official clients of both generations, the Inspector and mcp-remote list and call the native tools",
  "host:republish": "a republished mounted tool keeps its definition and its results, except for its name",
  "host:valid-lists":
    "one malformed tool, prompt, resource or template never makes an official client refuse the list that a host or a gateway sends; results pass as received",
  "host:left-out":
    "what is left out of a list is reported by a host, and named by `mcp list`, `mcp doctor` and `indus__status` for a server",
  "host:providers":
    "resources, templates, prompts and completion are served through a small interface, with updates of watched resources",
  "host:watches":
    "a provider is called for the first client that watches a resource and after the last one stops, in both eras and however they end",
  "host:watch-cap":
    "the resources one client watches are limited in number and length, and the client is told when it reaches the limit",
  "host:failing-provider": "a provider that throws in watch or unwatch affects at most one request",
  "host:providers-for-client": "providers and instructions can depend on the client",
  "host:clients":
    "the observer of a host learns when a client is connected, changes its roots and is gone, and can ask it outside of requests",
  "host:async-watch":
    "a client is answered when the provider watches, refused if it does not, and a client that leaves meanwhile leaves nothing watched",
  "host:client-feed":
    "a legacy client gets the log messages of its own level and the notifications that are meant for it, outside of requests",
  "host:unsendable": "a result or an error that JSON cannot hold still gets an answer, which says so",
  "host:box-for-client": "the offered tools can depend on the client",
  "host:poll": "a listener can close the stream of a long call; a client that returns gets the rest",
  "host:argument-patterns":
    "patterns of a schema are matched by the linear engine or not at all, and arguments that fit are never refused",
  "host:hostile-schemas":
    "no schema keeps the process busy by its patterns or its references, whichever way it comes in",
} as const;
