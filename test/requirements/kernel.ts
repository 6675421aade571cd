export const kernel = {
  "waist:two-tools": "a box lists its tools under one frozen array and runs each by name",
  "waist:ask": "a tool asks its caller a batch of questions and gets the answers under the same keys",
  "waist:progress": "a tool's progress notes and log entries reach the caller before the outcome",
  "waist:suspend": "a suspended outcome carries its questions and state, and a resumed call sees the answers",
  "waist:upstream-error": "an upstream JSON-RPC error passes through with code, message and data",
  "waist:on-change": "a change of a box is reported as a difference, after descriptors() shows it",
  "box:refusals":
    "a tool that is not listed and refused for a reason gets the reason, through every box around it, and never runs",
  "box:table":
    "a table box has the tools of its last table in order, reports each difference once, and keeps its array until a tool or the order changes",
  "waist:fold":
    "one text block folds to its string, one json block to its value, anything else to the blocks",
  "waist:mcp-mark": "only a marked block counts as an MCP block; JSON that looks like one is not marked",
  "kernel:define-tool": "a spec becomes a tool with one frozen descriptor, invoke and execute",
  "kernel:throw": "a throw in run is an error outcome that names the tool",
  "kernel:abort-before": "a call aborted before it starts never runs and is marked safe to repeat",
  "kernel:abort-during":
    "an abort during a call ends it at once; later results and errors of the tool are dropped",
  "kernel:unknown-tool": "an unknown tool name is an error outcome, never a throw",
  "kernel:arguments":
    "a tool gets arguments coerced by its schema; a native tool refuses what still does not fit",
  "arguments:plain-fit": "Arguments that plainly fit a plain schema are accepted without the validator.",
  "arguments:coerce":
    "coercion turns text into the value that the schema asks for, keeps what fits and never changes its input",
  "arguments:explain": "an explanation names the field that does not fit and what was expected",
  "kernel:clamp":
    "clamp keeps at most the budget in UTF-8 bytes, splits no character and notes what is missing",
  "kernel:registry":
    "the registry keeps insertion order, replaces a tool of the same name, and refuses unknown names with a typed error",
  "kernel:collections": "the collections read-only, coding and all have the pinned names",
  "kernel:context-identity": "changing the signal keeps the session's identity and the state of its tools",
  "kernel:context-close":
    "closing a local context calls everything its tools registered, each once, even if one fails",
  "kernel:light-import": "importing any subpath loads no tool library and no MCP package",
} as const;
