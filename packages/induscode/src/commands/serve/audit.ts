import { escapeForDisplay, showDuration } from "indusagi/core";
import { type Run, workspaceAudit } from "../../boot/internal.ts";
import type { CallRecord } from "../../gateway/operations/audit/index.ts";
import { CALL_METHODS, CALL_OUTCOMES, type CallFilter } from "../../gateway/operations/audit/internal.ts";
import {
  type ClusterPlace,
  type CommandSpec,
  CWD,
  clusterFlags,
  type Flag,
  JSON_OUTPUT,
  readCluster,
} from "../../launch/internal.ts";
import { labelled, showJsonLine, sizeShown } from "../../screen/index.ts";
import { type Look, paint, type Style } from "../../screen/internal.ts";
import { localTime } from "../../servers/log/index.ts";
import { type FollowRequest, followFlags, followLines, readFollow } from "../follow-lines.ts";

/** A time: relative to now, or absolute. */
type Since = { readonly agoMs: number } | { readonly at: string };

interface AuditRequest extends CallFilter, FollowRequest {
  readonly since?: Since | undefined;
  readonly json: boolean;
  /** Absent: the calls that this folder's gateways served. */
  readonly cluster?: ClusterPlace | undefined;
}

const text = (name: string, value: string, describe: string): Flag => ({
  name,
  aliases: [],
  kind: "string",
  value,
  describe,
});

const words = (name: string, value: string, known: readonly string[], describe: string): Flag => ({
  name,
  aliases: [],
  kind: "list",
  value,
  describe: `${describe}: ${known.join(", ")}.`,
  accepts: { describe: known.join(", "), known, isValid: (word) => known.includes(word) },
});

export const AUDIT: CommandSpec<AuditRequest> = {
  name: "audit",
  group: "team",
  summary:
    "Show the requests that this folder's gateways served for tools, resources, prompts and completion: who, what, when, duration, outcome and sizes. Arguments and results are not recorded.",
  flags: [
    text("--server", "SERVER", "Show only calls of this server."),
    text("--tool", "TOOL", "Show only calls of this tool; notes__* matches all that begin with notes__."),
    text("--principal", "NAME", "Show only calls with this token; - means calls without one."),
    {
      ...text(
        "--since",
        "WHEN",
        "Show only calls since then: 90s, 30m, 2h or 7d ago, or a time such as 2026-11-16T09:30Z.",
      ),
      accepts: {
        describe: "a time ago such as 90s, 30m, 2h or 7d, or a time such as 2026-11-16T09:30Z",
        isValid: (given) => readSince(given) !== undefined,
      },
    },
    words("--method", "METHODS", CALL_METHODS, "Show only these requests"),
    words("--outcome", "OUTCOMES", CALL_OUTCOMES, "Show only calls with these outcomes"),
    ...followFlags("calls", "new calls"),
    { ...JSON_OUTPUT, describe: "Print one JSON object per line." },
    CWD,
    ...clusterFlags("Show the calls that all gateways of this cluster served: its NATS servers.", ["--cwd"]),
  ],
  examples: ["indus audit --since 1h --outcome failed,timeout", "indus audit --principal alice --follow"],
  read: (flags) => {
    const [server, tool, principal] = ["--server", "--tool", "--principal"].map((name) => flags.value(name));
    const [methods, outcomes] = [flags.list("--method"), flags.list("--outcome")];
    const since = readSince(flags.value("--since") ?? "");
    return {
      server,
      tool,
      principal,
      since,
      methods: methods.length > 0 ? methods : undefined,
      outcomes: outcomes.length > 0 ? outcomes : undefined,
      ...readFollow(flags),
      json: flags.has("--json"),
      cluster: readCluster(flags),
    };
  },
};

const UNITS: { readonly [unit: string]: number } = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const AGO = /^(\d{1,6})([smhd])$/;

function readSince(text: string): Since | undefined {
  const [, count, unit = ""] = AGO.exec(text) ?? [];
  if (count !== undefined) return { agoMs: Number(count) * (UNITS[unit] ?? 0) };
  // `Date.parse` would take a bare number for a year or a month.
  return /^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(Date.parse(text)) ? { at: text } : undefined;
}

function timeOf(since: Since): number {
  return "at" in since ? Date.parse(since.at) : Date.now() - since.agoMs;
}

/** `indus audit`: shows the calls that the folder's gateways served, or those of a cluster. Starts nothing. */
export async function audit(run: Run, request: AuditRequest): Promise<number> {
  const { terminal, report, signal } = run;
  const { since, lines, follow, json, cluster, ...chosen } = request;
  const trail = cluster ? await auditOf(run, cluster) : await auditHere(run);
  const filter = { ...chosen, sinceMs: since && timeOf(since) };
  const next = follow ? await trail.follow(filter) : undefined;
  const found = await trail.read(filter, lines);
  if (found.length === 0 && !follow)
    report(
      (await trail.read({}, 1)).length === 0
        ? `no gateway of this ${cluster ? "cluster" : "folder"} has served a call yet; indus serve starts one`
        : "no recorded call matches",
    );
  const print = (records: typeof found): void => {
    for (const record of records)
      terminal.out(json ? showJsonLine(record) : showCallRecord(record, terminal.outLook));
  };
  print(found);
  if (next) await followLines(() => print(next()), signal);
  return 0;
}

/** Where calls are read. */
type AuditSource = Awaited<ReturnType<typeof auditOf>>;

async function auditHere(run: Run): Promise<AuditSource> {
  const trail = await workspaceAudit(run);
  return {
    read: async (filter, most) => trail.read(filter).slice(-most),
    follow: async (filter) => trail.follow(filter),
  };
}

async function auditOf(run: Run, cluster: ClusterPlace) {
  const { connectCluster, openSharedAudit } = await import("../../cluster/internal.ts");
  return openSharedAudit(await run.open(connectCluster(cluster, "indus command")));
}

/** One call as a line: local time, who, what, how it ended, how long, and sizes. */
function showCallRecord(record: CallRecord, { hasColours, width }: Look = {}): string {
  const { at, principal = "-", client, outcome, ms, argumentBytes, resultBytes, id } = record;
  const label = `${localTime(at)}  `;
  const words = [
    principal,
    ...(client === undefined ? [] : [`(${client})`]),
    whatWasUsed(record),
    outcome,
    showDuration(ms),
    `${sizeShown(argumentBytes)} in, ${sizeShown(resultBytes)} out`,
    id,
  ];
  const text = labelled(label, escapeForDisplay(words.join("  ")), width);
  if (!hasColours) return text;
  const rest = text.slice(label.length).trimEnd();
  const style = STYLES[outcome];
  return `${paint("dim", label.trimEnd())}  ${style ? paint(style, rest) : rest}\n`;
}

/** A resource has no name in the trail, so its server is shown. */
function whatWasUsed({ method, tool, prompt, resource, server }: CallRecord): string {
  if (tool !== undefined) return tool;
  return [method, prompt ?? [server, resource].join(" ")].join(" ");
}

const STYLES: { readonly [outcome: string]: Style } = {
  error: "yellow",
  refused: "yellow",
  unknown: "yellow",
  timeout: "red",
  failed: "red",
  cancelled: "dim",
};
