import { escapeForDisplay, shortenText, showDuration, showName } from "indusagi/core";
import { labelled, type ShownToolCost, showToolCost } from "../../screen/index.ts";
import { type Look, paint, type Style } from "../../screen/internal.ts";
import type { Examination, Verdict } from "./examine-server.ts";
import type { Finding, Health } from "./finding.ts";
import { MAX_NOTE_CHARS } from "./status.ts";

/** Everything that `indus mcp doctor` found. */
export interface Checkup {
  readonly version: string;
  readonly machine: readonly Finding[];
  /** What is wrong with configuration files. */
  readonly config: readonly Finding[];
  readonly servers: readonly Examination[];
  /** How many servers are configured, if only some of them were to be examined. */
  readonly configured?: number | undefined;
  /** What all tools cost together. Absent if there are none. */
  readonly cost?: ShownToolCost | undefined;
}

const STYLES: { readonly [health in Health]: Style } = {
  ok: "green",
  note: "dim",
  warning: "yellow",
  problem: "red",
};
const LABEL_CHARS = 11;

/** One block for the machine, one for the files, one for each server, and a summary line. */
export function showCheckup(checkup: Checkup, look: Look = {}): string {
  const { version, machine, config, servers } = checkup;
  const blocks = [
    `${heading(`Indus ${version}`, look)}${machine.map((finding) => showFinding(finding, look)).join("")}`,
    ...(config.length === 0
      ? []
      : [
          `${heading("Configuration files", look)}${config.map((finding) => showFinding(finding, look)).join("")}`,
        ]),
    ...servers.map((server) => showServer(server, look)),
    labelled("", summaryOf(checkup), look.width),
  ];
  return blocks.join("\n");
}

function heading(text: string, { hasColours }: Look): string {
  return `${hasColours ? paint("bold", text) : text}\n`;
}

function showFinding({ health, what, remedy }: Finding, look: Look): string {
  const noted = (words: string): string => shortenText(escapeForDisplay(words), MAX_NOTE_CHARS);
  const text = labelled(labelOf(health), noted(what), look.width);
  const painted = look.hasColours ? text.replace(health, paint(STYLES[health], health)) : text;
  return painted + (remedy === undefined ? "" : labelled(labelOf("do"), noted(remedy), look.width));
}

function labelOf(word: string): string {
  return `  ${word.padEnd(LABEL_CHARS - 2)}`;
}

const VERDICTS: { readonly [verdict in Verdict]: string } = {
  ready: "ready",
  failed: "failed",
  login: "needs a login",
  untrusted: "not approved",
  refused: "refused",
  disabled: "disabled",
};

function showServer(report: Examination, look: Look): string {
  const { server, verdict, origin, findings, stderr } = report;
  const title = `${showName(server)}: ${VERDICTS[verdict]}${figuresOf(report)}`;
  const lines = stderr.map((line) => labelled(labelOf("stderr"), `| ${escapeForDisplay(line)}`, look.width));
  return [
    labelledTitle(title, look),
    labelled(labelOf("from"), escapeForDisplay(origin), look.width),
    ...findings.map((finding) => showFinding(finding, look)),
    ...lines,
  ].join("");
}

function labelledTitle(title: string, look: Look): string {
  const text = labelled("", title, look.width);
  return look.hasColours ? `${paint("bold", text.trimEnd())}\n` : text;
}

function figuresOf({ verdict, ms, tools, tokens }: Examination): string {
  if (ms === undefined) return "";
  const time = showDuration(ms);
  if (verdict !== "ready") return ` after ${time}`;
  return ` after ${time}, ${tools} ${tools === 1 ? "tool" : "tools"}, about ${tokens} tokens (estimate)`;
}

function summaryOf({ servers, configured, cost }: Checkup): string {
  if (servers.length === 0) return "There are no servers. To add one: indus mcp add NAME -- COMMAND";
  const counts = (Object.keys(VERDICTS) as Verdict[]).flatMap((verdict) => {
    const count = servers.filter((server) => server.verdict === verdict).length;
    return count === 0 ? [] : [`${count} ${VERDICTS[verdict]}`];
  });
  if (configured !== undefined)
    return `examined ${servers.length} of ${countOf(configured)}: ${counts.join(", ")}`;
  const costs = cost ? `. indus serve ${showToolCost(cost)}` : "";
  return `${countOf(servers.length)}: ${counts.join(", ")}${costs}`;
}

function countOf(servers: number): string {
  return `${servers} ${servers === 1 ? "server" : "servers"}`;
}

/** 0: all well. 1: a server failed. 3: a configuration file has errors. 4: not approved. 5: login needed. 2 is wrong usage. */
export type DoctorCode = 0 | 1 | 3 | 4 | 5;

/**
 * The exit code. If several apply: errors in files first, because they hide servers; then failures, which no single command
 * solves; then logins, then approvals.
 */
export function doctorCode(findings: {
  readonly machine: readonly Finding[];
  readonly config: readonly Finding[];
  readonly servers: readonly Pick<Examination, "verdict">[];
}): DoctorCode {
  const has = (verdict: Verdict): boolean => findings.servers.some((server) => server.verdict === verdict);
  if (findings.config.some(isProblem)) return 3;
  if (has("failed") || findings.machine.some(isProblem)) return 1;
  if (has("login")) return 5;
  return has("untrusted") ? 4 : 0;
}

function isProblem({ health }: Finding): boolean {
  return health === "problem";
}
