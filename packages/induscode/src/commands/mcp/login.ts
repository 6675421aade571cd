import { describeError, escapeForDisplay } from "indusagi/core";
import type { ServerConfig } from "indusagi/interop";
import type { Run } from "../../boot/internal.ts";
import {
  type CommandSpec,
  KEY_FILE,
  orOfCluster,
  type ParsedFlags,
  readSources,
  SERVER_FLAGS,
  type ServerSources,
  secondsUpTo,
  type UsageProblem,
} from "../../launch/internal.ts";
import { showLogin } from "../../servers/doctor/index.ts";
import { findServers } from "../../servers/internal.ts";
import { chosenServers } from "./start-servers.ts";

interface LogoutRequest {
  readonly sources: ServerSources;
  readonly server: string;
}

interface LoginRequest extends LogoutRequest {
  /** False: only print the address. */
  readonly useBrowser: boolean;
  /** How long to wait for the user, in milliseconds. */
  readonly timeoutMs: number;
}

const DEFAULT_SECONDS = 300;
const MAX_SECONDS = 3600;

const LOGIN_FLAGS = [...orOfCluster(SERVER_FLAGS), KEY_FILE];

export const MCP_LOGIN: CommandSpec<LoginRequest> = {
  name: "mcp login",
  group: "everyday",
  operands: "SERVER",
  summary:
    "Log in to a server that requires it. Opens a browser; if the browser is on another machine, paste the address it ends at.",
  flags: [
    {
      name: "--no-browser",
      aliases: [],
      kind: "boolean",
      describe: "Print the address instead of opening a browser.",
    },
    {
      name: "--timeout",
      aliases: [],
      kind: "number",
      value: "SECONDS",
      describe: `How long to wait for the login. Default: ${DEFAULT_SECONDS}.`,
      accepts: secondsUpTo(MAX_SECONDS),
    },
    ...LOGIN_FLAGS,
  ],
  onClusterState: true,
  examples: ["indus mcp login notes", "indus mcp login notes --no-browser"],
  read: (flags) => {
    const request = readServer(flags, "mcp login");
    if ("problem" in request) return request;
    const seconds = flags.number("--timeout") ?? DEFAULT_SECONDS;
    return { ...request, useBrowser: !flags.has("--no-browser"), timeoutMs: seconds * 1000 };
  },
};

export const MCP_LOGOUT: CommandSpec<LogoutRequest> = {
  name: "mcp logout",
  group: "everyday",
  operands: "SERVER",
  summary:
    "Log out of a server: delete the stored login, and revoke it if the authorization server supports that.",
  flags: LOGIN_FLAGS,
  onClusterState: true,
  examples: ["indus mcp logout notes"],
  read: (flags) => readServer(flags, "mcp logout"),
};

function readServer(flags: ParsedFlags, command: string): LogoutRequest | UsageProblem {
  const [server, ...others] = [...flags.operands, ...flags.afterEnd];
  if (server === undefined || others.length > 0)
    return { problem: `${command}: name one server, for example: indus ${command} notes` };
  if (flags.has(KEY_FILE.name) && !flags.has("--cluster"))
    return { problem: `${KEY_FILE.name} needs --cluster` };
  return { sources: readSources(flags), server };
}

/** `indus mcp login`: lets the user log in to one server, and stores the login. */
export async function mcpLogin(run: Run, request: LoginRequest): Promise<number> {
  const config = await namedServer(run, request);
  if (!config) return 1;
  const name = JSON.stringify(config.id);
  const { logIn } = await import("../../servers/login/index.ts");
  try {
    const { status } = await logIn({
      config,
      store: (await run.state.logins()).store,
      show: (url, isOpened) => showAddress(run, url, isOpened),
      useBrowser: request.useBrowser,
      input: process.stdin,
      timeoutMs: request.timeoutMs,
      signal: run.signal,
      note: run.report,
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
    process.stdin.destroy(); // An open terminal would keep this process running.
  }
}

/** `indus mcp logout`: revokes and deletes the login to one server. */
export async function mcpLogout(run: Run, request: LogoutRequest): Promise<number> {
  const config = await namedServer(run, request);
  if (!config) return 1;
  const provider = (await run.state.logins()).providerFor(config);
  const wasLoggedIn = (await provider?.logout()) ?? false;
  const name = JSON.stringify(config.id);
  const words = wasLoggedIn ? `logged out of server ${name}` : `there was no login to server ${name}`;
  run.terminal.out(`${escapeForDisplay(words)}\n`);
  return 0;
}

/** The server that the user named, if it may be used. */
async function namedServer(run: Run, { sources, server }: LogoutRequest): Promise<ServerConfig | undefined> {
  const found = await findServers(run, sources, { withoutRequired: true });
  const [config] = (found && (await chosenServers(found, [server], run.report))) ?? [];
  if (!config) return undefined;
  if (config.pending) {
    run.report(
      `server ${JSON.stringify(server)} comes with this project and is not approved; approve it with: indus mcp trust`,
    );
    return undefined;
  }
  return config;
}

function showAddress({ terminal }: Run, url: URL, isOpened: boolean): void {
  const opened = isOpened ? "Your browser was opened at this address:" : "Open this address in a browser:";
  terminal.err(`${opened}\n\n  ${escapeForDisplay(url.href)}\n\n`);
  terminal.err(
    "Waiting for the login. If the browser is on another machine, paste the address it ends at here.\n",
  );
}

function withName(name: string, message: string): string {
  return message.includes(name) ? message : `server ${name}: ${message}`;
}
