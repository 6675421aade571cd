import { execFile } from "node:child_process";
import { chown, mkdir, readdir } from "node:fs/promises";
import { promisify } from "node:util";
import { atSize, canMount, isRoot, ORDINARY_USER, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { aboutGateway, type BackgroundUser, backgroundUser, leave, said } from "./background-user.ts";
import { indusBin, scriptedRow, untilGone } from "./run-indus.ts";
import type { ScriptedClient } from "./scripted-client.ts";

const CLIENTS = atSize({ quick: 4, full: 300 });
const ROUNDS = atSize({ quick: 1, full: 50 });
/** So many run at a time. */
const TOGETHER = 20;
const LIMIT = { timeoutMs: atSize({ quick: 120_000, full: 1_800_000 }) };

verifies(
  "background:apart",
  "clients with folders and tokens at random see only their own secret, and share exactly where both are the same",
  async () => {
    await using user = await backgroundUser();
    await user.rows({ s: { ...scriptedRow(), env: { TOKEN: "${TOKEN}" } } });
    await user.indus(["up"]);
    for (let done = 0; done < CLIENTS; done += TOGETHER) {
      const count = Math.min(TOGETHER, CLIENTS - done);
      const chosen = Array.from({ length: count }, () => ({
        folder: `folder-${Math.floor(Math.random() * 3)}`,
        token: `canary-${Math.floor(Math.random() * 4)}`,
      }));
      const clients = await Promise.all(
        chosen.map(async ({ folder, token }, at) =>
          user.client(`c${done + at}`, await user.folder(folder), { TOKEN: token }),
        ),
      );
      const seen = await Promise.all(
        clients.map(async (client) => ({
          env: await said(client, "s__env"),
          pid: await said(client, "s__pid"),
        })),
      );
      const kinds = new Map<string, Set<string>>();
      for (const [at, { env, pid }] of seen.entries()) {
        const { folder = "", token = "" } = chosen[at] ?? {};
        expect((JSON.parse(env) as { readonly TOKEN?: string }).TOKEN).toBe(token);
        const kind = `${folder} ${token}`;
        kinds.set(kind, (kinds.get(kind) ?? new Set()).add(pid));
      }
      expect([...kinds.values()].map(({ size }) => size)).toEqual([...kinds].map(() => 1));
      expect(new Set([...kinds.values()].flatMap((pids) => [...pids])).size).toBe(kinds.size);
      await Promise.all(clients.map(leave));
    }
  },
  LIMIT,
);

verifies(
  "background:at-once",
  "twenty clients at the same moment have one gateway and one process",
  async () => {
    await using user = await backgroundUser();
    await user.rows({ s: scriptedRow() });
    const one = await user.folder("one");
    for (let round = 0; round < ROUNDS; round++) {
      const ups = await Promise.all([user.indus(["up"]), user.indus(["up"]), user.indus(["up"])]);
      expect(ups.map(({ code }) => code)).toEqual([0, 0, 0]);
      const clients = await Promise.all(
        Array.from({ length: TOGETHER }, (_, at) => user.client(`c${at}`, one)),
      );
      const pids = await Promise.all(clients.map((client) => said(client, "s__pid")));
      expect(new Set(pids).size).toBe(1);
      expect((await user.status())?.clients).toHaveLength(TOGETHER);
      await Promise.all(clients.map(leave));
      await user.indus(["down"]);
      await untilGone(pids.map(Number));
    }
  },
  LIMIT,
);

verifies(
  "background:killed",
  "kill -9 of the gateway and of every client at once leaves no process of a server",
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await using user = await backgroundUser();
      await user.rows({ s: scriptedRow(), t: scriptedRow("--era", "legacy") });
      await user.indus(["up"]);
      const folder = await user.folder("one");
      const clients = await Promise.all(["a", "b"].map((name) => user.client(name, folder)));
      const pids = await Promise.all(
        ["s__pid", "t__pid"].map((tool) => said(clients[0] as ScriptedClient, tool)),
      );
      const { pid = 0 } = (await user.status()) ?? {};
      for (const client of clients) client.indus.child.kill("SIGKILL");
      process.kill(pid, "SIGKILL");
      await untilGone([pid, ...pids.map(Number)]);
    }
  },
  LIMIT,
);

/** Starts the gateway and a client, which calls a tool; prints what each of them said. */
const UP_AND_CALL = `
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
const [indus, cwd] = process.argv.slice(1);
const run = (...words) => spawnSync(process.execPath, [indus, ...words], { cwd, encoding: "utf8" });
const up = run("up");
const client = spawn(process.execPath, [indus, "serve", "--stdio"], { cwd });
let err = "";
client.stderr.on("data", (chunk) => (err += chunk));
const send = (message) => client.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const clientInfo = { name: "a", version: "1" };
send({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
send({ method: "notifications/initialized" });
send({ id: 2, method: "tools/call", params: { name: "s__echo", arguments: { text: "served" } } });
let answer;
for await (const line of createInterface({ input: client.stdout })) {
  answer = JSON.parse(line);
  if (answer.id === 2) break;
}
const { gateways } = JSON.parse(run("status", "--json").stdout);
client.stdin.end();
await once(client, "exit");
run("down");
const clients = gateways[0]?.clients.length;
console.log(JSON.stringify({ up: { code: up.status, err: up.stderr }, err, text: answer?.result?.content[0].text, clients }));
`;

interface Tried {
  readonly up: { readonly code: number | null; readonly err: string };
  readonly err: string;
  readonly text?: string;
  /** Of the gateway. Absent if none runs. */
  readonly clients?: number;
}

/** The same for a user whose home and runtime folder are on a disk of their own, after this was done to it. */
async function onDisk(user: BackgroundUser, done: string): Promise<Tried> {
  const disk = user.dir.at("disk");
  const folders = { HOME: `${disk}/home`, XDG_RUNTIME_DIR: `${disk}/run` };
  const state = { XDG_CONFIG_HOME: `${disk}/home/.config`, XDG_STATE_HOME: `${disk}/home/.local/state` };
  await mkdir(disk);
  const script = `mount -t tmpfs -o size=64k tiny "$0" && cp -a "$1" "$2" "$0" && { ${done}; shift 2; exec "$@"; }`;
  const words = [
    disk,
    user.dir.at("home"),
    user.dir.at("run"),
    process.execPath,
    "--input-type=module",
    "-e",
  ];
  const { stdout } = await promisify(execFile)(
    "unshare",
    ["--mount", "/bin/sh", "-c", script, ...words, UP_AND_CALL, indusBin, await user.folder("one")],
    { env: { ...process.env, ...user.env, ...folders, ...state }, timeout: 100_000, killSignal: "SIGKILL" },
  );
  return JSON.parse(stdout) as Tried;
}

verifies(
  "background:private",
  "on a full disk indus up says in one line why it starts nothing, and clients are served privately",
  async () => {
    await using user = await backgroundUser();
    await user.rows({ s: scriptedRow() });
    const { up, err, ...others } = await onDisk(user, 'cat /dev/zero > "$0/fill"');
    expect(up).toEqual({
      code: 1,
      err: expect.stringMatching(/^indus: the background gateway did not start: .*ENOSPC.*\n$/),
    });
    expect(others).toEqual({ text: "served" });
    expect(err).not.toContain("gateway");
  },
  { when: canMount(), timeoutMs: 120_000 },
);

verifies(
  "background:private",
  "with a read-only home the gateway is in the short folder, writes no log and says so; clients share it",
  async () => {
    await using user = await backgroundUser();
    await user.rows({ s: scriptedRow() });
    const { up, err, ...others } = await onDisk(user, 'mount -o remount,ro "$0"');
    expect(up).toEqual({ code: 0, err: expect.stringMatching(/^indus: it writes no log: .*\n$/) });
    expect(others).toEqual({ text: "served", clients: 1 });
    expect(err).not.toContain("gateway");
  },
  { when: canMount(), timeoutMs: 120_000 },
);

verifies(
  "background:private",
  "a socket's folder or key that belongs to another user: one line, and the client is served",
  async () => {
    await using user = await backgroundUser();
    await user.rows({ s: scriptedRow() });
    await user.indus(["up"]);
    const folder = user.dir.at("run", "indusvx");
    const [key = ""] = (await readdir(folder)).filter((name) => name.endsWith(".key"));
    for (const path of [`${folder}/${key}`, folder]) {
      await chown(path, ORDINARY_USER, ORDINARY_USER);
      expect(await aboutGateway(user)).toEqual([
        expect.stringContaining(`its servers run privately: ${path} belongs to another user`),
      ]);
      await chown(path, 0, 0);
    }
    // The gateway was there all the time.
    expect(await aboutGateway(user)).toEqual([]);
  },
  { when: isRoot, timeoutMs: 120_000 },
);
