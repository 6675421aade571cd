import type { ServerConfig } from "indusagi/interop";
import type { ToolBox } from "indusagi/runtime";
import type { Run } from "../../boot/internal.ts";
import { capabilityIds } from "../../deck/catalog/index.ts";
import { isToolPattern, type PolicyFlags } from "../../launch/internal.ts";
import { parseRule } from "../../policy/index.ts";
import { checkToolPattern, type KnownTools, parseToolPattern } from "../../policy/internal.ts";
import { findServers } from "../find/find-servers.ts";
import { listedTools } from "./find-tool.ts";
import type { OpenServers } from "./mount-servers.ts";

/** A name or pattern for tools that a user wrote somewhere. */
export interface PatternUse {
  /** Where, as the beginning of a line: `the deny rule`. */
  readonly where: string;
  readonly word: string;
  /** Whether it permits something: a rule of `--allow`, a token, a profile or `--tools`. */
  readonly isGrant: boolean;
}

export interface ReportPatternsOptions {
  /** What is checked. It may change. */
  readonly uses: () => readonly PatternUse[];
  /** The names of our own tools. Default: none, so that only patterns for tools of servers can be right. */
  readonly own?: () => readonly string[];
  readonly report: (message: string) => void;
}

type Servers = Pick<OpenServers, "approved" | "pending" | "knownTools" | "hasListed" | "onListed" | "onRows">;

/** For a run without servers. */
export const NO_SERVERS: Servers = {
  approved: () => [],
  pending: () => [],
  knownTools: () => [],
  hasListed: () => false,
  onListed: () => () => {},
  onRows: () => () => {},
};

/**
 * Reports each pattern that matches no known tool, or that could mean several servers, once: as soon as the servers that it may
 * be about have been listed. Returns a function that waits for what is being checked.
 */
export function reportPatterns(
  servers: Servers,
  { uses, own = () => [], report }: ReportPatternsOptions,
): () => Promise<void> {
  const reported = new Set<string>();
  /** Until the rows change. */
  const fine = new Set<string>();
  const checkAll = async (): Promise<void> => {
    const known: KnownTools = {
      servers: servers.approved(),
      pending: servers.pending(),
      own: own(),
      toolsOf: (server) => servers.knownTools(server),
      isListed: (server) => servers.hasListed(server),
    };
    for (const use of uses()) {
      const { where, word, isGrant } = use;
      const key = JSON.stringify([where, word, isGrant]);
      if (fine.has(key)) continue;
      const checked = await checkUse(use, known);
      if (checked === "fine") fine.add(key);
      if (typeof checked === "string") continue;
      // The hint at the end changes with each listing of a server that renames its tools.
      const problem = JSON.stringify([key, checked.problem.replace(/;.*$/s, "")]);
      if (!reported.has(problem)) report(problemLine(use, checked.problem));
      reported.add(problem);
    }
  };
  let last = Promise.resolve();
  let isDue = false;
  // Many servers list their tools at the same time.
  const check = (): void => {
    if (isDue) return;
    isDue = true;
    last = last.then(async () => {
      isDue = false;
      await checkAll().catch(() => {}); // A hint must not end the run.
    });
  };
  check();
  servers.onListed(check);
  servers.onRows(() => {
    fine.clear();
    check();
  });
  return () => last;
}

/** The problems of patterns, in one line each, from what the servers listed when they last ran. Starts nothing. */
export async function patternProblems(run: Run, uses: readonly PatternUse[]): Promise<readonly string[]> {
  // What is wrong with the rows is no concern of the caller.
  const quietly = { withoutRequired: true, report: () => {} };
  const found = await findServers(run, { mcp: [], run: [] }, quietly);
  const servers = found?.configs ?? [];
  const memory = await run.state.memory();
  const idsOf = (isPending: boolean): readonly string[] =>
    servers.filter(({ pending = false }) => pending === isPending).map(({ id }) => id);
  const rowOf = (server: string): ServerConfig | undefined => servers.find(({ id }) => id === server);
  const known: KnownTools = {
    servers: idsOf(false),
    pending: idsOf(true),
    own: capabilityIds(),
    toolsOf: (server) =>
      listedTools(
        servers.filter(({ id }) => id === server),
        memory,
      ).map(({ ref, shown }) => ({
        tool: shown,
        origin: { server, tool: ref.name },
      })),
    isListed: (server) => {
      const row = rowOf(server);
      return row !== undefined && memory?.entry(row)?.listing !== undefined;
    },
  };
  const lines: string[] = [];
  for (const use of uses) {
    const checked = await checkUse(use, known);
    if (typeof checked !== "string") lines.push(problemLine(use, checked.problem));
  }
  return lines;
}

/** The rules of `--allow` and `--deny`. */
export function ruleUses(rules: Partial<Pick<PolicyFlags, "allow" | "deny">> = {}): readonly PatternUse[] {
  return (["allow", "deny"] as const).flatMap((verdict) =>
    (rules[verdict] ?? []).flatMap((text) => {
      const { rule } = parseRule(text, verdict);
      if (!rule) return [];
      return [{ where: `the ${verdict} rule`, word: rule.tools.text, isGrant: verdict === "allow" }];
    }),
  );
}

/** The names of our own tools: all of the deck, and what a box has besides. */
export function ownToolNames(box: Pick<ToolBox, "descriptors">): readonly string[] {
  const offered = box.descriptors().filter(({ origin }) => !origin);
  return [...new Set([...capabilityIds(), ...offered.map(({ name }) => name)])];
}

function problemLine({ where, word }: PatternUse, problem: string): string {
  return `${where} ${JSON.stringify(word)} ${problem}`;
}

async function checkUse(
  { word, isGrant }: PatternUse,
  known: KnownTools,
): ReturnType<typeof checkToolPattern> {
  if (!isToolPattern(word)) return { problem: "is not a name or pattern of tools, and matches nothing" };
  return checkToolPattern(parseToolPattern(word), isGrant, known);
}
