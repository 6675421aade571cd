/** Looking at servers and calling their tools: outlines of tools, the relay's reading half, and the verbs of `indus mcp`. */
export const look = {
  "outline:signature":
    "a tool is shown as a typed function: required arguments first, lists, unions, literals and objects as in TypeScript",
  "outline:example":
    "example arguments fit the schema, by its own examples where it has some; without a fitting value there are none",
  "outline:tokens": "the tokens of a tool are estimated as one for four bytes of its definition",
  "relay:list":
    "resources, templates and prompts of a fleet are listed page by page, as received, with the server of each",
  "relay:isolated":
    "a server that fails, hangs or is down has its own fault in a list, within its deadline; the others are listed",
  "relay:read":
    "a resource and a prompt of one server are read as received, in both eras, with its questions answered",
  "relay:owners":
    "a URI belongs to the servers that list it, else to those with a matching template; no server is tried in turn",
  "relay:templates": "matching a URI with a template takes linear work and accepts every expansion",
  "screen:markdown":
    "Markdown is shown on a terminal without its marks, in linear time; other texts are not changed",
  "mcp-content:blocks":
    "text, images, audio, resources and links of a server have their form; binary data goes to files; a pipe gets text unchanged",
  "mcp-content:structured": "structured content is shown if there is no text; `--json` has both",
  "mcp-tools:lines":
    "`indus mcp tools` shows one line per tool, cut with an ellipsis at the width of the terminal",
  "screen:names":
    "a name of 10,000 characters fills no list, table, message or log: it is cut with an ellipsis, and `--json` has the whole",
  "mcp-tools:outline":
    "`indus mcp tools SERVER` shows typed signatures, each with what it does and an example call",
  "mcp-tools:schema": "`--schema` shows the schemas as the server sent them",
  "mcp-tools:shell": "a shell splits a shown command line into exactly the words that are meant",
  "mcp-list:table":
    "`indus mcp list` shows server, origin, trust, phase, tools, an estimate of their tokens and the fault, and fits 60 columns",
  "mcp-list:trust":
    "`indus mcp list` shows a server of a project that is not approved, and does not start it",
  "mcp-tools:example":
    "each example call that `indus mcp tools SERVER` shows works when it is typed into a shell",
  "mcp-tools:words": "arguments written as words of a command line are read back as the same values",
  "mcp-call:answers":
    "`indus mcp call` stores images in files, renders Markdown on a terminal, and shows structured content",
  "mcp-call:progress": "`indus mcp call` shows progress as one live line on a screen",
  "mcp-call:failures":
    "a server that dies in a call or does not start, missing arguments and an unknown tool are one line each, with the signature or a suggestion",
  "mcp-call:typed-names":
    "`indus mcp call` takes `server__tool`, `server.tool`, the server and the tool as two words, a bare name that one server has, and a JSON object; what cannot be meant exits with 2",
  "mcp-call:tool-flags":
    "a long flag of `mcp call` that is not ours is an argument of the tool; after `--` every one is",
  "mcp-call:input": "`--args -` reads the arguments from standard input",
  "mcp-read:resources": "`indus mcp resources` lists resources and templates with their server",
  "mcp-read:read": "`indus mcp read` gives a pipe the exact bytes and a screen a rendering",
  "mcp-read:owner": "a URI that several servers have is never guessed: `--server` decides",
  "mcp-read:isolated": "a server that does not answer ends a read at its deadline, with one line",
  "mcp-read:prompts": "`indus mcp prompts` and `prompt` list and fetch prompts, with their arguments checked",
  "mcp-look:pipe": "a reader that closes the output early causes no message",
  "interop:early-start":
    "a server process boots while the SDK is loaded; what it sends meanwhile is kept in order",
} as const;
