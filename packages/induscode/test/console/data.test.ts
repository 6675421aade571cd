import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { tempDir, verifiesTogether } from "@indus/testkit";
import { expect } from "vitest";
import { COMMANDS } from "../../src/commands/command-table.ts";
import { toolTimes } from "../../src/console/calls.ts";
import { parseArguments } from "../../src/launch/internal.ts";
import { eventually, scriptedRow } from "../bin/run-indus.ts";
import { connectTo } from "../gateway/open/serve-in.ts";
import { type ConsoleUser, linesOf, openedConsole, readAnswer } from "./open-console.ts";

const TIMEOUT = { timeoutMs: 180_000 };
const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const apps = fileURLToPath(new URL("../../../../test/servers/apps.mjs", import.meta.url));

const isUsable = (user: ConsoleUser, server: string): Promise<true> =>
  eventually(async () => {
    const { body } = await user.ask("GET", "/console/snapshot");
    return (
      body.servers.some(
        (each: { id: string; isUsable: boolean; tools: number }) =>
          each.id === server && each.isUsable && each.tools > 0,
      ) || undefined
    );
  }, 90_000);

verifiesTogether(
  "console:overview",
  "a server that fails is a problem with its reason, and one that works has its numbers",
  async () => {
    await using dir = await tempDir();
    const rows = { s: scriptedRow(), broken: scriptedRow("--crash") };
    await using opened = await openedConsole(dir, rows);
    const user = await opened.enter();
    await isUsable(user, "s");
    const client = await connectTo(new URL("/mcp", opened.base).href);
    await client.listTools();
    await client.invoke("s__echo", { text: "hi" });
    const snapshot = await eventually(async () => {
      const { body } = await user.ask("GET", "/console/snapshot");
      return body.problems.length > 0 && body.clients.length > 0 ? body : undefined;
    }, 60_000);
    expect(snapshot.problems[0]).toMatchObject({
      server: "broken",
      kind: "server",
      reason: expect.stringContaining("exited before it was connected"),
      remedy: expect.stringMatching(/./),
      command: "indus mcp doctor broken",
      action: { kind: "restart", server: "broken" },
    });
    const s = snapshot.servers.find(({ id }: { id: string }) => id === "s");
    expect(s.activity.calls.reduce((a: number, b: number) => a + b)).toBe(1);
    expect(snapshot.cost).toMatchObject({
      mode: "all",
      tools: expect.any(Number),
      tokens: expect.any(Number),
    });
    expect(snapshot.cost.searchTokens).toBeGreaterThan(0);
    expect(snapshot.clients[0]).toMatchObject({
      name: "indus-protocol-bridge",
      transport: "http",
      route: "/mcp",
      servers: ["s"],
    });
    if (process.platform === "linux") expect(s.process.memoryBytes).toBeGreaterThan(1_000_000);
    const { body: detail } = await user.ask("GET", "/console/servers/s");
    expect(detail.tools.find(({ name }: { name: string }) => name === "echo")).toMatchObject({
      shownAs: "s__echo",
      signature: expect.stringContaining("s__echo("),
      state: "offered",
    });
    expect(detail.row).toMatchObject({ name: "s", scope: "user", file: opened.file });
    expect(detail.timeline.map(({ text }: { text: string }) => text).join()).toContain("ready");
    expect((await user.ask("GET", "/console/servers/none")).status).toBe(404);
    // What is restarted here is restarted there.
    const { body: done } = await user.ask("POST", "/console/servers/broken/restart");
    expect(done).toMatchObject({ command: "indus mcp restart -- broken" });
    await client.close();
  },
  TIMEOUT,
);

verifiesTogether(
  "console:calls",
  "a call is shown with the shape of its arguments and not their values, in the stream and afterwards",
  async () => {
    await using dir = await tempDir();
    await using opened = await openedConsole(dir);
    const user = await opened.enter();
    await isUsable(user, "s");
    const stream = await user.open("GET", "/console/stream");
    const lines = linesOf(stream);
    expect((await lines.next()).value).toMatchObject({ type: "hello", resumed: false });
    const client = await connectTo(new URL("/mcp", opened.base).href);
    const secret = "a-secret-value-of-a-call";
    await client.invoke("s__echo", { text: secret });
    await client.invoke("s__fail", {});
    const seen: { tool: string; shape: unknown }[] = [];
    while (seen.length < 2) {
      const { value } = await lines.next();
      if (value.type === "calls") seen.push(...value.calls);
    }
    expect(seen[0]).toMatchObject({
      tool: "s__echo",
      outcome: "ok",
      shape: { text: `string(${secret.length})` },
    });
    const answer = await user.ask("GET", "/console/calls?outcomes=ok,error&server=s");
    expect(answer.body).toMatchObject({
      matching: 2,
      calls: [{ shape: { text: expect.any(String) } }, { outcome: "error" }],
    });
    expect(answer.body.tools.find(({ tool }: { tool: string }) => tool === "s__fail")).toMatchObject({
      calls: 1,
      errors: 1,
    });
    expect((await user.ask("GET", "/console/calls?tool=s__e*")).body.matching).toBe(1);
    expect((await user.ask("GET", "/console/calls?slowerThanMs=3600000")).body.matching).toBe(0);
    expect((await user.ask("GET", "/console/calls?client=PROTOCOL")).body.matching).toBe(2);
    expect((await user.ask("GET", "/console/calls?last=no")).status).toBe(400);
    expect(answer.text + JSON.stringify(seen)).not.toContain(secret);
    stream.destroy();
    await client.close();
  },
  TIMEOUT,
);

verifiesTogether(
  "console:calls",
  "percentiles are times of calls, in order, overall and in each slice",
  () => {
    const at = (second: number): string => new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString();
    const record = (second: number, ms: number) =>
      ({
        at: at(second),
        ms,
        tool: "s__t",
        server: "s",
        outcome: "ok",
        argumentBytes: 1,
        resultBytes: 2,
      }) as never;
    const [found] = toolTimes(Array.from({ length: 100 }, (_, index) => record(index * 36, index + 1)));
    expect(found).toMatchObject({
      calls: 100,
      p50: 50,
      p95: 95,
      p99: 99,
      maxMs: 100,
      argumentBytes: 100,
      resultBytes: 200,
    });
    expect(found?.series.reduce((sum, { calls }) => sum + calls, 0)).toBe(100);
    expect(found?.series.length).toBeLessThanOrEqual(60);
    for (const { p50, p95, p99 } of found?.series ?? [])
      expect([p50, p95, p99]).toEqual([p50, p95, p99].toSorted((a, b) => a - b));
    expect(toolTimes([])).toEqual([]);
  },
);

verifiesTogether(
  "console:stream",
  "1,000 streams leave nothing, only some are open at a time, and one that comes back misses nothing",
  async () => {
    await using dir = await tempDir();
    await using opened = await openedConsole(dir);
    const user = await opened.enter();
    await isUsable(user, "s");
    const open = async (): Promise<number> => {
      const stream = await user.open("GET", "/console/stream");
      stream.resume();
      const { statusCode = 0 } = stream;
      if (statusCode !== 200) stream.destroy();
      held.push(stream);
      return statusCode;
    };
    const held: { destroy(): void }[] = [];
    const first = await Promise.all(Array.from({ length: 40 }, open));
    expect(first.filter((status) => status === 200)).toHaveLength(32);
    expect(first.filter((status) => status === 429)).toHaveLength(8);
    for (const stream of held.splice(0)) stream.destroy();
    for (let round = 0; round < 96; round += 1) {
      await eventually(
        async () => (await Promise.all(Array.from({ length: 10 }, open))).includes(200) || undefined,
      );
      for (const stream of held.splice(0)) stream.destroy();
    }
    // A reader that comes back continues where it was.
    const client = await connectTo(new URL("/mcp", opened.base).href);
    const { body: snapshot } = await user.ask("GET", "/console/snapshot");
    const one = await eventually(async () => {
      const stream = await user.open("GET", `/console/stream?after=${snapshot.position}`);
      if (stream.statusCode === 200) return stream;
      stream.destroy();
      return undefined;
    });
    const lines = linesOf(one);
    expect((await lines.next()).value).toMatchObject({ type: "hello", resumed: true });
    await client.invoke("s__echo", { text: "1" });
    let position = "";
    const calls: string[] = [];
    for await (const line of lines) {
      position = line.at;
      if (line.type === "calls") calls.push(...line.calls.map(({ id }: { id: string }) => id));
      if (calls.length > 0) break;
    }
    one.destroy();
    await client.invoke("s__echo", { text: "2" });
    await pause(600); // Two batches: it was recorded while nobody read.
    const two = await user.open("GET", `/console/stream?after=${position}`);
    for await (const line of linesOf(two)) {
      if (line.type === "hello") expect(line.resumed).toBe(true);
      if (line.type === "calls") calls.push(...line.calls.map(({ id }: { id: string }) => id));
      if (calls.length === 2) break;
    }
    expect(new Set(calls).size).toBe(2);
    two.destroy();
    // A position of another recording, or none, is not resumed.
    for (const after of ["0.0", "nonsense", `${position.split(".")[0]}.99999`]) {
      const stream = await user.open("GET", `/console/stream?after=${after}`);
      expect((await linesOf(stream).next()).value).toMatchObject({ type: "hello", resumed: false });
      stream.destroy();
    }
    await client.close();
  },
  TIMEOUT,
);

verifiesTogether(
  "console:changes",
  "a changed tool waits with its difference, and is refused, then approved, exactly as it was shown",
  async () => {
    await using dir = await tempDir();
    const file = dir.at("says.txt");
    writeFileSync(file, "Deletes one file.");
    await using opened = await openedConsole(dir, {
      c: { command: process.execPath, args: [script("changing.mjs"), file] },
    });
    const user = await opened.enter();
    await isUsable(user, "c");
    writeFileSync(file, "Deletes <script>everything</script>.");
    const waiting = await eventually(async () => {
      const { body } = await user.ask("GET", "/console/changes");
      return body.waiting[0];
    }, 60_000);
    expect(waiting).toMatchObject({
      server: "c",
      subject: "tool",
      name: "delete_it",
      isRefused: false,
      approve: expect.stringMatching(/^indus mcp approve --form [0-9a-f]{32} --yes -- c__delete_it$/),
    });
    expect(waiting.difference).toContain("+ Deletes <script>everything</script>.");
    expect((await user.ask("GET", "/console/snapshot")).body).toMatchObject({
      waiting: { c: 1 },
      problems: [{ kind: "change", server: "c" }],
    });
    const { server, subject, name, after } = waiting;
    const stale = await user.ask("POST", "/console/changes/approve", {
      changes: [{ server, subject, name, after: "0".repeat(32) }],
    });
    expect([stale.status, stale.body.error.code]).toEqual([409, "conflict"]);
    const refused = await user.ask("POST", "/console/changes/refuse", {
      changes: [{ server, subject, name, after }],
    });
    expect(refused.body).toMatchObject({
      command: waiting.refuse,
      messages: expect.arrayContaining(["refused 1 change"]),
    });
    expect((await user.ask("GET", "/console/changes")).body.waiting[0].isRefused).toBe(true);
    expect((await user.ask("GET", "/console/snapshot")).body.waiting).toEqual({});
    const approved = await user.ask("POST", "/console/changes/approve", {
      changes: [{ server, subject, name, after }],
    });
    expect(approved.body.messages).toContain("approved 1 change");
    await eventually(async () => {
      const { body } = await user.ask("GET", "/console/servers/c");
      return body.tools[0]?.description.includes("everything") || undefined;
    }, 60_000);
    const { body } = await user.ask("GET", "/console/explain?tool=c__delete_it");
    expect(body.explanations[0]).toMatchObject({
      server: "c",
      state: "here",
      command: "indus mcp explain c__delete_it",
    });
  },
  TIMEOUT,
);

verifiesTogether(
  "console:rows",
  "a row is checked, written, hidden and removed as the commands do it, and each change names its command",
  async () => {
    await using dir = await tempDir();
    const secret = "sk-a-very-secret-value-1234";
    const row = { ...scriptedRow(), env: { API_TOKEN: secret } };
    await using opened = await openedConsole(dir, { s: row });
    const user = await opened.enter();
    const { body: found } = await user.ask("GET", "/console/rows");
    expect(found.rows[0].row.env).toEqual({ API_TOKEN: "…" });
    expect(JSON.stringify(found)).not.toContain(secret);
    const shown = found.rows[0].row;
    const check = (action: string, change: object, name = "s") =>
      user.ask("POST", "/console/rows/check", { action, name, row: change });
    // A mistake is named and changes nothing.
    const wrong = await check("edit", { ...shown, command: 7 });
    expect(wrong.body.problems[0]).toContain("command");
    const refused = await user.ask("POST", "/console/rows", {
      action: "edit",
      name: "s",
      row: { ...shown, command: 7 },
    });
    expect(refused.status).toBe(409);
    // The secret that was not touched stays, and is not in the answer.
    const right = await user.ask("POST", "/console/rows", {
      action: "edit",
      name: "s",
      row: { ...shown, env: { ...shown.env, MODE: "quiet" } },
    });
    expect(right.body).toMatchObject({
      command: expect.stringContaining("indus mcp add-json --no-start --replace --scope user -- s "),
      difference: expect.stringContaining("MODE"),
    });
    expect(right.text).not.toContain(secret);
    const text = readFileSync(opened.file, "utf8");
    expect(JSON.parse(text).mcpServers.s.env).toEqual({ API_TOKEN: secret, MODE: "quiet" });
    // A member that the row did not have is new, and one that is left out goes.
    const grown = await check("edit", { command: shown.command, args: shown.args, timeout: 5_000 });
    expect(grown.body.problems).toEqual([]);
    expect(grown.body.difference).toMatch(/\+ .*"timeout": 5000/);
    expect(grown.body.difference).toMatch(/- .*"env"/);
    // Half of a hidden value cannot be kept.
    expect((await check("edit", { ...shown, env: { API_TOKEN: "x…" } })).body.problems[0]).toContain(
      "hidden part",
    );
    const added = await user.ask("POST", "/console/rows", { action: "add", name: "t", row: scriptedRow() });
    expect(added.status).toBe(200);
    await isUsable(user, "t");
    expect((await check("add", scriptedRow() as object, "t")).body.problems[0]).toContain(
      "already has a server",
    );
    const hidden = await user.ask("POST", "/console/tools", { kind: "hide", tool: "t__echo" });
    expect(hidden.body.command).toBe("indus mcp disable --scope user -- t__echo");
    const renamed = await user.ask("POST", "/console/tools", {
      kind: "rename",
      tool: "t__fail",
      text: "break",
    });
    expect(renamed.body.command).toBe("indus mcp rename --scope user -- t__fail break");
    await eventually(async () => {
      const { body } = await user.ask("GET", "/console/servers/t");
      const tools = new Map(body.tools.map((tool: { name: string }) => [tool.name, tool])) as Map<
        string,
        { state: string; shownAs: string }
      >;
      return (
        (tools.get("echo")?.state === "hidden" && tools.get("fail")?.shownAs === "t__break") || undefined
      );
    }, 60_000);
    const removed = await user.ask("POST", "/console/rows", { action: "remove", name: "t" });
    expect(removed.body.command).toBe("indus mcp remove --scope user -- t");
    expect(Object.keys(JSON.parse(readFileSync(opened.file, "utf8")).mcpServers)).toEqual(["s"]);
    for (const body of [
      {},
      { action: "edit" },
      { action: "add", name: "x", row: [] },
      { action: "other", name: "x", row: {} },
    ])
      expect((await user.ask("POST", "/console/rows", body)).status).toBe(400);
    // A client's file is shown before it is written, and its command undoes it.
    const preview = await user.ask("POST", "/console/connect/preview", { client: "cursor" });
    expect(preview.body).toMatchObject({
      command: "indus connect cursor",
      difference: expect.stringContaining("serve"),
    });
    const connected = await user.ask("POST", "/console/connect", { client: "cursor" });
    expect(connected.status).toBe(200);
    const { body: known } = await user.ask("GET", "/console/connect");
    const cursor = known.clients.find(({ id }: { id: string }) => id === "cursor");
    expect(cursor.places[0]).toMatchObject({ scope: "user", isConnected: true });
    expect((await user.ask("POST", "/console/connect", { client: "cursor", undo: true })).body.command).toBe(
      "indus connect cursor --undo",
    );
    expect((await user.ask("POST", "/console/connect", { client: "--undo" })).status).toBe(409);
  },
  TIMEOUT,
);

verifiesTogether(
  "console:tokens",
  "a token is made, shown once, used and revoked, and cannot open the console",
  async () => {
    await using dir = await tempDir();
    await using opened = await openedConsole(dir);
    const user = await opened.enter();
    const made = await user.ask("POST", "/console/tokens", {
      name: "ci",
      servers: ["s"],
      calls: 2,
      admin: true,
    });
    expect(made.body).toMatchObject({
      command: "indus token add --servers s --calls 2 -- ci",
      token: expect.stringMatching(/^indus_/),
    });
    const { token } = made.body;
    const listed = await user.ask("GET", "/console/tokens");
    expect(listed.body.tokens).toMatchObject([{ name: "ci", servers: ["s"], calls: 2 }]);
    expect(listed.body.tokens[0].admin).toBeUndefined();
    expect(listed.text).not.toMatch(/hash|indus_[0-9a-f]{10}_/);
    const client = await connectTo(new URL("/mcp", opened.base).href, { token });
    await client.listTools();
    await client.close();
    expect(
      (await opened.ask("POST", "/console/link", { headers: { authorization: `Bearer ${token}` } })).status,
    ).toBe(403);
    // A word of the page is never a flag of the command.
    await user.ask("POST", "/console/tokens", { name: "sly", servers: ["--admin"], tools: ["--admin"] });
    const sly = await user.ask("GET", "/console/tokens");
    expect(sly.body.tokens.filter(({ admin }: { admin?: boolean }) => admin)).toEqual([]);
    for (const name of ["--admin", "a b", ""])
      expect((await user.ask("POST", "/console/tokens", { name })).status).toBe(409);
    expect((await user.ask("DELETE", "/console/tokens/ci")).body.command).toBe("indus token revoke -- ci");
    await expect(connectTo(new URL("/mcp", opened.base).href, { token })).rejects.toThrow();
  },
  TIMEOUT,
);

verifiesTogether(
  "console:try",
  "a call, its question and its messages pass through the gateway in either era",
  async () => {
    await using dir = await tempDir();
    await using opened = await openedConsole(dir);
    const user = await opened.enter();
    await isUsable(user, "s");
    for (const era of ["legacy", "modern"] as const) {
      const { body: offer } = await user.ask("GET", `/console/try?era=${era}`);
      expect(offer.tools.map(({ name }: { name: string }) => name)).toContain("s__ask");
      const stream = await user.open("POST", "/console/try", {
        era,
        kind: "tool",
        name: "s__ask",
        arguments: {},
      });
      let id = "";
      const directions = new Set<string>();
      const methods = new Set<string>();
      let result: unknown;
      for await (const event of linesOf(stream)) {
        if (event.type === "begun") id = event.id;
        if (event.type === "message") {
          directions.add(event.direction);
          methods.add(event.message.method);
        }
        if (event.type === "question") {
          expect(event.request).toMatchObject({ kind: "form", schema: { type: "object" } });
          const answer = { question: event.question, action: "accept", content: { name: "Ada" } };
          expect((await user.ask("POST", `/console/try/${id}/answer`, answer)).status).toBe(200);
          expect((await user.ask("POST", `/console/try/${id}/answer`, answer)).status).toBe(409);
        }
        if (event.type === "failed") throw new Error(event.message);
        if (event.type === "result") result = event.result;
      }
      expect(JSON.stringify(result)).toContain("Ada");
      expect([...directions].toSorted()).toEqual(["received", "sent"]);
      expect(methods).toContain("tools/call");
      expect(methods.has("initialize")).toBe(era === "legacy");
    }
    // It is a call like any other: the trail has it.
    expect(
      (await user.ask("GET", "/console/calls?tool=s__ask&client=indus-console")).body.matching,
    ).toBeGreaterThanOrEqual(2);
    const unknown = await readAnswer(
      await user.open("POST", "/console/try", {
        era: "modern",
        kind: "tool",
        name: "nothing",
        arguments: {},
      }),
    );
    expect(unknown.text).toMatch(/"failed"|"isError":true/);
    expect((await user.ask("POST", "/console/try", { era: "new", kind: "tool", name: "x" })).status).toBe(
      400,
    );
  },
  TIMEOUT,
);

verifiesTogether(
  "console:apps",
  "an app's page is loaded once, under its policy, and the app reaches only its own server's tools for apps",
  async () => {
    await using dir = await tempDir();
    await using opened = await openedConsole(dir, {
      clock: { command: process.execPath, args: [apps, "modern"] },
      s: scriptedRow(),
    });
    const user = await opened.enter();
    await isUsable(user, "clock");
    await isUsable(user, "s");
    const { body: app } = await user.ask("POST", "/console/apps", { era: "modern", tool: "clock__clock" });
    expect(app).toMatchObject({ server: "clock", uri: "ui://clock/view.html" });
    const page = await opened.ask("GET", app.url, {
      headers: { "sec-fetch-dest": "iframe", "sec-fetch-site": "same-origin" },
    });
    expect(page.text).toBe("<h1>Clock</h1>");
    const policy = String(page.headers["content-security-policy"]);
    expect(policy).toContain("connect-src https://time.example.test;");
    expect(policy).toContain("sandbox allow-scripts allow-forms");
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("allow-same-origin");
    expect((await opened.ask("GET", app.url)).status).toBe(404);
    const { body: second } = await user.ask("POST", "/console/apps", { era: "modern", tool: "clock__clock" });
    expect(
      (await opened.ask("GET", second.url, { headers: { "sec-fetch-site": "cross-site" } })).status,
    ).toBe(404);
    const call = async (name: string): Promise<string> =>
      (
        await user.ask("POST", "/console/try", {
          era: "modern",
          kind: "tool",
          name,
          arguments: { time: "1" },
          app: app.id,
        })
      ).text;
    expect(await call("set")).toContain("set to 1");
    for (const other of ["s__echo", "echo", "clock__clock", "nothing"])
      expect(await call(other)).toContain("not_allowed");
    const resource = await user.ask("POST", "/console/try", {
      era: "modern",
      kind: "resource",
      uri: "file:///etc/passwd",
      app: app.id,
    });
    expect(resource.text).not.toContain("root:");
    const stranger = await opened.enter();
    expect(
      (
        await stranger.ask("POST", "/console/try", {
          era: "modern",
          kind: "tool",
          name: "set",
          arguments: {},
          app: app.id,
        })
      ).status,
    ).toBe(404);
    expect((await user.ask("POST", "/console/apps", { era: "modern", tool: "s__echo" })).status).toBe(404);
  },
  TIMEOUT,
);

/** The words of a command line after a shell has read it. */
function wordsOf(line: string): readonly string[] {
  const { stdout } = spawnSync("sh", ["-c", `printf '%s\\0' ${line}`], { encoding: "utf8" });
  return stdout.split("\0").slice(0, -1);
}

verifiesTogether(
  "console:commands",
  "what is shown for a server, tool or token with a name that is a program for a shell is a command of ours that names it",
  async () => {
    await using dir = await tempDir();
    const name = "a'b $(touch pasted); -x";
    await using opened = await openedConsole(dir, { [name]: scriptedRow(), broken: { command: "/nowhere" } });
    const user = await opened.enter();
    await isUsable(user, name);
    const of = `/console/servers/${encodeURIComponent(name)}`;
    const { body: detail } = await user.ask("GET", of);
    const tool = detail.tools.find(({ name: own }: { name: string }) => own === "echo").shownAs;
    const edited = { action: "edit", name, row: { ...scriptedRow(), env: { QUOTE: "it's $HOME" } } };
    const made = await user.ask("POST", "/console/tokens", { name: "ci", servers: [name] });
    const tokens = await user.ask("GET", "/console/tokens");
    const rename = { kind: "rename", tool, text: "say-it" };
    const asked = [
      made,
      await user.ask("POST", `${of}/restart`),
      await user.ask("POST", "/console/tools", { kind: "describe", tool, text: "`id` says" }),
      await user.ask("POST", "/console/tools", { kind: "hide", tool }),
      await user.ask("POST", "/console/tools", { kind: "show", tool }),
      await user.ask("POST", "/console/tools", rename),
      await user.ask("POST", `${of}/disable`),
      await user.ask("POST", `${of}/enable`),
      await user.ask("POST", "/console/connect/preview", { client: "cursor" }),
      await user.ask("POST", "/console/connect", { client: "cursor" }),
      await user.ask("POST", "/console/connect", { client: "cursor", undo: true }),
      await user.ask("DELETE", "/console/tokens/ci"),
      await user.ask("POST", "/console/rows/check", edited),
      await user.ask("POST", "/console/rows", edited),
      await user.ask("POST", "/console/rows", { action: "remove", name }),
    ];
    expect(asked.filter(({ status }) => status !== 200).map(({ body }) => body)).toEqual([]);
    const { body: snapshot } = await user.ask("GET", "/console/snapshot");
    const lines: readonly string[] = [
      ...asked.map(({ body }) => body.command),
      ...snapshot.problems.map(({ command }: { command: string }) => command),
      detail.logCommand,
      tokens.body.tokens[0].revoke,
    ];
    for (const line of lines) {
      const [program, ...words] = wordsOf(line);
      expect([line, program, parseArguments(words, COMMANDS).kind]).toEqual([line, "indus", "command"]);
    }
    expect(lines.filter((line) => wordsOf(line).includes(name)).length).toBeGreaterThan(6);
    expect(existsSync("pasted")).toBe(false);
    // A login finds its server in the usual files, so it has no flag for one of them.
    const login = await user.ask("POST", "/console/servers/broken/login");
    expect(login.body.error.message).not.toContain("unknown flag");
  },
  TIMEOUT,
);
