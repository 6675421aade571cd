import { readdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { tempDir, verifiesTogether } from "@indus/testkit";
import { expect } from "vitest";
import { AttachedFolders, folderId, makeLink, openOwnPort } from "../../src/console/internal.ts";
import type { ConsoleSource } from "../../src/console/source.ts";
import { backgroundUser, leave, said } from "../bin/background-user.ts";
import { eventually, scriptedRow, untilGone } from "../bin/run-indus.ts";
import { fromPage, linesOf, readAnswer, userOf } from "./open-console.ts";

const HANG = { timeoutMs: 120_000 };

/** Asks a console at an address as a browser's page does. */
function asking(base: URL): Parameters<typeof userOf>[0] {
  const open: Parameters<typeof userOf>[0]["open"] = (method, path, { headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const type = body === undefined ? {} : { "content-type": "application/json" };
      const options = { method, path, headers: { ...type, ...headers }, agent: false };
      const sent = request({ hostname: base.hostname, port: base.port, ...options }, resolve);
      sent.on("error", reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  return { open, ask: async (...given) => readAnswer(await open(...given)) };
}

verifiesTogether(
  "console:background",
  "indus console opens the folder of the background gateway, with the calls of all its clients, and a restart by command",
  async () => {
    await using user = await backgroundUser();
    await user.rows({ s: scriptedRow() });
    const [one, two] = [await user.folder("one"), await user.folder("two")];
    const none = await user.indus(["console", "--print"], { cwd: one });
    expect([none.code, none.err]).toEqual([1, expect.stringContaining("indus up")]);
    await user.indus(["up"]);
    const first = await user.client("a", one);
    const second = await user.client("b", one);
    const elsewhere = await user.client("c", two);
    for (const client of [first, second, elsewhere]) await client.result(client.request("tools/list"));

    const { out } = await user.indus(["console", "--print"], { cwd: one });
    const [, address = "", code = "", folder] =
      /^(http:\S+)#link=(\S{43})&folder=(\w+)$/m.exec(out.trim()) ?? [];
    expect(folder).toBe(folderId(one));
    const base = new URL(address);
    expect(base.hostname).toBe("127.0.0.1");
    const asked = asking(base);
    const opened = await asked.ask("POST", "/console/session", { headers: fromPage(base), body: { code } });
    expect(opened.body.folders).toEqual([
      { id: folderId(one), path: one, attached: 2 },
      { id: folderId(two), path: two, attached: 1 },
    ]);
    const page = userOf(asked, base, opened.body.key);
    const shown = (id: string) => page.ask("GET", `/console/snapshot?folder=${id}`);
    const snapshot = await shown(folderId(one));
    expect(snapshot.body.clients.map(({ name }: { name: string }) => name).toSorted()).toEqual(["a", "b"]);
    if (process.platform === "linux")
      expect(snapshot.body.servers[0].process.memoryBytes).toBeGreaterThan(1_000_000);
    expect((await shown(folderId(two))).body.clients).toMatchObject([{ name: "c", transport: "stdio" }]);
    expect((await shown("0".repeat(16))).status).toBe(404);

    // There is no endpoint, and no other name leads here.
    const post = { headers: { ...fromPage(base), "content-type": "application/json" }, body: {} };
    expect((await asked.ask("POST", "/mcp", post)).status).toBe(404);
    expect((await asked.ask("GET", "/", { headers: { host: `evil.example:${base.port}` } })).status).toBe(
      403,
    );

    const stream = await page.open(
      "GET",
      `/console/stream?folder=${folderId(one)}&after=${snapshot.body.position}`,
    );
    const seen: string[] = [];
    const reading = (async () => {
      for await (const event of linesOf(stream)) {
        if (event.type === "calls") seen.push(...event.calls.map(({ tool }: { tool: string }) => tool));
        if (event.type === "folders") seen.push(`${event.folders.length} folders`);
      }
    })();
    const pid = await said(second, "s__pid");
    await said(first, "s__calls");
    await eventually(() => (seen.includes("s__pid") && seen.includes("s__calls")) || undefined, 20_000);
    await leave(elsewhere);
    await eventually(() => seen.includes("1 folders") || undefined, 20_000);

    const restarted = await user.indus(["mcp", "restart", "s"], { cwd: one });
    expect([restarted.code, restarted.err]).toEqual([0, ""]);
    expect(await said(second, "s__pid")).not.toBe(pid);

    // The client that came first leaves: what is shown is another client's now, and the page asks again.
    await leave(first);
    await reading;
    const later = await shown(folderId(one));
    expect(later.body.clients).toMatchObject([{ name: "b" }]);
    await leave(second);
    expect((await shown(folderId(one))).status).toBe(404);
    expect((await page.ask("GET", "/console/session")).body.folders).toEqual([]);
    // An open page does not keep the gateway.
    const held = await page.open("GET", "/console/session");
    held.resume();
    const { pid: gateway = 0 } = (await user.status()) ?? {};
    await user.indus(["down"]);
    await untilGone([gateway]);
    const log = readFileSync(user.dir.at("home", ".local", "state", "indusvx", "gateway.log"), "utf8");
    expect(log).not.toContain(code);
    expect(log).not.toContain(opened.body.key);
  },
  HANG,
);

verifiesTogether(
  "console:background",
  "the port closes when nobody has looked for a while, and its session with it",
  async () => {
    await using dir = await tempDir();
    const stop = new AbortController();
    const sources = { list: () => [] as readonly ConsoleSource[] };
    const port = await openOwnPort({
      ...{ sources, state: dir.path, tokens: undefined, report: () => {}, signal: stop.signal },
      idleMs: 1_000,
    });
    const base = new URL(port.url);
    const { ask } = asking(base);
    const opened = await ask("POST", "/console/session", {
      headers: fromPage(base),
      body: { code: makeLink(dir.path, port.id) },
    });
    const page = userOf(asking(base), base, opened.body.key);
    for (let round = 0; round < 6; round += 1) {
      expect((await page.ask("GET", "/console/session")).status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    await eventually(() => port.isClosed || undefined, 20_000);
    await expect(ask("GET", "/")).rejects.toThrow();
    expect(readdirSync(dir.at("console", "links"))).toEqual([]);
    stop.abort();
  },
  HANG,
);

verifiesTogether(
  "console:background",
  "a folder is led by its oldest client, and listens to those that come later",
  () => {
    const folders = new AttachedFolders();
    const listeners: ((name: string) => void)[][] = [[], []];
    const changes: number[] = [];
    folders.onChange(() => changes.push(folders.list().length));
    const client = (at: number) =>
      ({
        path: "/work",
        view: {
          clients: () => [{ key: `c${at}` }],
          onCall: (listener: (name: string) => void) => {
            listeners[at]?.push(listener);
            return () => void listeners[at]?.splice(0);
          },
          onClients: () => () => {},
        },
        source: () => ({ servers: { at } }),
      }) as unknown as Parameters<AttachedFolders["attach"]>[0];
    const leaveFirst = folders.attach(client(0));
    const [source] = folders.list();
    const heard: string[] = [];
    const stop = source?.view.onCall(((name: string) => heard.push(name)) as never);
    const leaveSecond = folders.attach(client(1));
    for (const [at, each] of listeners.entries()) for (const listener of each) listener(`call ${at}`);
    expect(heard).toEqual(["call 0", "call 1"]);
    expect(folders.list()[0]).toBe(source);
    expect(source?.folder).toMatchObject({ path: "/work", attached: 2 });
    expect(source?.view.clients().map(({ key }) => key)).toEqual(["c0", "c1"]);
    leaveFirst();
    expect(listeners[0]).toEqual([]);
    expect(folders.list()[0]).not.toBe(source);
    expect(folders.list()[0]).toMatchObject({ servers: { at: 1 }, folder: { attached: 1 } });
    stop?.();
    expect(listeners[1]).toEqual([]);
    leaveSecond();
    expect(folders.list()).toEqual([]);
    expect(changes).toEqual([1, 1, 1, 0]);
  },
);
