import { parseGivenArguments, plainInput } from "./given-arguments.ts";
import type { Invocation } from "./invocation.ts";
import { parseMcp } from "./parse-mcp.ts";
import { parseServe } from "./parse-serve.ts";
import { readFlags } from "./read-flags.ts";

const COMMANDS = ["tools", "call", "mcp", "serve"];

/** Turns the words after the program's name into an invocation; words that make no sense become a `usage` problem. */
export function parseArguments(words: readonly string[]): Invocation {
  const [first = "tools", ...rest] = words;
  if (COMMANDS.includes(first) && asksForHelp(rest)) return { command: "help" };
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
    case "mcp":
      return parseMcp(rest);
    case "serve":
      return parseServe(rest);
    default:
      return { command: "usage", problem: `unknown command ${JSON.stringify(first)}` };
  }
}

function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return words.slice(0, end === -1 ? words.length : end).some((word) => word === "--help" || word === "-h");
}

function parseTools(words: readonly string[]): Invocation {
  const unknown = words.find((word) => word !== "--json");
  if (unknown !== undefined)
    return { command: "usage", problem: `tools takes no ${JSON.stringify(unknown)}` };
  return { command: "tools", json: words.includes("--json") };
}

function parseCall(words: readonly string[]): Invocation {
  const flags = readFlags(words, {});
  if ("problem" in flags) return { command: "usage", problem: `call ${flags.problem}` };
  const [tool, ...pairs] = flags.rest;
  if (tool === undefined) return { command: "usage", problem: "call needs the name of a tool" };
  const args = parseGivenArguments(pairs);
  if ("problem" in args) return { command: "usage", problem: args.problem };
  return { command: "call", tool, input: plainInput(args.given) };
}
