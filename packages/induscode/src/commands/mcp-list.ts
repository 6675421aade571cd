import type { EndpointStatus } from "indusagi/interop";
import { firstOf, type Run } from "../boot/internal.ts";
import type { ListServersRequest } from "../launch/index.ts";
import {
  hasFailed,
  plainStatus,
  showJson,
  showReasons,
  showServerTools,
  showStatuses,
  showWaiting,
} from "../screen/index.ts";

/** `indus mcp list`: connects to every server of the files and shows their state and their tools. */
export async function mcpList(run: Run, request: ListServersRequest): Promise<number> {
  const { terminal, signal, report } = run;
  const { mcp, json, exitCode, verbose } = request;
  const configs = await run.loadServers(mcp);
  if (!configs) return 1;
  if (configs.length === 0) {
    report(`${mcp.join(", ")}: no servers; add one under "mcpServers"`);
    return 1;
  }
  const servers = await run.openServers({ servers: configs, supervision: false, report });
  const { timesMs } = servers;
  const ids = configs.map(({ id }) => id);
  const stopShowing = showProgress(run, () => ids.filter((id) => !timesMs.has(id)));
  await firstOf([servers.settled], { signal });
  stopShowing();
  if (signal.aborted) return 1;
  const statuses = servers.statuses();
  const tools = servers.box.descriptors();
  const look = terminal.outLook;
  const tables = [
    showStatuses(statuses, look, timesMs),
    ...(verbose ? [showReasons(statuses)] : []),
    ...(tools.length > 0 ? [showServerTools(tools, look)] : []),
  ];
  const plain = (status: EndpointStatus): object => ({
    ...plainStatus(status),
    ms: Math.round(timesMs.get(status.server) ?? 0),
  });
  terminal.out(
    json
      ? showJson({ servers: statuses.map(plain), tools })
      : tables.filter((table) => table !== "").join("\n"),
  );
  if (exitCode && statuses.some(hasFailed)) return 1;
  const isOneReady = statuses.some((status) => status.phase === "ready" && !hasFailed(status));
  return isOneReady && servers.missingRequired() === undefined ? 0 : 1;
}

const PROGRESS_MS = 250;

/** Shows on a screen which servers are not there yet, in one line that is written again. Returns a function that ends it. */
function showProgress({ terminal, env }: Run, pending: () => readonly string[]): () => void {
  if (!terminal.errIsScreen || env["TERM"] === "dumb") return () => {};
  const startMs = performance.now();
  const timer = setInterval(() => {
    const text = showWaiting(pending(), performance.now() - startMs, terminal.errLook?.width);
    terminal.err(`${CLEAR_LINE}${text}`);
  }, PROGRESS_MS);
  return () => {
    clearInterval(timer);
    terminal.err(CLEAR_LINE);
  };
}

/** Back to the start of the line, and clear it. */
const CLEAR_LINE = "\r\u001b[K";
