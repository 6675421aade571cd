import { COMMANDS, type CommandName, type CommandSpec, commandsIn } from "./flag-table.ts";
import { parseArgumentObject, parseGivenArguments } from "./given-arguments.ts";
import type { Invocation, ServeTransport, ToolRequest, UsageProblem } from "./invocation.ts";
import { asksForHelp, type ParsedFlags, parseFlags } from "./parse-flags.ts";

/** Turns the words after the program's name into an invocation. A line that cannot be carried out becomes `usage`. */
export function parseArguments(words: readonly string[]): Invocation {
  if (asksForHelp(words)) return helpInvocation(words) ?? { command: "help" };
  const found = findCommand(words);
  if ("problem" in found) return { command: "usage", ...found };
  const flags = parseFlags(found.rest, found.command);
  if ("problem" in flags) return { command: "usage", ...flags };
  const invocation = INVOCATIONS[found.command.name](flags);
  return "problem" in invocation ? { command: "usage", ...invocation } : invocation;
}

interface FoundCommand {
  readonly command: CommandSpec;
  /** The words after those that name the command. */
  readonly rest: readonly string[];
}

/** The command that the first words name. Flags before any command belong to `indus` itself. */
function findCommand(words: readonly string[]): FoundCommand | UsageProblem {
  const [first, second] = words;
  const named = (name: string): CommandSpec | undefined => COMMANDS.find((command) => command.name === name);
  const bare = first === undefined || first.startsWith("-") ? named("") : undefined;
  if (bare) return { command: bare, rest: words };
  const two = named(`${first} ${second}`);
  if (two) return { command: two, rest: words.slice(2) };
  const one = first === "" ? undefined : named(first ?? "");
  if (one) return { command: one, rest: words.slice(1) };
  return unknownCommand(first ?? "", second);
}

function unknownCommand(first: string, second: string | undefined): UsageProblem {
  const pairs = COMMANDS.map(({ name }) => name.split(" "));
  const verbs = pairs.flatMap(([family, verb]) => (family === first && verb !== undefined ? [verb] : []));
  if (verbs.length > 0 && second === undefined)
    return { problem: `${first} needs one of ${verbs.join(", ")}` };
  const isVerb = verbs.length > 0 && second !== undefined;
  const names = COMMANDS.map(({ name }) => name).filter((name) => name !== "");
  const known = isVerb
    ? verbs
    : [...new Set(names.flatMap((name) => [...name.split(" ").slice(0, 1), name]))];
  const word = isVerb ? second : first;
  const problem = `unknown command ${JSON.stringify(isVerb ? `${first} ${second}` : first)}`;
  return { problem, unknown: { word, known } };
}

/** How the flags and operands of each command become an invocation. */
const INVOCATIONS: { readonly [Name in CommandName]: (flags: ParsedFlags) => Invocation | UsageProblem } = {
  "": (flags) => (flags.has("--version") ? { command: "version" } : { command: "tools", json: false }),
  help: ({ operands }) => helpInvocation(operands) ?? unknownCommand(operands[0] ?? "", operands[1]),
  tools: (flags) => ({ command: "tools", json: flags.has("--json") }),
  call: callInvocation,
  "mcp list": (flags) => ({
    command: "mcp list",
    mcp: flags.list("--mcp"),
    names: flags.operands,
    json: flags.has("--json"),
    exitCode: flags.has("--exit-code"),
    verbose: flags.has("--verbose"),
  }),
  "mcp call": serverCallInvocation,
  "mcp warm": (flags) => ({ command: "mcp warm", mcp: flags.list("--mcp") }),
  serve: serveInvocation,
};

/** The help for the command that the first words name. Nothing if they name none. */
function helpInvocation(words: readonly string[]): Invocation | undefined {
  const [first, second] = words;
  if (first === undefined || first.startsWith("-")) return { command: "help" };
  const topics = second === undefined ? [first] : [`${first} ${second}`, first];
  const topic = topics.find((name) => commandsIn(name).length > 0);
  // The second word of a family must be right: `help mcp lst`. After a command any word may follow: `call read --help`.
  const isWrong = topic === first && second !== undefined && !second.startsWith("-") && isFamily(first);
  return topic === undefined || isWrong ? undefined : { command: "help", topic };
}

function isFamily(word: string): boolean {
  return commandsIn(word).some(({ name }) => name !== word);
}

function callInvocation(flags: ParsedFlags): Invocation | UsageProblem {
  const request = toolRequest(flags, "call");
  return "problem" in request ? request : { command: "call", ...request };
}

function serverCallInvocation(flags: ParsedFlags): Invocation | UsageProblem {
  const request = toolRequest(flags, "mcp call");
  return "problem" in request ? request : { command: "mcp call", mcp: flags.list("--mcp"), ...request };
}

function toolRequest(flags: ParsedFlags, command: CommandName): ToolRequest | UsageProblem {
  const [tool, ...pairs] = flags.operands;
  if (tool === undefined) return { problem: `${command} needs the name of a tool` };
  const object = flags.value("--args");
  const whole = object === undefined ? { given: [] } : parseArgumentObject(object);
  if ("problem" in whole) return whole;
  const single = parseGivenArguments(pairs);
  if ("problem" in single) return single;
  const seconds = flags.number("--timeout");
  return {
    tool,
    // A later argument overrides an earlier one of the same name.
    given: [...whole.given, ...single.given],
    json: flags.has("--json"),
    check: !flags.has("--no-check"),
    ...(seconds === undefined ? {} : { timeoutMs: Math.ceil(seconds * 1000) }),
  };
}

function serveInvocation(flags: ParsedFlags): Invocation | UsageProblem {
  const transport = serveTransport(flags);
  if ("problem" in transport) return transport;
  const [mcp, demo, cwd] = [flags.list("--mcp"), flags.has("--demo"), flags.value("--cwd")];
  const wait = flags.number("--wait");
  return {
    command: "serve",
    transport,
    mcp,
    demo,
    withParent: flags.has("--with-parent"),
    ...(cwd === undefined ? {} : { cwd }),
    ...(wait === undefined ? {} : { waitMs: Math.round(wait * 1000) }),
  };
}

function serveTransport(flags: ParsedFlags): ServeTransport | UsageProblem {
  if (flags.has("--stdio")) return { kind: "stdio" };
  const [port, host] = [flags.number("--port"), flags.value("--host")];
  const tokenEnv = flags.value("--token-env");
  if (host !== undefined && !isLoopback(host) && tokenEnv === undefined)
    return { problem: `serve --host ${host} is open to other machines and needs --token-env VAR` };
  return {
    kind: "http",
    ...(port === undefined ? {} : { port }),
    ...(host === undefined ? {} : { host }),
    ...(tokenEnv === undefined ? {} : { tokenEnv }),
  };
}

/** An early check for a clear message; the listener refuses as well. */
function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
