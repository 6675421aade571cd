import { closestNames } from "indusagi/core";
import { QUALIFIER, wireName } from "indusagi/interop";
import type { ToolOrigin } from "indusagi/llm";
import { type Glob, matchesGlob, parseGlob } from "./glob.ts";

/** The displayed name and the origin of a tool. */
export interface ToolIdentity {
  readonly tool: string;
  /** Absent for our own tools. */
  readonly origin?: ToolOrigin | undefined;
}

/**
 * A pattern for tools, as used in rules, tokens, `--tools` and profiles. A name with `__` is compared with the real server and
 * tool, never with a name that a row shows instead. Server ids and tool names may contain `__` too, so such a name has several
 * readings: `notes__sub__*` is `sub__*` of the server `notes`, or `*` of the server `notes__sub`.
 */
export interface ToolPattern {
  readonly text: string;
  /** Whether the pattern is about exactly one tool. */
  readonly isOne: boolean;
  /** For refusals and questions: whether any reading matches the tool, under its real or its shown name. */
  reaches(tool: ToolIdentity): boolean;
  /**
   * For permissions: whether the one reading that counts matches the real tool. A reading counts if it is the first and its server
   * part has a wildcard, or if no other reading names an approved server. `servers`: the ids of the approved servers. Without
   * them a pattern with several readings grants nothing.
   */
  grants(tool: ToolIdentity, servers?: readonly string[]): boolean;
  /** Whether the reading that counts is about tools of this server. */
  grantsServer(server: string, servers?: readonly string[]): boolean;
  /** The readings that name one of these servers, as written. */
  readings(servers: readonly string[]): readonly WrittenReading[];
}

/** One reading of a pattern. */
export interface WrittenReading {
  readonly server: string;
  readonly tool: string;
}

interface Reading extends WrittenReading {
  readonly serverGlob: Glob;
  readonly toolGlob: Glob;
}

/** Wire names that are not plainly `server__tool` end in a hash of both. */
const LOOKS_HASHED = /_[0-9a-f]{8}$/;

export function parseToolPattern(text: string): ToolPattern {
  const isOne = !text.includes("*");
  const glob = nameGlob(text);
  const readings = readingsOf(text);
  const counting = countingReading(readings);
  const isHashed = isOne && LOOKS_HASHED.test(text);
  const isOwn = ({ tool, origin }: ToolIdentity): boolean =>
    origin === undefined && (isOne || readings.length > 0 ? tool === text : matchesGlob(tool, glob));
  const isWireName = ({ server, tool: name }: ToolOrigin): boolean =>
    isHashed && text !== `${server}${QUALIFIER}${name}` && wireName({ server, name }, text.length) === text;
  return {
    text,
    isOne,
    readings: (servers) => readings.filter(({ serverGlob }) => namesAny(serverGlob, servers)),
    reaches: (tool) => {
      if (text === "*" || isOwn(tool)) return true;
      const { origin } = tool;
      if (!origin) return false;
      const shown = { server: origin.server, tool: shownPart(tool.tool, origin) };
      return (
        tool.tool === text ||
        isWireName(origin) ||
        readings.some((reading) => fits(origin, reading) || fits(shown, reading) || isShownAs(tool, reading))
      );
    },
    grants: (tool, servers) => {
      if (text === "*" || isOwn(tool)) return true;
      const { origin } = tool;
      if (!origin) return false;
      const reading = counting(servers);
      return isWireName(origin) || (reading !== undefined && fits(origin, reading));
    },
    grantsServer: (server, servers) => {
      const reading = counting(servers);
      return text === "*" || (reading !== undefined && matchesGlob(server, reading.serverGlob));
    },
  };
}

/** One reading for each place where the name can be split: `a___b` gives `a`, `_b` and `a_`, `b`. */
function readingsOf(text: string): readonly Reading[] {
  const found: Reading[] = [];
  for (let at = text.indexOf(QUALIFIER); at >= 0; at = text.indexOf(QUALIFIER, at + 1)) {
    const [server, tool] = [text.slice(0, at), text.slice(at + QUALIFIER.length)];
    found.push({ server, tool, serverGlob: nameGlob(server), toolGlob: nameGlob(tool) });
  }
  return found;
}

/** Finds the reading that a permission is about. Caches the answer for the last list of servers. */
function countingReading(
  readings: readonly Reading[],
): (servers: readonly string[] | undefined) => Reading | undefined {
  const [first, second] = readings;
  if (!first || first.server.includes("*")) return () => first;
  let last: { readonly servers: readonly string[]; readonly reading: Reading | undefined } | undefined;
  return (servers) => {
    if (!servers) return second ? undefined : first;
    if (last?.servers !== servers) {
      const [one, another] = readings.filter(({ serverGlob }) => namesAny(serverGlob, servers));
      last = { servers, reading: another ? undefined : one };
    }
    return last.reading;
  };
}

function namesAny(glob: Glob, servers: readonly string[]): boolean {
  return servers.some((server) => matchesGlob(server, glob));
}

function fits({ server, tool }: ToolOrigin, { serverGlob, toolGlob }: Reading): boolean {
  return matchesGlob(server, serverGlob) && matchesGlob(tool, toolGlob);
}

/** Whether a tool is shown as a hashed form of this reading. */
function isShownAs({ tool: shown, origin }: ToolIdentity, { server, tool: name }: Reading): boolean {
  return (
    origin?.server === server && !name.includes("*") && wireName({ server, name }, shown.length) === shown
  );
}

/** The part after the server in a shown name: the name that a row gives the tool. Default: the real name. */
function shownPart(shown: string, { server, tool }: ToolOrigin): string {
  const start = `${server}${QUALIFIER}`;
  return shown.startsWith(start) ? shown.slice(start.length) : tool;
}

/** Only `*` is special in a name. */
function nameGlob(name: string): Glob {
  return parseGlob(name.replaceAll(/[\\?]/g, String.raw`\$&`));
}

/** What is known when patterns are checked. */
export interface KnownTools {
  /** The ids of the approved servers. */
  readonly servers: readonly string[];
  /** The ids of configured servers that are not approved. A pattern for one of them is not a mistake. */
  readonly pending: readonly string[];
  /** The names of our own tools. */
  readonly own: readonly string[];
  /** The known tools of a server, including those that are not offered. */
  toolsOf(server: string): readonly ToolIdentity[];
  /** Whether the server has listed its tools, so all are known. */
  isListed(server: string): boolean;
}

/** `open`: undecided, because some servers that the pattern may be about have not listed their tools yet. */
export type PatternCheck = "fine" | "open" | { readonly problem: string };

/**
 * Whether a pattern works as expected: it names one server clearly, and matches a tool. A problem is a clause to put after the
 * pattern. `isGrant`: it permits something, see `ToolPattern.grants`.
 */
export async function checkToolPattern(
  pattern: ToolPattern,
  isGrant: boolean,
  known: KnownTools,
): Promise<PatternCheck> {
  const { text } = pattern;
  if (text === "*" || known.own.some((tool) => pattern.reaches({ tool }))) return "fine";
  const named = pattern.readings(known.servers);
  const [one, another] = named;
  const isWild = firstServer(text).includes("*");
  const isHashed = pattern.isOne && LOOKS_HASHED.test(text);
  if (isGrant && !isWild && !isHashed && one && another) return { problem: ambiguous(one, another) };
  if (!isHashed && named.length === 0) {
    // It may mean any server, and there is none.
    if (firstServer(text) === "*" || pattern.readings(known.pending).length > 0) return "open";
    return { problem: await noMatch(text, text.includes(QUALIFIER) ? known.servers : [], known) };
  }
  // Only the hash shows which server a shortened name belongs to.
  const concerned = isHashed ? known.servers : serversIn(named, known.servers);
  const tools = concerned.flatMap((server) => known.toolsOf(server));
  const matches = (tool: ToolIdentity): boolean =>
    isGrant ? pattern.grants(tool, known.servers) : pattern.reaches(tool);
  if (tools.some(matches)) return "fine";
  if (!concerned.every((server) => known.isListed(server))) return "open";
  // A server may have only prompts or resources.
  if (named.some(({ tool }) => tool === "*")) return "fine";
  const renamed = tools.find(({ tool }) => tool === text)?.origin;
  if (renamed) return { problem: `is only a name that a row shows; write ${qualified(renamed)}` };
  return { problem: await noMatch(text, [], known) };
}

function serversIn(readings: readonly WrittenReading[], servers: readonly string[]): readonly string[] {
  const globs = readings.map(({ server }) => nameGlob(server));
  return servers.filter((server) => globs.some((glob) => matchesGlob(server, glob)));
}

function ambiguous(one: WrittenReading, another: WrittenReading): string {
  const [first, second] = [one, another].map(({ server, tool }) => `${tool} of server ${server}`);
  return `means ${first} or ${second}, so it allows nothing; rename one of these servers`;
}

/** `servers`: candidates, if the pattern names no known server. */
async function noMatch(text: string, servers: readonly string[], known: KnownTools): Promise<string> {
  const tools = known.servers.flatMap((server) => known.toolsOf(server));
  const names = [...known.own, ...tools.flatMap(({ origin }) => (origin ? [qualified(origin)] : []))];
  const [tool] = await closestNames(text, names);
  const [server] = await closestNames(firstServer(text), servers);
  // A wildcard for the tools of a misspelt server resembles no tool name.
  const isServer = server !== undefined && (tool === undefined || text.includes("*"));
  const near = isServer ? `${server}${QUALIFIER}…` : tool;
  const hint = near === undefined ? "indus mcp tools lists the tools" : `did you mean ${near}?`;
  return `matches nothing that is known; ${hint}`;
}

function firstServer(text: string): string {
  return text.slice(0, Math.max(0, text.indexOf(QUALIFIER)));
}

function qualified({ server, tool }: ToolOrigin): string {
  return `${server}${QUALIFIER}${tool}`;
}
