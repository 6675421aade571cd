import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Environment } from "indusagi/core";
import type { InjectedTransport, ServerConfig } from "indusagi/interop";
import type { Attachment } from "../../background/hub/index.ts";
import type { AskOptions, Terminal } from "../../screen/terminal/index.ts";
import type { PathRepair } from "../../servers/doctor/index.ts";
import type { ToolFilter } from "../tools/select-tools.ts";
import { type CloseStack, createCloseStack } from "./close-stack.ts";
import type { RunState, SharedState } from "./run-state.ts";

export interface RunOptions {
  readonly terminal: Terminal;
  /** Aborts when the run should end. */
  readonly signal: AbortSignal;
  /** The workspace. Default: the current folder. */
  readonly cwd?: string | undefined;
  /** Default: the environment of this process. */
  readonly env?: Environment | undefined;
  /** The client of a background gateway that the run serves. Default: the run has this process to itself. */
  readonly attachment?: Attachment | undefined;
  /** What the run keeps elsewhere than in a state folder. Default: nothing. */
  readonly shared?: SharedState | undefined;
}

/**
 * One run of a command. Everything is opened for it, when it is needed: `openServers(run, …)`, `openGateway(run, …)`. Closing
 * the run closes what was opened, in reverse order, even if a later part failed to open.
 */
export interface Run extends CloseStack {
  readonly terminal: Terminal;
  /** The workspace, absolute. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly env: Environment;
  /** The client that the run serves, in a process that serves others too. */
  readonly attachment?: Attachment | undefined;
  /** Writes one line to standard error. Control characters are escaped. */
  readonly report: (message: string) => void;
  /** Asks the user. Undefined without a terminal or an answer. */
  ask(question: string, options?: Omit<AskOptions, "signal">): Promise<string | undefined>;
  /** What the run keeps in the state folder of the workspace. */
  readonly state: RunState;
  readonly notes: RunNotes;
}

/** What parts of a run leave for each other. */
interface RunNotes {
  /** The rows that were found last. */
  rows: readonly ServerConfig[];
  /** The launch hashes of the rows that were read, by server id. */
  readonly launches: Map<string, string>;
  /** Those of the user's rows that start the same program in every folder, by server id. */
  readonly portable: Set<string>;
  /** The filter of `--tools` that was given last. */
  filter?: ToolFilter;
  /** The repair of `PATH`, once something needs it. */
  pathRepair?: Promise<PathRepair>;
  /** The servers that the user's background gateway was asked for, by id, and its connections to those that run in it. */
  readonly asked: Set<string>;
  readonly running: Map<string, InjectedTransport>;
  /** What was reported about the words of `--tools`. */
  readonly reported: Set<string>;
}

/** Reports may quote texts of others, which must not fill the screen. */
const MAX_REPORT_CHARS = 4_000;

/** Rejects if `cwd` is not a folder. */
export async function openRun(options: RunOptions): Promise<Run> {
  const { terminal, signal, env = process.env, attachment, shared } = options;
  const cwd = options.cwd === undefined ? process.cwd() : existingFolder(options.cwd);
  const [{ escapeForDisplay, shortenText }, { createRunState }] = await Promise.all([
    import("indusagi/core"),
    import("./run-state.ts"),
  ]);
  const stack = createCloseStack();
  const report = (message: string): void =>
    terminal.err(`indus: ${shortenText(escapeForDisplay(message), MAX_REPORT_CHARS)}\n`);
  const notes: RunNotes = {
    rows: [],
    launches: new Map(),
    portable: new Set(),
    asked: new Set(),
    running: new Map(),
    reported: new Set(),
  };
  return {
    ...stack,
    terminal,
    cwd,
    signal,
    env,
    attachment,
    report,
    ask: async (question, asking) => terminal.ask?.(escapeForDisplay(question), { ...asking, signal }),
    state: createRunState({ cwd, env, report, stack, shared, ...notes }),
    notes,
  };
}

function existingFolder(given: string): string {
  const folder = resolve(given);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`--cwd: ${given} is not a folder; name an existing one`);
  return folder;
}
