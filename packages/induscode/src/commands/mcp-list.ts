import { firstOf, type Run } from "../boot/internal.ts";
import { plainStatus, showJson, showServerTools, showStatuses } from "../screen/index.ts";

export interface ListServersRequest {
  readonly mcp: readonly string[];
  readonly json: boolean;
}

/** `indus mcp list`: connects to every server of the files and shows their state and their tools. */
export async function mcpList(run: Run, { mcp, json }: ListServersRequest): Promise<number> {
  const { terminal, signal, report } = run;
  const configs = await run.loadServers(mcp);
  if (!configs) return 1;
  if (configs.length === 0) {
    report(`${mcp.join(", ")}: no servers; add one under "mcpServers"`);
    return 1;
  }
  const servers = await run.openServers({ servers: configs, supervision: false, report });
  await firstOf([servers.settled], { signal });
  if (signal.aborted) return 1;
  const statuses = servers.statuses();
  const tools = servers.box.descriptors();
  const look = terminal.outLook;
  const tables = `${showStatuses(statuses, look)}${tools.length > 0 ? `\n${showServerTools(tools, look)}` : ""}`;
  terminal.out(json ? showJson({ servers: statuses.map(plainStatus), tools }) : tables);
  const isOneReady = statuses.some(({ phase }) => phase === "ready");
  return isOneReady && servers.missingRequired() === undefined ? 0 : 1;
}
