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
} as const;
