import { mkdir } from "node:fs/promises";
import { type TempDir, tempDir } from "@indus/testkit";
import type { GatewayReport } from "../../src/background/hub/index.ts";
import { runIndus, scriptedRow, writeConfig } from "./run-indus.ts";
import { connectScripted, type ScriptedClient } from "./scripted-client.ts";

/** A user with a home folder of their own, so that their background gateway is only theirs. Ends it and its clients when disposed. */
export interface BackgroundUser extends AsyncDisposable {
  readonly dir: TempDir;
  readonly env: NodeJS.ProcessEnv;
  /** Makes a folder for a client. */
  folder(name: string): Promise<string>;
  /** Writes the user's own rows. */
  rows(mcpServers: object): Promise<void>;
  indus(
    args: readonly string[],
    more?: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv },
  ): ReturnType<typeof runIndus>;
  /** Starts a client in a folder. */
  client(name: string, cwd: string, env?: NodeJS.ProcessEnv): Promise<ScriptedClient>;
  /** Starts the gateway and a client of it, which has listed the tools of a server named `s`. */
  sharing(): Promise<{ readonly client: ScriptedClient; readonly pid: number }>;
  /** What `indus status --json` says about the first gateway. */
  status(): Promise<GatewayReport | undefined>;
}

export async function backgroundUser(): Promise<BackgroundUser> {
  const dir = await tempDir();
  for (const name of ["home", "run"]) await mkdir(dir.at(name), { mode: 0o700 });
  const env = {
    HOME: dir.at("home"),
    XDG_CONFIG_HOME: dir.at("home", ".config"),
    XDG_STATE_HOME: dir.at("home", ".local", "state"),
    XDG_RUNTIME_DIR: dir.at("run"),
    INDUS_TREE: undefined,
    INDUS_NO_SHARE: undefined,
  };
  const clients: ScriptedClient[] = [];
  const user: BackgroundUser = {
    dir,
    env,
    folder: async (name) => {
      await mkdir(dir.at(name), { recursive: true });
      return dir.at(name);
    },
    rows: async (mcpServers) => {
      await mkdir(dir.at("home", ".config", "indusvx"), { recursive: true });
      await writeConfig(dir.at("home", ".config", "indusvx", "mcp.json"), mcpServers);
    },
    indus: (args, { cwd = dir.path, env: more } = {}) => runIndus(args, { cwd, env: { ...env, ...more } }),
    client: async (name, cwd, more) => {
      const client = await connectScripted(name, [], { cwd, env: { ...env, ...more } });
      clients.push(client);
      return client;
    },
    sharing: async () => {
      await user.rows({ s: scriptedRow() });
      await user.indus(["up"]);
      const client = await user.client("a", await user.folder("one"));
      await listed([client]);
      return { client, pid: (await user.status())?.pid ?? 0 };
    },
    status: async () => {
      const { out } = await user.indus(["status", "--json"]);
      return (JSON.parse(out) as { readonly gateways: readonly GatewayReport[] }).gateways[0];
    },
    [Symbol.asyncDispose]: async () => {
      for (const client of clients) client[Symbol.dispose]();
      await Promise.all(clients.map(({ indus }) => indus.ended));
      await user.indus(["down"]);
      await dir[Symbol.asyncDispose]();
    },
  };
  return user;
}

/** Lists the tools of clients, so their servers run. */
export async function listed(clients: readonly ScriptedClient[]): Promise<void> {
  await Promise.all(clients.map((client) => client.result(client.request("tools/list"))));
}

/** The text that a tool of a client's server answers. */
export async function said(client: ScriptedClient, tool: string, args: object = {}): Promise<string> {
  const result = await client.result(client.request("tools/call", { name: tool, arguments: args }));
  const [block] = (result?.["content"] ?? []) as readonly { readonly text?: string }[];
  return block?.text ?? JSON.stringify(result);
}

/** Ends a client's input, as clients do when they are closed. */
export async function leave(client: ScriptedClient): Promise<number | null> {
  client.indus.child.stdin.end();
  return client.indus.ended;
}

/** Starts a client, and returns what it says about the gateway besides its usual lines. */
export async function aboutGateway(
  user: BackgroundUser,
  env: NodeJS.ProcessEnv = {},
  args: readonly string[] = [],
): Promise<string[]> {
  const client = await connectScripted("a", args, {
    cwd: await user.folder("one"),
    env: { ...user.env, ...env },
  });
  const result = await client.result(client.request("tools/call", { name: "s__pid", arguments: {} }));
  if (!Array.isArray(result?.["content"])) throw new Error(`it was not served: ${client.indus.err()}`);
  await leave(client);
  return client.indus
    .err()
    .split("\n")
    .filter((line) => /gateway|private|session/.test(line));
}
