import { type GivenArgument, parseArgumentObject, parseGivenArguments } from "./given-arguments.ts";
import type { Invocation } from "./invocation.ts";
import { type FlagReading, readFlags } from "./read-flags.ts";

/** Reads what follows `indus mcp`. */
export function parseMcp(words: readonly string[]): Invocation {
  const [verb, ...rest] = words;
  if (verb === "list") return parseList(rest);
  if (verb === "call") return parseServerCall(rest);
  return usage(verb === undefined ? "mcp needs list or call" : `mcp knows no ${JSON.stringify(verb)}`);
}

function parseList(words: readonly string[]): Invocation {
  const flags = readFlags(words, { "--mcp": "list", "--json": "switch" });
  if ("problem" in flags) return usage(`mcp list ${flags.problem}`);
  const [surplus] = flags.rest;
  if (surplus !== undefined) return usage(`mcp list takes no ${JSON.stringify(surplus)}`);
  const mcp = flags.list("--mcp");
  if (mcp.length === 0) return usage("mcp list needs --mcp FILE");
  return { command: "mcp list", mcp, json: flags.has("--json") };
}

function parseServerCall(words: readonly string[]): Invocation {
  const flags = readFlags(words, {
    "--mcp": "list",
    "--json": "switch",
    "--timeout": "value",
    "--args": "value",
  });
  if ("problem" in flags) return usage(`mcp call ${flags.problem}`);
  const [tool] = flags.rest;
  if (tool === undefined) return usage("mcp call needs the name of a tool");
  const mcp = flags.list("--mcp");
  if (mcp.length === 0) return usage("mcp call needs --mcp FILE");
  const timeoutMs = parseTimeout(flags.value("--timeout"));
  if (timeoutMs === "wrong") return usage("--timeout takes seconds, as in --timeout 30");
  const args = givenArguments(flags);
  if ("problem" in args) return usage(args.problem);
  const options = { json: flags.has("--json"), ...(timeoutMs === undefined ? {} : { timeoutMs }) };
  return { command: "mcp call", tool, mcp, given: args.given, ...options };
}

/** `--args` first: what is given one by one counts more. */
function givenArguments(
  flags: FlagReading,
): { readonly given: readonly GivenArgument[] } | { readonly problem: string } {
  const object = flags.value("--args");
  const whole = object === undefined ? { given: [] } : parseArgumentObject(object);
  const single = parseGivenArguments(flags.rest.slice(1));
  if ("problem" in whole) return whole;
  return "problem" in single ? single : { given: [...whole.given, ...single.given] };
}

const MAX_TIMEOUT_S = 24 * 60 * 60;

function parseTimeout(text: string | undefined): number | undefined | "wrong" {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  return seconds > 0 && seconds <= MAX_TIMEOUT_S ? Math.ceil(seconds * 1000) : "wrong";
}

function usage(problem: string): Invocation {
  return { command: "usage", problem };
}
