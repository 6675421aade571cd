/** What the command line asks for. */
export type Invocation =
  | { readonly command: "help" }
  | { readonly command: "version" }
  | { readonly command: "tools"; readonly json: boolean }
  | { readonly command: "call"; readonly tool: string; readonly input: { readonly [name: string]: unknown } }
  | { readonly command: "usage"; readonly problem: string };

/** Turns the words after the program's name into an invocation; words that make no sense become a `usage` problem. */
export function parseArguments(words: readonly string[]): Invocation {
  const [first = "tools", ...rest] = words;
  switch (first) {
    case "--help":
    case "-h":
    case "help":
      return { command: "help" };
    case "--version":
    case "-v":
      return { command: "version" };
    case "tools":
      return parseTools(rest);
    case "call":
      return parseCall(rest);
    default:
      return { command: "usage", problem: `unknown command ${JSON.stringify(first)}` };
  }
}

function parseTools(words: readonly string[]): Invocation {
  const unknown = words.find((word) => word !== "--json");
  if (unknown !== undefined)
    return { command: "usage", problem: `tools takes no ${JSON.stringify(unknown)}` };
  return { command: "tools", json: words.includes("--json") };
}

function parseCall(words: readonly string[]): Invocation {
  const [tool, ...pairs] = words;
  if (tool === undefined) return { command: "usage", problem: "call needs the name of a tool" };
  const input: Record<string, unknown> = {};
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at < 1) return { command: "usage", problem: `${JSON.stringify(pair)} is not of the form name=value` };
    input[pair.slice(0, at)] = parseValue(pair.slice(at + 1));
  }
  return { command: "call", tool, input };
}

/** A list or an object may be given as JSON; anything else is the text itself, which tools coerce where they want a number. */
function parseValue(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
