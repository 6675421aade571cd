import { statSync } from "node:fs";
import { resolve } from "node:path";
import { describeError, escapeForDisplay } from "indusagi/core";
import { createProviderHost, type EndpointStatus, type ProviderHost, serveStdio } from "indusagi/interop";
import { productVersion, type Terminal } from "../boot/index.ts";
import { demoServers, firstOf, loadServers, openGateway } from "../boot/internal.ts";
import type { ServeRequest } from "../launch/index.ts";
import { missingServer } from "./missing-server.ts";
import { prepareHttp, serveOverHttp } from "./serve-over-http.ts";
import { noteOf, showStatuses, stateOf } from "./show-status.ts";

/** `indus serve`: offers the native read-only tools and those of all servers to MCP clients, until told to end. */
export async function serve(terminal: Terminal, request: ServeRequest, signal: AbortSignal): Promise<number> {
  const report = (message: string): void => terminal.err(`indus: ${escapeForDisplay(message)}\n`);
  try {
    // First, so that nothing is started for a token that is not there.
    const way = request.way.kind === "http" ? prepareHttp(request.way) : request.way;
    const loaded = await loadServers(request.mcp, terminal);
    if (!loaded) return 1;
    const servers = request.demo ? [...demoServers(), ...loaded] : loaded;
    await using gateway = await openGateway({ servers, cwd: folderAt(request.cwd), signal, report });
    if (signal.aborted) return 0;

    const statuses = gateway.servers.statuses();
    if (statuses.length > 0) terminal.err(`${showStatuses(statuses)}\n`);
    const missing = missingServer(servers, statuses);
    if (missing !== undefined)
      throw new Error(`server "${missing}" is required and not there; mend it, or write "required": false`);
    using _news = hearing(gateway.servers.fleet.onStatus(newsOf(statuses, report)));

    const info = { name: "indus", title: "Indus", version: productVersion() };
    const host = createProviderHost(gateway.box, info, {}, { report });
    if (way.kind === "stdio") await serveOverStdio(host, signal);
    else await serveOverHttp(host, way, { terminal, signal, showsSetup: request.demo });
    return 0;
  } catch (thrown) {
    report(describeError(thrown));
    return 1;
  }
}

function folderAt(given = "."): string {
  const folder = resolve(given);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`--cwd: ${given} is no folder; name one that is there`);
  return folder;
}

/** Disposed of before the gateway is: how servers end then is no news. */
function hearing(stop: () => void): Disposable {
  return { [Symbol.dispose]: stop };
}

async function serveOverStdio(host: ProviderHost, signal: AbortSignal): Promise<void> {
  const running = await serveStdio(host);
  await firstOf([running.waiting()], { signal });
  await running.cancel();
}

/** Tells what becomes of servers later: what is new, not every try. */
function newsOf(
  statuses: readonly EndpointStatus[],
  report: (message: string) => void,
): (status: EndpointStatus) => void {
  const told = new Map(statuses.map((status) => [status.server, newsIn(status)]));
  return (status) => {
    const isPassing =
      status.phase === "connecting" || status.phase === "closing" || status.phase === "closed";
    const news = newsIn(status);
    if (isPassing || told.get(status.server) === news) return;
    told.set(status.server, news);
    report(news);
  };
}

function newsIn(status: EndpointStatus): string {
  const note = noteOf(status);
  // A server that is tried again and again is faulted all the while.
  const state = status.state === "restarting" ? status.phase : stateOf(status);
  const more = status.phase === "ready" ? `${status.toolCount} tools` : note;
  return `server "${status.server}" is ${state}: ${more}`;
}
