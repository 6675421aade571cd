import { describeError } from "indusagi/core";
import type { InjectedTransport, ServerConfig, TokenProvider } from "indusagi/interop";
import type { Run } from "../../boot/internal.ts";
import type { ToolFilter } from "../../boot/tools/internal.ts";
import { isMountedPattern } from "../../launch/internal.ts";
import { type MountServersOptions, mountServers, type OpenServers } from "./mount-servers.ts";
import { repairPath } from "./repair-path.ts";

export interface OpenServersOptions
  extends Omit<MountServersOptions, "memory" | "log" | "pins" | "auth" | "knownRows"> {
  /** Servers may be added later, so logins are needed even if no server can have one now. Default: false. */
  readonly mayGrow?: boolean;
}

/** Connects to servers with what the run knows about them: their memory, logs, pins and logins. They close with the run. */
export async function openServers(
  run: Run,
  { mayGrow = false, ...options }: OpenServersOptions,
): Promise<OpenServers> {
  const { state, notes } = run;
  // First, so the memory closes after the servers.
  const memory = await state.memory();
  const log = await state.log();
  const pins = await state.pins();
  const auth = await tokensFor(run, options.servers, mayGrow);
  const selection = options.selection ?? notes.filter;
  const repair = repairPath(run);
  const { running } = notes;
  const { sharing } = run.attachment ?? {};
  const servers = await run.open(
    mountServers({
      ...options,
      ...(running.size > 0 && { transport: (config: ServerConfig) => taken(running, config.id) }),
      ...(sharing && { sharing, place: sharing.scope.place }),
      memory,
      log,
      pins,
      auth,
      selection,
      knownRows: () => notes.rows,
      startAfter: repair ? Promise.all([repair, options.startAfter]) : options.startAfter,
    }),
  );
  if (selection) await reportSelection(run, selection, servers);
  return servers;
}

/** A connection is used once: a later start of the server is its own. */
function taken(running: Map<string, InjectedTransport>, id: string): InjectedTransport | undefined {
  const transport = running.get(id);
  running.delete(id);
  return transport;
}

/** Undefined if no server can have tokens, now or later, or if logins cannot be used, which is reported. */
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
async function reportSelection(run: Run, { words, saidBy }: ToolFilter, servers: OpenServers): Promise<void> {
  const patterns = words.filter(isMountedPattern);
  if (patterns.length === 0) return;
  const uses = patterns.map((word) => ({ where: `${saidBy}:`, word, isGrant: true }));
  const { reported } = run.notes;
  // Some commands open servers several times.
  const report = (message: string): void => {
    if (!reported.has(message)) run.report(message);
    reported.add(message);
  };
  const { reportPatterns } = await import("./report-patterns.ts");
  run.defer(reportPatterns(servers, { uses: () => uses, report }));
}
