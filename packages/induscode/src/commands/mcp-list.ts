import type { EndpointStatus, ServerConfig } from "indusagi/interop";
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
  suggestion,
} from "../screen/index.ts";

/** `indus mcp list`: connects to the servers of the files, all or those named, and shows their state and their tools. */
export async function mcpList(run: Run, request: ListServersRequest): Promise<number> {
  const { terminal, signal, report } = run;
  const { mcp, names, json, exitCode, verbose } = request;
  const loaded = await run.loadServers(mcp, { withoutRequired: names.length > 0 });
  if (!loaded) return 1;
  const unknown = names.find((name) => !loaded.some(({ id }) => id === name));
  if (loaded.length === 0 || unknown !== undefined) {
    report(await noServerMessage(mcp, loaded, unknown));
    return 1;
  }
  const configs = names.length === 0 ? loaded : loaded.filter(({ id }) => names.includes(id));
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

async function noServerMessage(
  files: readonly string[],
  servers: readonly ServerConfig[],
  unknown = "",
): Promise<string> {
  const where = files.join(", ");
  if (servers.length === 0) return `${where}: no servers; add one under "mcpServers"`;
  const ids = servers.map(({ id }) => id);
  const hint = await suggestion(unknown, ids, `the servers are ${ids.join(", ")}`);
  return `${where}: there is no server named ${JSON.stringify(unknown)}; ${hint}`;
}
