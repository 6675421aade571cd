import { shellWord, showDuration } from "indusagi/core";
import type { EndpointStatus, ServerConfig } from "indusagi/interop";
import type { Finding } from "./finding.ts";
import { type ServerReport, serverReport } from "./server-report.ts";

/** The verdict on a server, which decides the exit code. */
export type Verdict = "ready" | "failed" | "login" | "untrusted" | "refused" | "disabled";

/** What is known about one server after the attempt to start it. */
export interface ServerFacts {
  readonly config: ServerConfig;
  /** Where its row is, as shown to people. */
  readonly origin: string;
  readonly trust: "own" | "approved" | "pending" | "refused" | "given";
  readonly status: EndpointStatus;
  /** From the start of its process to the listing of its tools, or to the failure. */
  readonly ms?: number | undefined;
  /** An estimate of what its tools cost in each request to a model. */
  readonly tokens: number;
  /** What was reported while it was added, such as tools that cannot be offered. */
  readonly reports: readonly string[];
  /** Who is logged in, and until when. Absent if there is no login. */
  readonly login?: string | undefined;
}

/** What was found about one server. */
export interface Examination {
  readonly server: string;
  readonly verdict: Verdict;
  readonly origin: string;
  readonly trust: ServerFacts["trust"];
  readonly ms?: number | undefined;
  readonly tools: number;
  readonly tokens: number;
  readonly findings: readonly Finding[];
  /** The lines of standard error that say why it failed, or else the last ones. */
  readonly stderr: readonly string[];
}

/** Many clients give up on a server that takes longer. */
const SLOW_MS = 10_000;
/** Tools that cost more leave a model noticeably less room. */
const MANY_TOKENS = 20_000;
const MAX_STDERR_LINES = 8;

/** Explains the state of a server, and what the user can do. */
export function examineServer(facts: ServerFacts): Examination {
  const { config, origin, trust, status, ms, tokens } = facts;
  const report = serverReport(status);
  const verdict = verdictOf(trust, report);
  const wasStarted = verdict === "ready" || verdict === "failed" || verdict === "login";
  return {
    server: config.id,
    verdict,
    origin,
    trust,
    ms: wasStarted ? ms : undefined,
    tools: status.toolCount,
    tokens,
    findings: [
      mainFinding(verdict, report, origin),
      ...(facts.login === undefined ? [] : [{ health: "note", what: facts.login } as const]),
      ...(verdict === "ready" ? readyFindings(facts) : []),
    ].flatMap((finding) => finding ?? []),
    stderr: verdict === "failed" ? stderrLines(status) : [],
  };
}

function verdictOf(trust: ServerFacts["trust"], { standing, isUsable }: ServerReport): Verdict {
  if (standing === "disabled") return "disabled";
  if (trust === "refused") return "refused";
  if (standing === "untrusted") return "untrusted";
  if (standing === "needs_login") return "login";
  return isUsable ? "ready" : "failed";
}

function mainFinding(
  verdict: Verdict,
  { server, reason, remedy }: ServerReport,
  origin: string,
): Finding | undefined {
  switch (verdict) {
    case "ready":
      return undefined;
    case "disabled":
      return { health: "note", what: "it is disabled in its configuration", remedy };
    case "refused":
      return {
        health: "note",
        what: "you refused to start it",
        remedy: `indus mcp trust ${shellWord(server)}`,
      };
    case "untrusted":
      return {
        health: "problem",
        what: `it comes with the project (${origin}) and is not approved, so it was not started`,
        remedy,
      };
    case "login":
    case "failed":
      return { health: "problem", what: reason, remedy };
  }
}

function readyFindings({ config, status, ms = 0, tokens, reports }: ServerFacts): Finding[] {
  const notes = [...(status.notes ?? []), ...(status.rowNotes ?? []), ...reports].map(
    (what): Finding => ({ health: "warning", what, ...remedyFor(what) }),
  );
  const leftOut = (status.leftOut ?? []).map(
    (what): Finding => ({ health: "warning", what, remedy: LEFT_OUT_REMEDY }),
  );
  return [
    ...notes,
    ...leftOut,
    ...(ms > SLOW_MS ? [slowStart(config, ms)] : []),
    ...(status.toolCount === 0 ? [{ health: "warning", what: "it offers no tools" } as const] : []),
    ...(tokens > MANY_TOKENS
      ? [
          {
            health: "warning",
            what: `its tools cost about ${tokens} tokens (estimate) in each request to a model`,
            remedy: 'name the tools you need in "includeTools", or leave some out with "excludeTools"',
          } as const,
        ]
      : []),
  ];
}

const LEFT_OUT_REMEDY =
  "update the server, or ask its author to correct the definitions: official clients reject a whole list because of one of them";

function remedyFor(note: string): Pick<Finding, "remedy"> {
  if (!note.includes("were not messages")) return {};
  return {
    remedy: "its program must write only messages to standard output, and text to standard error",
  };
}

function slowStart(config: ServerConfig, ms: number): Finding {
  const isStdio = config.kind === "stdio";
  return {
    health: "warning",
    what: `it took ${showDuration(ms)} to start, and many clients wait only ${showDuration(SLOW_MS)}`,
    remedy: isStdio
      ? "indus mcp warm installs its package before it is needed; indus serve offers its tools before it is ready"
      : "indus serve offers its tools before it is ready",
  };
}

function stderrLines({ stderrReason, stderrTail = "" }: EndpointStatus): readonly string[] {
  if (stderrReason && stderrReason.length > 0) return stderrReason;
  return stderrTail
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-MAX_STDERR_LINES);
}
