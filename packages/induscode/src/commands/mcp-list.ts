import type { EndpointStatus } from "indusagi/interop";
import { firstOf, type Run, waitingLine } from "../boot/internal.ts";
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
  const waiting = waitingLine(run, (elapsedMs) => {
    const pending = ids.filter((id) => !timesMs.has(id));
    return showWaiting(pending, elapsedMs, terminal.errLook?.width);
  });
  await firstOf([servers.settled], { signal });
  waiting.stop();
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
