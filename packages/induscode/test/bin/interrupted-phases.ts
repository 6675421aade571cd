import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { TempDir } from "@indus/testkit";

/** A moment in the life of a command, held still, so that a signal can arrive in it. */
export interface Phase {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Run it in a pseudo-terminal, and press Ctrl-C there. */
  readonly inTerminal?: boolean;
  /** Lines to write to its standard input. */
  readonly input?: readonly object[];
  /** Do not read its output. */
  readonly unread?: boolean;
  /** Whether the command has come to this moment. */
  isReached(shown: string): boolean;
}

/** A server without imports whose answers a test decides: a method is answered, or the phase is marked as reached. */
const SERVER = `
const [marks, stopAt] = process.argv.slice(2);
const mark = (name) => process.getBuiltinModule("node:fs").appendFileSync(marks, name + "\\n");
mark("started");
if (stopAt === "end") process.on("SIGTERM", () => mark("end"));
process.stdin.on("end", () => mark("over"));
let rest = "";
const tool = { name: "t", inputSchema: { type: "object" } };
const results = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
  "tools/list": { tools: [tool] },
  "tools/call": { content: [{ type: "text", text: "x".repeat(300000) }] },
};
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\\n");
  rest = lines.pop();
  for (const line of lines) {
    const { id, method } = JSON.parse(line);
    if (id === undefined) continue;
    if (method === stopAt) { mark(method); continue; }
    const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: "no" } };
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
  }
});
if (stopAt === "end") setInterval(() => {}, 1000);
`;

/** The phases, each with its own files below the folder. */
export function interruptedPhases(dir: TempDir): readonly Phase[] {
  const server = dir.at("server.mjs");
  writeFileSync(server, SERVER);
  const marks = (name: string): string => dir.at(`marks-${name.replaceAll(/\W/g, "-")}`);
  const isMarked = (name: string, mark: string) => (): boolean => read(marks(name)).includes(`${mark}\n`);
  const row = (name: string, stopAt: string): object => ({
    command: process.execPath,
    args: [server, marks(name), stopAt],
  });
  const config = (name: string, servers: object): string => {
    const file = dir.at(`${name.replaceAll(/\W/g, "-")}.json`);
    writeFileSync(file, JSON.stringify({ mcpServers: servers }));
    return file;
  };
  const script = (folder: string, name: string, text: string): string => {
    mkdirSync(dir.at(folder), { recursive: true });
    writeFileSync(dir.at(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(dir.at(folder, name), 0o755);
    return dir.at(folder);
  };
  const hang = (name: string): string => `echo started >> "${marks(name)}"; sleep 60 & wait`;
  const at = (name: string, stopAt: string, more: Partial<Phase> = {}): Phase => ({
    name,
    args: ["mcp", "list", "--mcp", config(name, { s: row(name, stopAt) })],
    isReached: isMarked(name, stopAt),
    ...more,
  });
  const client = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  mkdirSync(dir.at("home"), { recursive: true });
  writeFileSync(dir.at("home/.profile"), `${hang("login shell")}\n`);
  const launcher = script("bin", "npx", hang("installation"));
  const value = { fromCommand: ["/bin/sh", "-c", hang("value of a row")] };
  const project = "project";
  mkdirSync(dir.at(project, ".indusvx"), { recursive: true });
  const rows = { mcpServers: { s: row("question", "never") } };
  writeFileSync(dir.at(project, ".indusvx/mcp.json"), JSON.stringify(rows));
  return [
    { name: "start of the program", args: ["mcp", "list"], isReached: () => true },
    {
      name: "login shell",
      args: ["mcp", "list", "--mcp", config("login", { s: row("login", "never") })],
      env: {
        HOME: dir.at("home"),
        PATH: "/usr/bin:/bin",
        SHELL: "/bin/sh",
        TERM: undefined,
        SHLVL: undefined,
      },
      isReached: isMarked("login shell", "started"),
    },
    {
      name: "value of a row",
      args: [
        "mcp",
        "list",
        "--mcp",
        config("value", { s: { ...row("value", "never"), env: { KEY: value } } }),
      ],
      isReached: isMarked("value of a row", "started"),
    },
    {
      name: "installation",
      args: ["mcp", "warm", "--mcp", config("install", { s: { command: "npx", args: ["-y", "x"] } })],
      env: { PATH: `${launcher}:${process.env["PATH"]}` },
      isReached: isMarked("installation", "started"),
    },
    {
      ...at("start of a server", "server/discover", { inTerminal: true }),
      isReached: (shown) => /waiting|starting/.test(shown),
    },
    at("handshake", "initialize"),
    at("listing", "tools/list"),
    at("call", "tools/call", {
      args: ["mcp", "call", "s__t", "--mcp", config("call", { s: row("call", "tools/call") })],
    }),
    at("end of a server", "end"),
    {
      name: "output that is not read",
      args: ["mcp", "call", "s__t", "--mcp", config("output", { s: row("output", "never") })],
      unread: true,
      isReached: isMarked("output", "over"),
    },
    {
      name: "serving a call",
      args: ["serve", "--stdio", "--mcp", config("serving", { s: row("serving", "tools/call") })],
      input: [
        { id: 1, method: "initialize", params: client },
        { method: "notifications/initialized" },
        { id: 2, method: "tools/list" },
        { id: 3, method: "tools/call", params: { name: "s__t", arguments: {} } },
      ],
      isReached: isMarked("serving", "tools/call"),
    },
    {
      name: "question",
      args: ["mcp", "trust", "--cwd", dir.at(project)],
      inTerminal: true,
      isReached: (shown) => shown.includes("[y/N]"),
    },
    {
      name: "watching",
      args: ["mcp", "watch", "--mcp", config("watching", { s: row("watching", "never") })],
      inTerminal: true,
      isReached: (shown) => /^s +ready +1 /m.test(shown),
    },
  ];
}

/** The processes whose environment has a mark, by their command lines. Linux only. */
export function processesWith(mark: string): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => read(`/proc/${pid}/environ`).includes(mark))
    .map((pid) => `${pid} ${read(`/proc/${pid}/cmdline`).replaceAll("\0", " ")}`);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
