import { closestNames } from "indusagi/core";
import { wireName } from "indusagi/interop";
import type { ToolOrigin } from "indusagi/llm";
import { type Glob, matchesGlob, parseGlob } from "./glob.ts";

/** The shown name and the origin of a tool. */
export interface ToolIdentity {
  readonly tool: string;
  /** Absent for a tool of ours. */
  readonly origin?: ToolOrigin;
}

/**
 * The tools that a name means, as rules, tokens, `--tools` and profiles write it. A name with `__` is compared with the real
 * server and its tool, never with the name that a row shows instead. Server ids and tool names may themselves contain `__`, so
 * such a name has several readings: `notes__sub__*` is `sub__*` of the server `notes`, or `*` of the server `notes__sub`.
 */
export interface ToolPattern {
  readonly text: string;
  /** Whether the pattern is about exactly one tool. */
  readonly isOne: boolean;
  /** For refusals and questions: whether any reading matches the tool, under its real or its shown name. */
  reaches(tool: ToolIdentity): boolean;
  /**
   * For permissions: whether the one reading that counts matches the real tool. A reading counts if its server part has a
   * wildcard and it is the first, or if no other reading names an approved server. `servers`: the ids of these. Without them
   * a pattern with several readings grants nothing.
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

const SEPARATOR = "__";
/** Names on the wire that are not the plain join end in a hash of the real pair. */
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
    isHashed && text !== `${server}${SEPARATOR}${name}` && wireName({ server, name }, text.length) === text;
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

/** One reading for each place where the name can be divided. Of `a___b` these are `a`, `_b` and `a_`, `b`. */
function readingsOf(text: string): readonly Reading[] {
  const found: Reading[] = [];
  for (let at = text.indexOf(SEPARATOR); at >= 0; at = text.indexOf(SEPARATOR, at + 1)) {
    const [server, tool] = [text.slice(0, at), text.slice(at + SEPARATOR.length)];
    found.push({ server, tool, serverGlob: nameGlob(server), toolGlob: nameGlob(tool) });
  }
  return found;
}

/** Returns the reading that a permission is about. The answer for the last list of servers is kept. */
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

/** Whether a tool is shown under the name of a reading that does not fit plainly: then the shown name ends in a hash of it. */
function isShownAs({ tool: shown, origin }: ToolIdentity, { server, tool: name }: Reading): boolean {
  return (
    origin?.server === server && !name.includes("*") && wireName({ server, name }, shown.length) === shown
  );
}

/** What follows the server in a shown name: the name that a row gives the tool. The real name if it cannot be told. */
function shownPart(shown: string, { server, tool }: ToolOrigin): string {
  const start = `${server}${SEPARATOR}`;
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
  /** The ids of servers that are configured and not approved. A pattern for one of them is not a mistake. */
  readonly pending: readonly string[];
  /** The names of our own tools. */
  readonly own: readonly string[];
  /** The tools of a server as far as they are known, also those that are not offered. */
  toolsOf(server: string): readonly ToolIdentity[];
  /** Whether these are all: the server has listed them. */
  isListed(server: string): boolean;
}

/** `open`: some servers that the pattern may be about have not been listed, so nothing can be said yet. */
export type PatternCheck = "fine" | "open" | { readonly problem: string };

/**
 * Whether a pattern does what its author can expect: it is clear which server it names, and it matches a tool. A problem is a
 * clause that follows the pattern. `isGrant`: it permits something, see `ToolPattern.grants`.
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
    // Any server may be meant, and there is none.
    if (firstServer(text) === "*" || pattern.readings(known.pending).length > 0) return "open";
    return { problem: await nothing(text, text.includes(SEPARATOR) ? known.servers : [], known) };
  }
  // The hash alone tells which server a shortened name belongs to.
  const concerned = isHashed ? known.servers : serversIn(named, known.servers);
  const tools = concerned.flatMap((server) => known.toolsOf(server));
  const matches = (tool: ToolIdentity): boolean =>
    isGrant ? pattern.grants(tool, known.servers) : pattern.reaches(tool);
  if (tools.some(matches)) return "fine";
  if (!concerned.every((server) => known.isListed(server))) return "open";
  // A whole server may have prompts or resources only.
  if (named.some(({ tool }) => tool === "*")) return "fine";
  const renamed = tools.find(({ tool }) => tool === text)?.origin;
  if (renamed) return { problem: `is only a name that a row shows; write ${qualified(renamed)}` };
  return { problem: await nothing(text, [], known) };
}

function serversIn(readings: readonly WrittenReading[], servers: readonly string[]): readonly string[] {
  const globs = readings.map(({ server }) => nameGlob(server));
  return servers.filter((server) => globs.some((glob) => matchesGlob(server, glob)));
}

function ambiguous(one: WrittenReading, another: WrittenReading): string {
  const [first, second] = [one, another].map(({ server, tool }) => `${tool} of server ${server}`);
  return `means ${first} or ${second}, and so it allows nothing; rename one of these servers`;
}

/** `servers`: if the pattern names none of them. */
async function nothing(text: string, servers: readonly string[], known: KnownTools): Promise<string> {
  const tools = known.servers.flatMap((server) => known.toolsOf(server));
  const names = [...known.own, ...tools.flatMap(({ origin }) => (origin ? [qualified(origin)] : []))];
  const [tool] = await closestNames(text, names);
  const [server] = await closestNames(firstServer(text), servers);
  // A wildcard for tools of a misspelt server is not like the name of any tool.
  const isServer = server !== undefined && (tool === undefined || text.includes("*"));
  const near = isServer ? `${server}${SEPARATOR}…` : tool;
  const hint = near === undefined ? "indus mcp tools lists the tools" : `did you mean ${near}?`;
  return `matches nothing that is known; ${hint}`;
}

function firstServer(text: string): string {
  return text.slice(0, Math.max(0, text.indexOf(SEPARATOR)));
}

function qualified({ server, tool }: ToolOrigin): string {
  return `${server}${SEPARATOR}${tool}`;
}
