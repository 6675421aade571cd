/** The provider half: a tool box as an MCP server. */
export const host = {
  "host:catalogue":
    "A client sees the box's tools in their order, each as its own server described it, under our name",
  "host:blocks":
    "Results go out as typed blocks with structured content and meta; what cannot be sent is a failed call",
  "host:errors":
    "Errors of an upstream keep code and data; a tool that is not there is an error that names it",
  "host:progress":
    "Progress and log entries reach the client while the tool runs, and never after its result",
  "host:cancel": "A client that cancels or goes away aborts the tool it started",
  "host:questions": "A tool can ask its client in the middle of its work, in both eras",
  "host:list-changed": "A client is told when the box has become another",
  "host:http": "One URL serves both eras: sessions with streams, and requests that stand for themselves",
  "host:streams":
    "A stream goes out as fast as its client reads, is cancelled when the client goes, and never looks whole when it broke",
  "host:real-clients":
    "The official clients of both generations, the Inspector and mcp-remote list and call the native tools",
  "host:republish":
    "A mounted tool that is published again shows its own definition and gives its own results, name aside",
  "host:providers":
    "Resources, templates, prompts and completion are served through a small interface, and watched resources are told of",
  "host:watches":
    "A provider hears of the first client that watches a resource and of the last that stops, in both eras and however they end",
  "host:watch-cap":
    "What one client watches is bounded in number and length, and over the bound the client is told",
  "host:failing-provider":
    "A provider that throws when it is told to watch or to stop harms one request at most",
  "host:unsendable":
    "A result or an error that JSON cannot hold is answered all the same, with words that say so",
  "host:box-for-client": "The tools on offer can depend on the client",
  "host:poll": "A listener can let go of the stream of a long call; a client that comes back gets the rest",
} as const;
