import { relative } from "node:path";
import { outputSections, type ShellStream, type ToolContext } from "indusagi/capabilities";
import {
  describeExit,
  escapeForDisplay,
  shortenText,
  showDuration,
  systemClock,
  textTable,
} from "indusagi/core";
import type { ToolResult } from "indusagi/runtime";
import type { Daemon } from "./daemon-table.ts";
import { STREAM_START } from "./line-ring.ts";

const MAX_COMMAND = 100;

/** A job with some text about it. */
export function daemonResult(daemon: Daemon, ctx: ToolContext, text: string): ToolResult {
  const facts = factsOf(daemon, ctx);
  const heading = `${daemon.id} (pid ${facts.pid}): ${statusOf(daemon)}\nlog: ${facts.logPath}`;
  return { content: [{ kind: "text", text: `${heading}\n${text}` }], structured: facts };
}

/** All jobs as a table. */
export function daemonsResult(daemons: readonly Daemon[], ctx: ToolContext): ToolResult {
  const jobs = daemons.map((daemon) => factsOf(daemon, ctx));
  const table = textTable([
    ["ID", "STATUS", "LOG", "COMMAND"],
    ...daemons.map((daemon) => [
      daemon.id,
      statusOf(daemon),
      shownPath(daemon, ctx),
      shortenText(escapeForDisplay(daemon.command), MAX_COMMAND),
    ]),
  ]);
  return {
    content: [{ kind: "text", text: daemons.length === 0 ? "no jobs" : table }],
    structured: { jobs },
  };
}

/** The output of both streams: all that is kept, or only what is new since the last call. */
export function showOutput(daemon: Daemon, ctx: ToolContext, onlyNew: boolean): string {
  const stdout = takeStream(daemon, "stdout", onlyNew);
  const stderr = takeStream(daemon, "stderr", onlyNew);
  if (stdout === "" && stderr === "") return onlyNew ? "(no new output)" : "(no output)";
  return outputSections({ stdout, stderr }, { ...ctx.budget, kind: "tail" }).text;
}

function takeStream({ streams }: Daemon, name: ShellStream, onlyNew: boolean): string {
  const stream = streams[name];
  const { text, skippedLines, next } = stream.lines.read(onlyNew ? stream.shown : STREAM_START);
  stream.shown = next;
  return skippedLines === 0 ? text : `[... ${skippedLines} earlier lines are only in the log ...]\n${text}`;
}

/** The structured result. */
interface DaemonFacts {
  readonly id: string;
  readonly pid: number;
  readonly command: string;
  readonly status: "running" | "ended";
  /** Absent while it runs; null if a signal ended it. */
  readonly exitCode?: number | null;
  readonly signal?: string;
  readonly uptimeMs: number;
  readonly logPath: string;
}

function factsOf(daemon: Daemon, ctx: ToolContext): DaemonFacts {
  const { id, command, process, ended } = daemon;
  return {
    id,
    pid: process.pid,
    command,
    status: ended ? "ended" : "running",
    ...(ended ? { exitCode: ended.exit.code } : {}),
    ...(ended?.exit.signal === undefined ? {} : { signal: ended.exit.signal }),
    uptimeMs: Math.round(uptimeOf(daemon)),
    logPath: shownPath(daemon, ctx),
  };
}

function statusOf(daemon: Daemon): string {
  const uptime = showDuration(uptimeOf(daemon));
  return daemon.ended ? `${describeExit(daemon.ended.exit)} after ${uptime}` : `running for ${uptime}`;
}

function uptimeOf({ startedMs, ended }: Daemon): number {
  return (ended?.atMs ?? systemClock.monotonicMs()) - startedMs;
}

function shownPath({ logPath }: Daemon, { cwd }: ToolContext): string {
  return relative(cwd, logPath);
}
