import { execFile } from "node:child_process";
import { chown, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { atSize, canMount, isRoot, ORDINARY_USER, verifies, verifiesTogether } from "@indus/testkit";
import { expect } from "vitest";
import { aboutGateway, type BackgroundUser, backgroundUser, leave, said } from "./background-user.ts";
import { eventually, indusBin, scriptedRow, untilGone } from "./run-indus.ts";
import { connectScripted, type ScriptedClient } from "./scripted-client.ts";

const CLIENTS = atSize({ quick: 4, full: 300 });
const ROUNDS = atSize({ quick: 1, full: 50 });
/** So many run at a time. */
const TOGETHER = 20;
const LIMIT = { timeoutMs: atSize({ quick: 120_000, full: 1_800_000 }) };

/** With hundreds of processes in each, one at a time. */
const proves = atSize({ quick: verifiesTogether, full: verifies });

/** What one client says about itself, and must never be told by another. */
interface Canary {
  readonly folder: string;
  readonly token: string;
  readonly own: string;
  readonly watches: boolean;
}

const canariesAfter = (before: number, count: number): readonly Canary[] =>
  Array.from({ length: count }, (_, at) => ({
    folder: `folder-${Math.floor(Math.random() * 3)}`,
    token: `token-${Math.floor(Math.random() * 4)}`,
    own: `canary-${before + at}-${Math.random().toString(36).slice(2)}`,
    watches: Math.random() < 0.5,
  }));

proves(
  "background:apart",
  "clients with folders and tokens at random share exactly where both are the same; secrets, roots, answers, logs and updates stay apart",
  async () => {
    await using user = await backgroundUser();
    const live = fileURLToPath(new URL("../../../../test/servers/live.mjs", import.meta.url));
    await user.rows({ s: { command: process.execPath, args: [live, "--name", "${TOKEN}"] } });
    await user.indus(["up"]);
    for (let done = 0; done < CLIENTS; done += TOGETHER) {
      const canaries = canariesAfter(done, Math.min(TOGETHER, CLIENTS - done));
      const clients = await Promise.all(
        canaries.map(async ({ folder, token, own }) =>
          answering(own, { cwd: await user.folder(folder), env: { ...user.env, TOKEN: token } }),
        ),
      );
      const uri = "live://clock";
      // A server of the legacy era does not say for whose call it asks: it may ask for one at a time.
      const turns = new Map<string, Promise<unknown>>();
      const seen = await Promise.all(
        clients.map(async (client, at) => {
          const { folder, token, watches } = canaries[at] ?? {};
          await client.result(client.request("logging/setLevel", { level: "info" }));
          if (watches) await client.result(client.request("resources/subscribe", { uri }));
          const kind = `${folder} ${token}`;
          const turn = (turns.get(kind) ?? Promise.resolve()).then(async () => ({
            tool: await said(client, "s__tool"),
            roots: await said(client, "s__roots"),
            answer: await said(client, "s__elicit"),
            pid: await said(client, "s__pid"),
          }));
          turns.set(kind, turn);
          return turn;
        }),
      );
      // Now at once: then a question that could be for two is declined, and none reaches another client.
      const atOnce = await Promise.all(
        clients.map(async (client, at) => {
          const { own } = canaries[at] ?? {};
          const answer = await said(client, "s__elicit");
          await said(client, "s__log", { data: own });
          await said(client, "s__update", { uri });
          await said(client, "s__pid");
          return answer;
        }),
      );
      for (const [at, answer] of atOnce.entries())
        expect(answer.includes(canaries[at]?.own ?? "") || answer.includes("decline")).toBe(true);
      const kinds = new Map<string, Set<string>>();
      for (const [at, { tool, roots, answer, pid }] of seen.entries()) {
        const { folder = "", token = "", own = "" } = canaries[at] ?? {};
        expect(tool).toContain(`"${token}"`);
        expect(roots).toContain(own);
        expect(answer).toContain(own);
        const kind = `${folder} ${token}`;
        kinds.set(kind, (kinds.get(kind) ?? new Set()).add(pid));
      }
      expect([...kinds.values()].map(({ size }) => size)).toEqual([...kinds].map(() => 1));
      expect(new Set([...kinds.values()].flatMap((pids) => [...pids])).size).toBe(kinds.size);
      for (const [at, client] of clients.entries()) {
        const { own = "", token, watches } = canaries[at] ?? {};
        const heard = JSON.stringify(client.messages()) + client.indus.err();
        expect(heard.includes("notifications/resources/updated")).toBe(watches);
        expect([...new Set(heard.match(/canary-\d+-\w+/g))]).toEqual([own]);
        expect([...new Set(heard.match(/token-\d/g))]).toEqual([token]);
      }
      await Promise.all(clients.map(leave));
    }
  },
  LIMIT,
);

/** A client that answers questions of servers with what is its own. */
async function answering(
  own: string,
  options: Parameters<typeof connectScripted>[2],
): Promise<ScriptedClient> {
  const capabilities = { roots: {}, elicitation: {} };
  const client = await connectScripted(own, [], options, capabilities);
  createInterface({ input: client.indus.child.stdout }).on("line", (line) => {
    const { id, method } = JSON.parse(line) as { id?: number | string; method?: string };
    const result =
      method === "roots/list"
        ? { roots: [{ uri: `file:///${own}` }] }
        : { action: "accept", content: { name: own } };
    if (id !== undefined && method !== undefined)
      client.indus.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
  });
  return client;
}

proves(
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

proves(
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

proves(
  "background:killed",
  "kill -9 of the gateway among hundreds of calls: each is answered once, none runs twice, and one that failed may have run",
  async () => {
    await using user = await backgroundUser();
    const ran = user.dir.at("ran");
    const program = user.dir.at("notes.mjs");
    await writeFile(program, NOTES);
    await user.rows({ s: { command: process.execPath, args: [program, ran] } });
    const folder = await user.folder("one");
    for (let round = 0; round < ROUNDS; round++) {
      await writeFile(ran, "");
      await user.indus(["up"]);
      const client = await user.client("a", folder);
      await client.result(client.request("tools/list"));
      const { pid = 0 } = (await user.status()) ?? {};
      // Large ones: then several wait for the socket when the gateway dies.
      const pad = "x".repeat(Math.random() < 0.5 ? 20_000 : 10);
      const calls = Array.from({ length: CALLS }, (_, note) =>
        client.request("tools/call", { name: "s__note", arguments: { note, pad } }),
      );
      await new Promise((later) => setTimeout(later, Math.random() * 300));
      process.kill(pid, "SIGKILL");
      await user.indus(["up"]);
      await eventually(
        () => client.messages().filter(({ id }) => calls.includes(id ?? 0)).length >= CALLS || undefined,
        60_000,
      );
      expect(await said(client, "s__note", { note: "last" })).toBe("noted");
      const notes = (await readFile(ran, "utf8")).trim().split("\n");
      expect(new Set(notes).size).toBe(notes.length);
      const answers = client.messages().filter(({ id }) => calls.includes(id ?? 0)) as readonly Answer[];
      expect(new Set(answers.map(({ id }) => id)).size).toBe(answers.length);
      for (const { id, error } of answers)
        if (error) expect(error.message).toContain("it may have run");
        else expect(notes).toContain(String(calls.indexOf(id)));
      await leave(client);
      await user.indus(["down"]);
    }
  },
  LIMIT,
);

const CALLS = 300;

interface Answer {
  readonly id: number;
  readonly error?: { readonly message: string };
}

/** A server that notes each call in a file. */
const NOTES = `
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const serverInfo = { name: "notes", version: "1" };
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, serverInfo, capabilities: { tools: {} } }),
  ping: () => ({}),
  "tools/list": () => ({ tools: [{ name: "note", inputSchema: { type: "object" } }] }),
  "tools/call": ({ arguments: { note } }) => {
    appendFileSync(process.argv[2], note + "\\n");
    return { content: [{ type: "text", text: "noted" }] };
  },
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  send(answer ? { id, result: answer(params) } : { id, error: { code: -32601, message: "unknown" } });
});
`;

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

proves(
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

proves(
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

proves(
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
