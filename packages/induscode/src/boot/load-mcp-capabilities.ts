import type { Environment } from "indusagi/core";
import type { ServerFleet } from "indusagi/interop";
import type { LiveBridge } from "../deck/attach/index.ts";
import type { BridgeCapability, BridgeLedger } from "../deck/ledger/index.ts";
import type { Invocation as LaunchInvocation } from "../launch/index.ts";
import { openRun } from "./run/open-run.ts";

/** The part of a command line that boot needs. `mcp` is absent, not empty, if no source was given. */
export interface Invocation extends Partial<Pick<LaunchInvocation, "tools" | "noTools" | "mcp">> {}

export interface LoadMcpOptions {
  /** Default: the environment of this process. */
  readonly env?: Environment;
  /** Stops waiting and ends every server. */
  readonly signal?: AbortSignal;
  /** Called with one line for each problem. Default: standard error. */
  readonly report?: (message: string) => void;
  /** How long to wait for servers. Later ones join live. Default 5 s. */
  readonly waitMs?: number;
}

/** The tools of a session's servers. Closing it ends the servers and the ledger's log. */
export interface McpCapabilities extends AsyncDisposable {
  /** The tools that are offered now. */
  readonly capabilities: readonly BridgeCapability[];
  /** What was enrolled and retired so far. */
  readonly ledger: BridgeLedger;
  readonly fleet: ServerFleet;
  /** The tools as a live source, for `ToolDeck.graft`. */
  readonly source: LiveBridge;
}

/**
 * Connects to the servers of `--mcp` or, without it, to those configured for the folder, and enrolls their tools. Sources and
 * servers that cannot be used are reported and skipped; unapproved servers of a project are not started. Rejects if a
 * required server is down. With `noTools` nothing is read or started.
 */
export async function loadMcpCapabilities(
  { mcp = [], tools = [], noTools = false }: Invocation,
  cwd: string,
  { env, signal = new AbortController().signal, report, waitMs }: LoadMcpOptions = {},
): Promise<McpCapabilities> {
  const err = report
    ? (text: string): void => report(text.trimEnd())
    : (text: string): void => void process.stderr.write(text);
  const run = await openRun({ terminal: { out: () => {}, err }, signal, cwd, env });
  try {
    const sources = { mcp, run: [], noTools, ...(tools.length > 0 ? { tools } : {}) };
    const [{ findServers }, { openSessionServers }] = await Promise.all([
      import("../servers/find/index.ts"),
      import("../conductor/open/internal.ts"),
    ]);
    const found = await findServers(run, sources, { bestEffort: true });
    const servers = await openSessionServers(run, found?.configs ?? [], {
      ...(waitMs === undefined ? {} : { waitMs }),
    });
    const bridge = await run.state.follow(servers.box);
    return {
      get capabilities() {
        return bridge.list();
      },
      get ledger() {
        return bridge.ledger;
      },
      fleet: servers.fleet,
      source: bridge,
      [Symbol.asyncDispose]: () => run[Symbol.asyncDispose](),
    };
  } catch (thrown) {
    await run[Symbol.asyncDispose]();
    throw thrown;
  }
}
