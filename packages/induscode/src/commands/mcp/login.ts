import { describeError, escapeForDisplay } from "indusagi/core";
import type { ServerConfig } from "indusagi/interop";
import type { Run } from "../../boot/internal.ts";
import type { LoginRequest, LogoutRequest } from "../../launch/internal.ts";
import { showLogin } from "../../screen/index.ts";
import { chosenServers } from "./chosen-servers.ts";

/** `indus mcp login`: lets the user log in to one server, and stores the login. */
export async function mcpLogin(run: Run, request: LoginRequest): Promise<number> {
  const config = await namedServer(run, request);
  if (!config) return 1;
  const name = JSON.stringify(config.id);
  const { logIn } = await import("../../login/index.ts");
  try {
    const { status } = await logIn({
      config,
      store: (await run.logins()).store,
      show: (url, isOpened) => showAddress(run, url, isOpened),
      useBrowser: request.useBrowser,
      input: process.stdin,
      timeoutMs: request.timeoutMs,
      signal: run.signal,
    });
    run.terminal.out(
      escapeForDisplay(
        status ? `server ${name}: ${showLogin(status)}` : `server ${name} works without a login`,
      ).concat("\n"),
    );
    return 0;
  } catch (thrown) {
    if (!run.signal.aborted) run.report(withName(name, describeError(thrown)));
    return 1;
  } finally {
    process.stdin.destroy(); // Otherwise a terminal would keep this process running.
  }
}

/** `indus mcp logout`: ends and forgets the login to one server. */
export async function mcpLogout(run: Run, request: LogoutRequest): Promise<number> {
  const config = await namedServer(run, request);
  if (!config) return 1;
  const provider = (await run.logins()).providerFor(config);
  const wasLoggedIn = (await provider?.logout()) ?? false;
  const name = JSON.stringify(config.id);
  const words = wasLoggedIn ? `logged out of server ${name}` : `there was no login to server ${name}`;
  run.terminal.out(`${escapeForDisplay(words)}\n`);
  return 0;
}

/** The server that the user named, if it may be used. */
async function namedServer(run: Run, { sources, server }: LogoutRequest): Promise<ServerConfig | undefined> {
  const found = await run.findServers(sources, { withoutRequired: true });
  const [config] = (found && (await chosenServers(found, [server], run.report))) ?? [];
  if (!config) return undefined;
  if (config.pending) {
    run.report(
      `server ${JSON.stringify(server)} comes with this project and is not approved; approve it first`,
    );
    return undefined;
  }
  return config;
}

function showAddress({ terminal }: Run, url: URL, isOpened: boolean): void {
  const opened = isOpened ? "Your browser was opened at this address:" : "Open this address in a browser:";
  terminal.err(`${opened}\n\n  ${escapeForDisplay(url.href)}\n\n`);
  terminal.err(
    "Waiting for the login. If the browser is on another machine, paste here the address that it ends at.\n",
  );
}

function withName(name: string, message: string): string {
  return message.includes(name) ? message : `server ${name}: ${message}`;
}
