import type { EndpointStatus } from "indusagi/interop";
import { firstOf, type Run, waitingLine } from "../../boot/internal.ts";
import type { WarmRequest } from "../../launch/internal.ts";
import { hasFailed, showStart, showWaiting } from "../../screen/index.ts";
import { chosenServers } from "./chosen-servers.ts";

/** `indus mcp warm`: starts every server once, so that later starts find their packages installed. */
export async function mcpWarm(run: Run, { sources }: WarmRequest): Promise<number> {
  const { terminal, signal, report } = run;
  const found = await run.findServers(sources);
  const configs = found && (await chosenServers(found, [], report));
  if (!configs) return 1;
  const pending = new Set(configs.map(({ id }) => id));
  const waiting = waitingLine(run, (ms) => showWaiting([...pending], ms, terminal.errLook?.width));
  let failures = 0;
  const onSettled = (status: EndpointStatus, ms: number): void => {
    if (signal.aborted) return;
    pending.delete(status.server);
    if (hasFailed(status)) failures++;
    waiting.clear();
    terminal.out(`${showStart(status, ms)}\n`);
  };
  const servers = await run.openServers({ servers: configs, supervision: false, report, onSettled });
  await firstOf([servers.settled], { signal });
  waiting.stop();
  return failures > 0 || signal.aborted ? 1 : 0;
}
