import type { ToolContext } from "indusagi/capabilities";
import { settlesWithin } from "indusagi/core";
import type { JsonSchema } from "indusagi/llm";
import { failureResult, type ToolResult } from "indusagi/runtime";
import type { Capability, CapabilityCard, ToolEffect } from "../../contract/index.ts";
import { appCard, defineCard } from "../define-card.ts";
import { type Daemon, DaemonTable } from "./daemon-table.ts";
import { daemonResult, daemonsResult, showOutput } from "./show-daemon.ts";

export interface DaemonCardOptions {
  /** How long `start` waits for a command that fails immediately, such as a typo. Default 150 ms. */
  readonly settleMs?: number;
}

/** `bg-process`: background jobs with the last lines of each stream. */
export function daemonCard({ settleMs = 150 }: DaemonCardOptions = {}): CapabilityCard {
  return appCard({
    id: "bg-process",
    title: "Background process",
    summary: "Start, poll, stop and list commands that run in the background.",
    build: () => daemonCapability(new DaemonTable(), settleMs),
  });
}

interface DaemonInput {
  readonly action: "start" | "poll" | "stop" | "list";
  readonly command?: string;
  readonly id?: string;
  readonly sinceLast?: boolean;
}

const PARAMETERS: JsonSchema = {
  type: "object",
  properties: {
    action: { type: "string", enum: ["start", "poll", "stop", "list"] },
    command: { type: "string", minLength: 1, description: "The command line, for start." },
    id: { type: "string", minLength: 1, description: "The job, such as bg-1, for poll and stop." },
    sinceLast: {
      type: "boolean",
      description: "For poll: only the output since the last poll. Default: all lines that are kept.",
    },
  },
  required: ["action"],
};

function daemonCapability(table: DaemonTable, settleMs: number): Capability {
  return defineCard<DaemonInput>({
    name: "bg-process",
    label: "Background process",
    description:
      "Run commands in the background, with stdout and stderr apart. start (command) returns an id; poll (id) shows " +
      "the status and the last 2000 lines of each stream, with sinceLast only what is new; stop (id) ends the job with " +
      "everything it started; list shows all jobs. Each job has a log file with its whole output. At most 50 jobs run " +
      "at once, and all end with the session. Do not end the command with &.",
    parameters: PARAMETERS,
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    },
    effect: ({ action }) => EFFECTS[action],
    run: async (input, ctx) => {
      if (input.action === "list") return daemonsResult(table.list(), ctx);
      if (input.action === "start") return start(input, ctx, { table, settleMs });
      const daemon = input.id === undefined ? undefined : table.get(input.id);
      if (!daemon) return noDaemon(input, table);
      return input.action === "poll" ? poll(daemon, input, ctx) : stop(daemon, ctx, table);
    },
  });
}

const EFFECTS: { readonly [action in DaemonInput["action"]]: ToolEffect } = {
  start: { readOnly: false, destructive: true },
  stop: { readOnly: false, destructive: true, paths: [] },
  poll: { readOnly: true, paths: [] },
  list: { readOnly: true, paths: [] },
};

async function start(
  { command }: DaemonInput,
  ctx: ToolContext,
  { table, settleMs }: { readonly table: DaemonTable; readonly settleMs: number },
): Promise<ToolResult> {
  if (command === undefined)
    return failureResult('bg-process: "command" is missing; start needs the command line to run');
  const daemon = await table.start(command, ctx);
  const exited = new Promise<void>((resolve) => daemon.process.onExit(() => resolve()));
  const hasEnded = await settlesWithin(exited, settleMs, { signal: ctx.signal });
  // The caller never gets the id of an aborted start, so it could not stop the job itself.
  if (ctx.signal.aborted) await table.stop(daemon);
  if (!hasEnded) return daemonResult(daemon, ctx, "It runs in the background; use poll to see its output.");
  const result = daemonResult(daemon, ctx, showOutput(daemon, ctx, true));
  return daemon.ended?.exit.code === 0 ? result : { ...result, isError: true };
}

function poll(daemon: Daemon, { sinceLast = false }: DaemonInput, ctx: ToolContext): ToolResult {
  return daemonResult(daemon, ctx, showOutput(daemon, ctx, sinceLast));
}

async function stop(daemon: Daemon, ctx: ToolContext, table: DaemonTable): Promise<ToolResult> {
  if (daemon.ended) return daemonResult(daemon, ctx, "It had already ended.");
  await table.stop(daemon);
  return daemonResult(daemon, ctx, "It was stopped, with everything it had started.");
}

function noDaemon({ action, id }: DaemonInput, table: DaemonTable): ToolResult {
  const known = `known jobs: ${
    table
      .list()
      .map((daemon) => daemon.id)
      .join(", ") || "none"
  }`;
  return failureResult(
    id === undefined
      ? `bg-process: "id" is missing; ${action} needs the id of a job; ${known}`
      : `bg-process: there is no job ${JSON.stringify(id)}; ${known}`,
  );
}
