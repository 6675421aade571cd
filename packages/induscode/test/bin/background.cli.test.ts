import { spawnSync } from "node:child_process";
import {
  cp,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { verifiesTogether } from "@indus/testkit";
import { expect } from "vitest";
import { calling, printRun } from "../commands/session/print-run.ts";
import { roughRow } from "../gateway/serving-gateway.ts";
import { aboutGateway, backgroundUser, leave, listed, said } from "./background-user.ts";
import { converse } from "./converse.ts";
import {
  eventually,
  indusBin,
  runIndus,
  scriptedRow,
  startIndus,
  untilGone,
  writeConfig,
} from "./run-indus.ts";
import { connectScripted, type ScriptedClient } from "./scripted-client.ts";

const HANG = { timeoutMs: 120_000 };
const POSIX = { ...HANG, only: ["linux", "darwin"] as const };

const withToken = { ...scriptedRow("--era", "legacy"), env: { TOKEN: "${TOKEN}" } };

const tokenOf = async (client: ScriptedClient): Promise<unknown> =>
  (JSON.parse(await said(client, "s__env")) as { readonly TOKEN?: string }).TOKEN;

verifiesTogether(
  "background:shares",
  "two clients of one folder share a process; another token, folder or PATH makes another one",
  async () => {
    await using user = await backgroundUser();
    await user.rows({ s: withToken });
    expect((await user.indus(["up"])).code).toBe(0);
    const [one, two] = [await user.folder("one"), await user.folder("two")];
    const clients = await Promise.all([
      user.client("a", one, { TOKEN: "first" }),
      user.client("b", one, { TOKEN: "first" }),
      user.client("c", one, { TOKEN: "second" }),
      user.client("d", two, { TOKEN: "first" }),
      user.client("e", one, { TOKEN: "first", PATH: `${process.env["PATH"]}:/elsewhere` }),
    ]);
    await listed(clients);
    const pids = await Promise.all(clients.map((client) => said(client, "s__pid")));
    expect(pids[1]).toBe(pids[0]);
    expect(new Set(pids).size).toBe(4);
    expect(await Promise.all(clients.map(tokenOf))).toEqual(["first", "first", "second", "first", "first"]);
    const status = await user.status();
    expect(status?.clients.map(({ client }) => client).toSorted()).toEqual(["a", "b", "c", "d", "e"]);
    expect(status?.instances.map(({ users }) => users.length).toSorted()).toEqual([1, 1, 1, 2]);
    expect(status?.savings).toEqual([{ server: "s", folders: 2 }]);
    const { out } = await user.indus(["status"]);
    expect(out).toMatch(/server "s" runs more than once in \S+\/one: clients differ in (PATH, )?TOKEN\n/);
    expect(out).not.toMatch(/first|second/);
    // These clients declared nothing, so nobody is asked.
    expect(await said(clients[0] as ScriptedClient, "s__ask")).toContain("decline");
    for (const client of clients)
      expect(client.messages().filter(({ method }) => method === "elicitation/create")).toEqual([]);
    // Only the last one to leave ends the process.
    const shared = Number(pids[0]);
    const [a, b, ...others] = clients;
    expect(await leave(a as ScriptedClient)).toBe(0);
    expect(await said(b as ScriptedClient, "s__pid")).toBe(String(shared));
    await leave(b as ScriptedClient);
    await untilGone([shared]);
    for (const client of others) await leave(client);
  },
  HANG,
);

verifiesTogether(
  "background:life",
  "the gateway is detached, answers one more indus up, and is gone with its servers after indus down; its client continues",
  async () => {
    await using user = await backgroundUser();
    await user.rows({ s: scriptedRow() });
    const before = await user.indus(["status"]);
    expect(before).toMatchObject({ code: 1, out: "no background gateway is running; indus up starts one\n" });
    const up = await user.indus(["up"]);
    expect(up.out).toMatch(/^your background gateway runs \(process \d+\)/);
    const status = await user.status();
    const pid = status?.pid ?? 0;
    expect((await user.indus(["up"])).out).toBe(`your background gateway runs already (process ${pid})\n`);
    if (process.platform === "linux") {
      expect(await readlink(`/proc/${pid}/cwd`)).toBe("/");
      const [, , , , , session] = (await readFile(`/proc/${pid}/stat`, "latin1")).split(" ");
      expect(Number(session)).toBe(pid);
      expect(await readFile(`/proc/${pid}/environ`, "latin1")).not.toContain("INDUS_TREE");
    }
    const client = await user.client("a", await user.folder("one"));
    await listed([client]);
    const server = Number(await said(client, "s__pid"));
    expect((await user.indus(["status"])).out).toMatch(/s +1 a +ready +\d+/);
    expect((await user.indus(["down"])).out).toBe(`ended the background gateway (process ${pid})\n`);
    await untilGone([pid, server]);
    // With a server of its own now.
    expect(Number(await said(client, "s__pid"))).not.toBe(server);
    expect(client.indus.err()).toContain(
      "the background gateway is gone; this client's servers now run privately",
    );
    expect(await leave(client)).toBe(0);
    expect(await readdir(user.dir.at("run"))).toEqual([]);
  },
  HANG,
);

verifiesTogether(
  "background:killed",
  "kill -9 of the gateway: a call in flight fails, lists are answered, new clients are served privately, a later call waits for the next gateway",
  async () => {
    await using user = await backgroundUser();
    const { client, pid } = await user.sharing();
    const server = Number(await said(client, "s__pid"));
    const inFlight = client.request("tools/call", { name: "s__silent", arguments: {} });
    await said(client, "s__echo", { text: "after it" });
    process.kill(pid, "SIGKILL");
    const lost = await eventually(() => client.messages().find(({ id }) => id === inFlight));
    expect(lost).toMatchObject({
      error: {
        code: -32_000,
        message: expect.stringMatching(/gateway ended while .* it may have run/),
        data: { retrySafe: false },
      },
    });
    await untilGone([server]);
    const names = (await client.result(client.request("tools/list")))?.tools?.map(({ name }) => name);
    expect(names).toContain("s__echo");
    expect(await client.result(client.request("ping"))).toEqual({});
    expect(await aboutGateway(user)).toEqual([
      expect.stringContaining("nothing listens at its socket; indus up starts a new one"),
    ]);
    const waiting = client.request("tools/call", { name: "s__calls", arguments: {} });
    await user.indus(["up"]);
    const answered = await client.result(waiting);
    expect(answered).toBeDefined();
    expect(client.messages().filter(({ id }) => id === waiting)).toHaveLength(1);
    expect(await leave(client)).toBe(0);
  },
  HANG,
);

verifiesTogether(
  "background:private",
  "INDUS_NO_SHARE, a setting of the folder, a session's program and a folder that is a link do without the gateway, in one line",
  async () => {
    await using user = await backgroundUser();
    await user.rows({ s: scriptedRow() });
    await user.indus(["up"]);
    const shared = async (): Promise<number> => (await user.status())?.clients.length ?? -1;
    const [off, inSession, profile] = await Promise.all([
      aboutGateway(user, { INDUS_NO_SHARE: "1" }),
      aboutGateway(user, { INDUS_TREE: "01J" }),
      aboutGateway(user, {}, ["--profile", "full"]),
    ]);
    expect(off).toEqual([]);
    expect(inSession).toEqual([expect.stringContaining("a program of an indus session")]);
    expect(profile).toEqual([expect.stringContaining("run privately: --profile full")]);
    const [folder, moved] = [user.dir.at("run", "indusvx"), user.dir.at("elsewhere")];
    await rename(folder, moved);
    await symlink(moved, folder);
    expect(await aboutGateway(user)).toEqual([expect.stringContaining("is a link")]);
    await rm(folder);
    await rename(moved, folder);
    const set = await user.indus(["config", "set", "share", "off", "--project"], {
      cwd: await user.folder("one"),
    });
    expect(set.code).toBe(0);
    expect(await aboutGateway(user)).toEqual([
      expect.stringContaining('the setting "share" is off in this folder'),
    ]);
    expect(await shared()).toBe(0);
    // Without a runtime folder both find the short one.
    await user.indus(["down"]);
    const elsewhere = { XDG_RUNTIME_DIR: undefined };
    expect((await user.indus(["up"], { env: elsewhere })).code).toBe(0);
    const client = await user.client("a", await user.folder("two"), elsewhere);
    await listed([client]);
    expect((await user.indus(["status"], { env: elsewhere })).out).toContain("/tmp/");
    await leave(client);
    expect((await user.indus(["down"], { env: elsewhere })).code).toBe(0);
  },
  POSIX,
);

verifiesTogether(
  "background:hidden",
  "indus up is refused in a program of a session, with the way out, also if that program removed the variable",
  async () => {
    await using user = await backgroundUser();
    const refusal =
      "indus: indus up does not work inside an indus session, whose programs end with it; run it in a terminal of your own\n";
    const { code, err } = await user.indus(["up"], { env: { INDUS_TREE: "01J" } });
    expect({ code, err }).toEqual({ code: 1, err: refusal });
    if (process.platform === "linux") {
      const env = { ...process.env, ...user.env, INDUS_TREE: "01J" };
      const words = ["-c", 'env -u INDUS_TREE "$0" "$1" up; exit 0', process.execPath, indusBin];
      expect(spawnSync("/bin/sh", words, { env, encoding: "utf8" }).stderr).toBe(refusal);
    }
  },
  HANG,
);

verifiesTogether(
  "background:life",
  "a gateway that is stopped: clients are served without it after 3 s, indus status names it, indus down ends it, and its client continues",
  async () => {
    await using user = await backgroundUser();
    const { client, pid } = await user.sharing();
    const server = Number(await said(client, "s__pid"));
    process.kill(pid, "SIGSTOP");
    const [about, status] = await Promise.all([aboutGateway(user), user.indus(["status"])]);
    expect(about).toEqual([
      expect.stringContaining("its servers run privately: it did not answer within 3 s"),
    ]);
    expect(status.err).toMatch(/does not answer .*; indus down ends it/);
    expect((await user.indus(["down"])).out).toBe(`ended the background gateway (process ${pid})\n`);
    await untilGone([pid, server]);
    expect(Number(await said(client, "s__pid"))).not.toBe(server);
    expect(await leave(client)).toBe(0);
  },
  POSIX,
);

verifiesTogether(
  "background:silent",
  "a gateway that is stopped while clients use it: calls fail and say that they may have run, lists are answered, and the call never runs when it continues",
  async () => {
    await using user = await backgroundUser();
    const counts = user.dir.at("counts");
    await user.rows({ s: roughRow("--count", counts) });
    await user.indus(["up"]);
    const folder = await user.folder("one");
    const [client, patient] = await Promise.all([user.client("a", folder), user.client("b", folder)]);
    await listed([client, patient]);
    const { pid = 0 } = (await user.status()) ?? {};
    // A few seconds are no reason to give it up.
    process.kill(pid, "SIGSTOP");
    const early = patient.request("tools/call", { name: "s__echo", arguments: { text: "early" } });
    await sleep(5_000);
    process.kill(pid, "SIGCONT");
    expect(JSON.stringify(await patient.result(early))).toContain("early");
    process.kill(pid, "SIGSTOP");
    const call = client.request("tools/call", { name: "s__count", arguments: { key: "late" } });
    const list = client.request("tools/list");
    const lost = await eventually(() => client.messages().find(({ id }) => id === call), 30_000);
    expect(lost).toMatchObject({
      error: { message: expect.stringMatching(/stopped answering while .* it may have run/) },
    });
    const names = (await client.result(list))?.tools?.map(({ name }) => name);
    expect(names).toContain("s__echo");
    process.kill(pid, "SIGCONT");
    // Both are back, through the same gateway, and no server has run the call.
    for (const [each, key] of [
      [client, "again"],
      [patient, "too"],
    ] as const)
      expect(await said(each, "s__count", { key })).toBe(key);
    expect(await readFile(counts, "utf8")).toBe("again\ntoo\n");
    const status = await eventually(async () => {
      const now = await user.status();
      return now?.clients.length === 2 ? now : undefined;
    });
    expect(status.pid).toBe(pid);
    expect(status.instances).toHaveLength(1);
    for (const each of [client, patient]) {
      expect(each.indus.err()).not.toContain("privately");
      expect(await leave(each)).toBe(0);
    }
  },
  POSIX,
);

/** The same program in another place, where it can be changed. */
async function copyProduct(to: string): Promise<string> {
  const product = fileURLToPath(new URL("../..", import.meta.url));
  for (const part of ["bin", "dist/command", "package.json"])
    await cp(`${product}/${part}`, `${to}/${part}`, { recursive: true });
  return `${to}/bin/indus.js`;
}

verifiesTogether(
  "background:life",
  "indus service install ends the gateway of indus up, whose socket its own needs; the clients find that one",
  async () => {
    await using user = await backgroundUser();
    const { client, pid } = await user.sharing();
    // In the place of systemd: it starts the gateway again until it has run.
    const bin = await user.folder("bin");
    const start = `"${process.execPath}" "${indusBin}" up --foreground`;
    await writeFile(
      user.dir.at("bin", "systemctl"),
      `#!/bin/sh\n[ "$2" = restart ] || exit 0\n(for try in $(seq 50); do ${start} && exit; sleep 0.2; done) >/dev/null 2>&1 &\n`,
      { mode: 0o755 },
    );
    const env = { PATH: `${bin}:${process.env["PATH"]}` };
    const installed = await user.indus(["service", "install"], { env });
    expect(installed).toMatchObject({
      code: 0,
      err: expect.stringContaining(
        `ended the gateway of indus up (process ${pid}): the service's takes over`,
      ),
    });
    // A call that is sent while the old gateway ends fails with it.
    await eventually(async () => {
      const now = await user.status();
      return (now && now.pid !== pid && now.clients.length === 1) || undefined;
    });
    expect(await said(client, "s__echo", { text: "again" })).toBe("again");
    expect(client.indus.err()).not.toContain("privately");
    const status = await user.status();
    expect(status?.pid).not.toBe(pid);
    expect(status?.clients).toHaveLength(1);
    await leave(client);
  },
  POSIX,
);

verifiesTogether(
  "background:upgrade",
  "files that are replaced while the gateway runs: what it has not loaded yet still works, the new version takes over, and the old one ends with its last client",
  async () => {
    await using user = await backgroundUser();
    const copy = user.dir.at("copy", "packages", "induscode");
    const program = await copyProduct(copy);
    await symlink(
      fileURLToPath(new URL("../../../../node_modules", import.meta.url)),
      user.dir.at("copy", "node_modules"),
    );
    const env = { ...process.env, ...user.env };
    const run = (...words: string[]): string =>
      spawnSync(process.execPath, [program, ...words], { env, encoding: "utf8" }).stdout;
    await user.rows({ s: scriptedRow() });
    run("up");
    const old = await connectScripted("old", [], { cwd: await user.folder("one"), env: user.env, program });
    await listed([old]);
    // An installation removes the old files, and writes others.
    const folder = `${copy}/dist/command`;
    const parts = (await readdir(folder)).filter((name) => name.endsWith(".cjs"));
    for (const name of parts) {
      const text = await readFile(`${folder}/${name}`, "utf8");
      await rm(`${folder}/${name}`);
      const renamed = text.replaceAll(/\.([\w-]{8})\.cjs(["'`])/g, ".$1x.cjs$2");
      await writeFile(`${folder}/${name.replace(/\.([\w-]{8})\.cjs$/, ".$1x.cjs")}`, renamed);
    }
    await user.rows({ s: scriptedRow(), t: { url: "http://127.0.0.1:59999/mcp" } });
    const why = await eventually(() => /server "t".*/.exec(old.indus.err())?.[0]);
    expect(why).toMatch(/nothing listens|refused|59999/);
    expect(await said(old, "s__echo", { text: "still here" })).toBe("still here");
    expect(run("up")).toContain("your background gateway runs");
    const young = await connectScripted("young", [], {
      cwd: await user.folder("one"),
      env: user.env,
      program,
    });
    expect(await said(young, "s__echo", { text: "served" })).toBe("served");
    const { gateways } = JSON.parse(run("status", "--json")) as {
      gateways: { pid: number; isDraining: boolean; clients: { client: string }[] }[];
    };
    expect(
      gateways.map(({ isDraining, clients }) => [isDraining, clients.map(({ client }) => client)]),
    ).toEqual([
      [false, ["young"]],
      [true, ["old"]],
    ]);
    // A program of the old version cannot join the old one any more.
    expect(await aboutGateway(user)).toEqual([expect.stringContaining("being replaced by another version")]);
    // The old one ends with its last client.
    expect(await leave(old)).toBe(0);
    await untilGone(gateways.flatMap(({ pid, isDraining }) => (isDraining ? [pid] : [])));
    expect(await said(young, "s__echo", { text: "served" })).toBe("served");
    expect(await leave(young)).toBe(0);
    expect(run("down")).toContain("ended the background gateway");
  },
  POSIX,
);

verifiesTogether(
  "background:commands",
  "mcp call, list and tools find the running process, start one without it, and mcp call prints what it does without the gateway",
  async () => {
    await using user = await backgroundUser();
    const starts = user.dir.at("starts");
    await user.rows({ s: { ...scriptedRow("--starts", starts), env: { TOKEN: "${TOKEN}" } } });
    const one = await user.folder("one");
    await writeConfig(user.dir.at("one", "other.json"), { o: scriptedRow() });
    const lines = [
      ["s__echo", "text=hello"],
      ["s__echo", "--json", "--args", '{"text":"hello"}'],
      ["s__blocks", "--json"],
      ["s__fail"],
      ["s__refuse"],
      ["s__nosuch"],
      ["s__echo", "text:=5"],
      ["echo", "text=there", "--mcp", "other.json"],
      ["s__echo", "--mcp", "missing.json"],
      ["s__silent", "--timeout", "0.5"],
    ];
    const env = { TOKEN: "canary" };
    const results = (): Promise<unknown[]> =>
      Promise.all(
        lines.map(async (line) => {
          const { code, out, err } = await user.indus(["mcp", "call", ...line], { cwd: one, env });
          return { line, code, out, err };
        }),
      );
    const alone = await results();
    await user.indus(["up"]);
    const client = await user.client("a", one, env);
    await listed([client]);
    const pid = await said(client, "s__pid");
    expect(await results()).toEqual(alone);
    const before = await readFile(starts, "utf8");
    const inFolder = { cwd: one, env };
    const [called, list, tools] = await Promise.all([
      user.indus(["mcp", "call", "s__pid"], inFolder),
      user.indus(["mcp", "list"], inFolder),
      user.indus(["mcp", "tools"], inFolder),
    ]);
    expect(called.out.trim()).toBe(pid);
    expect(list.out).toMatch(/s .*ready/);
    expect(tools.out).toContain("s__echo");
    // None of them started a server.
    expect(await readFile(starts, "utf8")).toBe(before);
    const other = await user.indus(["mcp", "call", "s__pid"], { cwd: await user.folder("two"), env });
    expect(other.out.trim()).toMatch(/^\d+$/);
    expect(other.out.trim()).not.toBe(pid);
    const call = ["mcp", "call", "s__env"];
    const token = async (more: NodeJS.ProcessEnv): Promise<unknown> =>
      (JSON.parse((await user.indus(call, { cwd: one, env: more })).out) as { TOKEN?: string }).TOKEN;
    expect(await token(env)).toBe("canary");
    expect(await token({ TOKEN: "mine" })).toBe("mine");
    // Only the client is left.
    expect((await user.status())?.clients.map(({ kind }) => kind)).toEqual(["serve"]);
    await leave(client);
  },
  HANG,
);

verifiesTogether(
  "background:commands",
  "mcp call that is interrupted ends its call in the gateway, as it does without one",
  async () => {
    await using user = await backgroundUser();
    await user.rows({ s: scriptedRow() });
    await user.indus(["up"]);
    const cwd = await user.folder("one");
    using command = startIndus(["mcp", "call", "s__silent"], { cwd, env: user.env });
    const [users] = await eventually(async () => {
      const { instances = [] } = (await user.status()) ?? {};
      return instances.some(({ users: found }) => found.length === 1) ? instances : undefined;
    });
    expect(users).toBeDefined();
    await sleep(300);
    command.child.kill("SIGINT");
    expect(await command.ended).toBe(130);
    await eventually(async () => (await user.status())?.clients.length === 0 || undefined);
    expect((await user.status())?.instances).toEqual([]);
  },
  HANG,
);

verifiesTogether(
  "background:commands",
  "-p and a conversation in the terminal use the running process",
  async () => {
    await using test = await printRun([
      calling(["s__pid", {}]),
      { text: "Seen." },
      calling(["s__pid", {}]),
      { text: "Seen." },
    ]);
    for (const name of ["home", "run"]) await mkdir(test.at(name), { mode: 0o700 });
    await mkdir(test.at("config", "indusvx"), { recursive: true });
    const starts = test.at("starts");
    await writeConfig(test.at("config", "indusvx", "mcp.json"), { s: scriptedRow("--starts", starts) });
    const env = { ...test.env, XDG_RUNTIME_DIR: test.at("run"), TERM: "xterm-256color" };
    const options = { cwd: test.project, env };
    await runIndus(["up"], options);
    try {
      const client = await connectScripted("a", [], options);
      await listed([client]);
      const pid = await said(client, "s__pid");
      const printed = await runIndus(["-p", "--json", "--allow", "s__pid", "Which process?"], options);
      expect(printed.out).toContain(pid);
      using user = converse(test, ["--allow", "s__pid"], env);
      await user.says("Which process?\r");
      await user.sees(pid);
      expect((await readFile(starts, "utf8")).trim().split("\n")).toEqual([pid]);
      await leave(client);
    } finally {
      await runIndus(["down"], options);
    }
  },
  POSIX,
);

verifiesTogether(
  "background:user-share",
  "one process for two folders, in the home folder, with what lies in none of them",
  async () => {
    await using user = await backgroundUser();
    await user.rows({
      s: { ...scriptedRow(), share: "user" },
      bad: { ...scriptedRow(), cwd: ".", share: "user" },
    });
    await user.indus(["up"]);
    const clients = await Promise.all([
      user.client("a", await user.folder("one")),
      user.client("b", await user.folder("two")),
    ]);
    await listed(clients);
    const pids = await Promise.all(clients.map((client) => said(client, "s__pid")));
    expect(new Set(pids).size).toBe(1);
    if (process.platform === "linux")
      expect(await readlink(`/proc/${pids[0]}/cwd`)).toBe(user.dir.at("home"));
    expect(clients[0]?.indus.err()).toMatch(
      /server "bad": "share": "user" runs it in your home folder .* it has a "cwd"/,
    );
    expect((await stat(user.dir.at("run", "indusvx"))).mode & 0o777).toBe(0o700);
    for (const client of clients) await leave(client);
  },
  HANG,
);
