import { describeError } from "indusagi/core";
import type { ServerConfig, TokenProvider } from "indusagi/interop";
import type { Run } from "../../boot/internal.ts";
import type { ToolFilter } from "../../boot/tools/internal.ts";
import { isMountedPattern } from "../../launch/internal.ts";
import { type MountServersOptions, mountServers, type OpenServers } from "./mount-servers.ts";
import { repairPath } from "./repair-path.ts";

/** What the run does not know itself. */
export interface OpenServersOptions
  extends Omit<MountServersOptions, "memory" | "log" | "pins" | "auth" | "knownRows"> {
  /** Servers may be added later, so that logins are needed whatever servers there are now. Default: false. */
  readonly mayGrow?: boolean;
}

/** Connects to servers with what the run knows about them: their tools, logs, approvals and logins. They close with the run. */
export async function openServers(
  run: Run,
  { mayGrow = false, ...options }: OpenServersOptions,
): Promise<OpenServers> {
  const { state, notes } = run;
  // First, so that the memory is closed after the servers.
  const memory = await state.memory();
  const log = await state.log();
  const pins = await state.pins();
  const auth = await tokensFor(run, options.servers, mayGrow);
  const selection = options.selection ?? notes.filter;
  const repair = repairPath(run);
  const startAfter = repair && Promise.all([repair, options.startAfter]);
  const servers = await run.open(
    mountServers({
      ...options,
      ...(memory && { memory }),
      ...(log && { log }),
      ...(pins && { pins }),
      ...(auth && { auth }),
      ...(selection && { selection }),
      knownRows: () => notes.rows,
      ...(startAfter && { startAfter }),
    }),
  );
  if (selection) await reportSelection(run, selection, servers);
  return servers;
}

/** Undefined if none of the servers can have tokens and no more follow, or if logins cannot be used, which is reported. */
async function tokensFor(
  { state, report }: Run,
  servers: readonly ServerConfig[],
  mayGrow: boolean,
): Promise<((config: ServerConfig) => TokenProvider | undefined) | undefined> {
  if (!mayGrow && servers.every(({ kind }) => kind === "stdio")) return undefined;
  try {
    const logins = await state.logins();
    return (server) => logins.providerFor(server);
  } catch (thrown) {
    // Without them only servers that require a login are unusable.
    report(`logins are not used: ${describeError(thrown)}`);
    return undefined;
  }
}

/** Reports the patterns of `--tools` that select no tool of a server. */
async function reportSelection(run: Run, { words }: ToolFilter, servers: OpenServers): Promise<void> {
  const patterns = words.filter(isMountedPattern);
  if (patterns.length === 0) return;
  const uses = patterns.map((word) => ({ where: "--tools:", word, isGrant: true }));
  const { reported } = run.notes;
  // Some commands open servers several times.
  const report = (message: string): void => {
    if (!reported.has(message)) run.report(message);
    reported.add(message);
  };
  const { reportPatterns } = await import("./report-patterns.ts");
  run.defer(reportPatterns(servers, { uses: () => uses, report }));
}
