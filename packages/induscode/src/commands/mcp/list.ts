import type { EndpointStatus } from "indusagi/interop";
import { firstOf, type Run, waitingLine } from "../../boot/internal.ts";
import type { ListServersRequest } from "../../launch/internal.ts";
import {
  hasFailed,
  plainStatus,
  showJson,
  showReasons,
  showServerTools,
  showStatuses,
  showWaiting,
} from "../../screen/index.ts";
import { chosenServers } from "./chosen-servers.ts";

/** `indus mcp list`: connects to the configured servers, all or those named, and shows their state and their tools. */
export async function mcpList(run: Run, request: ListServersRequest): Promise<number> {
  const { terminal, signal, report } = run;
  const { sources, names, json, exitCode, verbose } = request;
  const found = await run.findServers(sources, { withoutRequired: names.length > 0 });
  const configs = found && (await chosenServers(found, names, report));
  if (!configs) return 1;
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
