import type { EndpointStatus } from "indusagi/interop";
import { firstOf, type Run } from "../../boot/internal.ts";
import { type CommandSpec, readSources, SERVER_FLAGS, type ServerSources } from "../../launch/internal.ts";
import { waitingLine } from "../../screen/terminal/index.ts";
import { serverReport, showStart, showWaiting } from "../../servers/doctor/index.ts";
import { findServers, openServers } from "../../servers/internal.ts";
import { chosenServers, reportUnshown } from "./start-servers.ts";

interface WarmRequest {
  readonly sources: ServerSources;
}

export const MCP_WARM: CommandSpec<WarmRequest> = {
  name: "mcp warm",
  group: "everyday",
  summary:
    "Start and stop every configured server once, so later starts find their packages installed. Exits with 1 if any server failed.",
  flags: SERVER_FLAGS,
  examples: ["indus mcp warm", "indus mcp warm --mcp servers.json"],
  read: (flags) => ({ sources: readSources(flags) }),
};

export async function mcpWarm(run: Run, { sources }: WarmRequest): Promise<number> {
  const { terminal, signal, report } = run;
  const found = await findServers(run, sources);
  const configs = found && (await chosenServers(found, [], report));
  if (!configs) return 1;
  const pending = new Set(configs.map(({ id }) => id));
  const waiting = waitingLine(run, (ms) => showWaiting([...pending], ms, terminal.errLook?.width));
  let failures = 0;
  const onSettled = (status: EndpointStatus, ms: number): void => {
    if (signal.aborted) return;
    pending.delete(status.server);
    if (serverReport(status).hasFailed) failures++;
    waiting.clear();
    terminal.out(`${showStart(status, ms)}\n`);
  };
  const held: string[] = [];
  const servers = await openServers(run, {
    servers: configs,
    supervision: false,
    report: (message) => void held.push(message),
    onSettled,
  });
  await firstOf([servers.settled], { signal });
  waiting.stop();
  reportUnshown(run, held, servers);
  return failures > 0 || signal.aborted ? 1 : 0;
}
