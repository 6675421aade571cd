import { extensionKey, RELAYED_EXTENSIONS, type ServerConfig, sharedKey } from "indusagi/interop";
import type { ToolBox } from "indusagi/runtime";
import type { Run } from "../../boot/internal.ts";
import { capabilityIds } from "../../deck/catalog/index.ts";
import { isToolPattern, type PolicyFlags } from "../../launch/internal.ts";
import { parseRule } from "../../policy/index.ts";
import { checkToolPattern, type KnownTools, parseToolPattern } from "../../policy/internal.ts";
import { findServers } from "../find/find-servers.ts";
import { listedTools } from "./find-tool.ts";
import type { OpenServers } from "./mount-servers.ts";

/** A tool name or pattern that a user wrote somewhere. */
export interface PatternUse {
  /** Where, as the start of a line: `the deny rule`. */
  readonly where: string;
  readonly word: string;
  /** Whether it grants something: an `--allow` rule, a token, a profile or `--tools`. */
  readonly isGrant: boolean;
}

export interface ReportPatternsOptions {
  /** What to check. It may change. */
  readonly uses: () => readonly PatternUse[];
  /** The names of our own tools. Default: none, so only patterns for tools of servers can match. */
  readonly own?: () => readonly string[];
  readonly report: (message: string) => void;
}

type Servers = Pick<
  OpenServers,
  "approved" | "pending" | "knownTools" | "isFullyListed" | "onListed" | "onRows"
>;

/** For a run without servers. */
export const NO_SERVERS: Servers = {
  approved: () => [],
  pending: () => [],
  knownTools: () => [],
  isFullyListed: () => false,
  onListed: () => () => {},
  onRows: () => () => {},
};

/**
 * Reports each pattern that matches no known tool, or that is ambiguous between servers, once: as soon as the servers that it may
 * be about are listed. Returns a function that waits for the checks in progress.
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
      isListed: (server) => servers.isFullyListed(server),
    };
    for (const use of uses()) {
      const { where, word, isGrant } = use;
      const key = JSON.stringify([where, word, isGrant]);
      if (fine.has(key)) continue;
      const checked = await checkUse(use, known);
      if (checked === "fine") fine.add(key);
      if (typeof checked === "string") continue;
      // The hint at the end changes whenever a server renames its tools.
      const problem = JSON.stringify([key, checked.problem.replace(/;.*$/s, "")]);
      if (!reported.has(problem)) report(problemLine(use, checked.problem));
      reported.add(problem);
    }
  };
  let last = Promise.resolve();
  let isDue = false;
  // Many servers list their tools at once.
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

/** The problems of patterns, one line each, from what the servers listed in their last run. Starts nothing. */
export async function patternProblems(run: Run, uses: readonly PatternUse[]): Promise<readonly string[]> {
  // The caller does not care about broken rows.
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
      const listing = row && memory?.entry(row)?.listing;
      const extensions = sharedKey(extensionKey(RELAYED_EXTENSIONS), listing?.capabilities);
      return listing !== undefined && (extensions === "" || listing.classes?.[extensions] !== undefined);
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

/** The names of our own tools: all of the deck, and others in the box. */
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
