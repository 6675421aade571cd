import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { runIndus, scriptedRow, writeConfig } from "./run-indus.ts";

verifies(
  "command:mcp-list",
  "where each server comes from, its state and cost, and the remedy of a broken one",
  async () => {
    await using dir = await tempDir();
    const file = await writeConfig(dir.at("servers.json"), {
      good: scriptedRow(),
      gone: { command: "no-such-program-anywhere" },
      off: { command: "whatever", enabled: false },
    });
    const [table, json] = await Promise.all([
      runIndus(["mcp", "list", "--mcp", file]),
      runIndus(["mcp", "list", "--mcp", file, "--json"]),
    ]);
    expect(table.code).toBe(0);
    expect(table.err).toBe("");
    expect(table.out).toMatch(
      /^SERVER +ORIGIN +TRUST +STATE +TOOLS +EST\. TOKENS +NOTE\ngood +.*servers\.json +given +ready +\d+ +\d+ +-\n/,
    );
    expect(table.out).toMatch(
      /^gone +\S+ +given +failed +- +- +.*no-such-program-anywhere.*; install it, or check "command"/m,
    );
    expect(table.out).toMatch(/^off +\S+ +given +disabled +- +- +.*"enabled": true/m);
    const { servers, tools } = JSON.parse(json.out) as {
      readonly servers: readonly {
        readonly server: string;
        readonly phase: string;
        readonly ms: number;
        readonly trust: string;
        readonly estimatedTokens?: number;
        readonly origin: { readonly scope: string; readonly file: string };
      }[];
      readonly tools: readonly { readonly name: string; readonly origin: object }[];
    };
    expect(servers.map(({ server, phase }) => [server, phase])).toEqual([
      ["good", "ready"],
      ["gone", "faulted"],
      ["off", "idle"],
    ]);
    expect(servers[0]?.ms).toBeGreaterThan(10);
    expect(servers[0]).toMatchObject({ trust: "given", origin: { scope: "explicit", file } });
    expect(servers.map(({ estimatedTokens }) => estimatedTokens)).toEqual([
      expect.any(Number),
      undefined,
      undefined,
    ]);
    expect(tools[0]).toMatchObject({ name: "good__echo", origin: { server: "good", tool: "echo" } });
  },
);

verifies("command:mcp-list", "no working server, or a broken required one, is exit code 1", async () => {
  await using dir = await tempDir();
  const gone = { command: "no-such-program-anywhere" };
  const files = await Promise.all([
    writeConfig(dir.at("none.json"), { gone }),
    writeConfig(dir.at("required.json"), { good: scriptedRow(), gone: { ...gone, required: true } }),
  ]);
  const runs = await Promise.all(files.map((file) => runIndus(["mcp", "list", "--mcp", file])));
  expect(runs.map(({ code }) => code)).toEqual([1, 1]);
});

verifies("command:list-failed", "a server whose listing fails is not shown as ready", async () => {
  await using dir = await tempDir();
  const program = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    const result = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } };
    const error = { code: -32603, message: "the database is locked" };
    const answer = method === "initialize" ? { result } : { error };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  })`;
  const locked = { command: process.execPath, args: ["-e", program.replaceAll("\n", " ")] };
  const [alone, both] = await Promise.all([
    writeConfig(dir.at("alone.json"), { locked }),
    writeConfig(dir.at("both.json"), { locked, good: scriptedRow() }),
  ]);
  const [failed, passed, strict] = await Promise.all([
    runIndus(["mcp", "list", "--mcp", alone]),
    runIndus(["mcp", "list", "--mcp", both]),
    runIndus(["mcp", "list", "--mcp", both, "--exit-code", "--json"]),
  ]);
  expect(failed.out).toMatch(/^locked +\S+ +given +list failed +- +- +.*the database is locked/m);
  expect([failed.code, passed.code, strict.code]).toEqual([1, 0, 1]);
  expect(JSON.parse(strict.out)).toMatchObject({
    servers: [{ listFailure: expect.stringContaining("the database is locked") }, { phase: "ready" }],
  });
});

verifies(
  "command:exit-code",
  "--exit-code fails for any failed server, and not for a disabled one",
  async () => {
    await using dir = await tempDir();
    const off = { command: "whatever", enabled: false };
    const [fine, broken] = await Promise.all([
      writeConfig(dir.at("fine.json"), { good: scriptedRow(), off }),
      writeConfig(dir.at("broken.json"), {
        good: scriptedRow(),
        gone: { command: "no-such-program-anywhere" },
      }),
    ]);
    const runs = await Promise.all(
      [fine, broken].map((file) => runIndus(["mcp", "list", "--exit-code", "--mcp", file])),
    );
    expect(runs.map(({ code }) => code)).toEqual([0, 1]);
  },
);

verifies("command:mcp-call", "text, other content, failures and JSON go to the right stream", async () => {
  await using dir = await tempDir();
  const mute = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] };
  const [one, two] = await Promise.all([
    writeConfig(dir.at("one.json"), { s: scriptedRow() }),
    writeConfig(dir.at("two.json"), { mute, s: scriptedRow() }),
  ]);
  const call = (...words: string[]): ReturnType<typeof runIndus> =>
    runIndus(["mcp", "call", ...words, "--mcp", one]);
  const [echo, args, blocks, failed, json, late] = await Promise.all([
    runIndus(["mcp", "call", "s__echo", "text=hello world", "--mcp", two]),
    call("s__args", "a:=[1,2]", "b=x", "--args", '{"b":1,"c":null}', "--no-check"),
    call("s__blocks", "--save-to", dir.at("files")),
    call("s__fail"),
    call("s__odd", "--json"),
    call("s__silent", "--timeout", "0.6"),
  ]);
  expect(echo).toEqual({ code: 0, out: "hello world\n", err: "" });
  expect(JSON.parse(args.out)).toEqual({ a: [1, 2], b: "x", c: null });
  expect(blocks.code).toBe(0);
  expect(blocks.out).toMatch(
    /^plain\nwith extras\nimage\/png, 1 bytes: .*[\\/]1\.png\naudio\/wav, 1 bytes: /,
  );
  expect(failed).toEqual({ code: 1, out: "", err: "it went wrong\n" });
  expect(JSON.parse(json.out)).toMatchObject({ structuredContent: { a: 1 }, _meta: { k: "v" } });
  expect(late).toMatchObject({ code: 1, out: "" });
  expect(late.err).toBe("indus: no answer from s__silent within 600 ms; allow more time with --timeout\n");
});

verifies("command:check", "a call that does not fit the schema is not sent, unless asked for", async () => {
  await using dir = await tempDir();
  const units = fileURLToPath(new URL("../../demo/units.mjs", import.meta.url));
  const row = { command: process.execPath, args: [units] };
  const file = await writeConfig(dir.at("servers.json"), { units: row });
  const convert = (...words: string[]): ReturnType<typeof runIndus> =>
    runIndus(["mcp", "call", "units__convert", ...words, "--mcp", file]);
  const [good, missing, wrong, unknown, sent] = await Promise.all([
    convert("amount=3", "from=ft", "to=m"),
    convert("amount=3", "from=ft"),
    convert("amount=three", "from=ft", "to=m"),
    convert("amount=3", "from=ft", "to=m", "form=x"),
    convert("amount=three", "from=ft", "to=m", "--no-check"),
  ]);
  expect(good).toMatchObject({ code: 0, err: "" });
  for (const [{ code, out, err }, problem] of [
    [missing, '"to" is missing'],
    [wrong, '"amount" must be a number, got "three"'],
    [unknown, '"form" is not an argument of this tool'],
  ] as const) {
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(
      `indus: units__convert: ${problem}; it takes: units__convert(amount: number, from: "m" |`,
    );
  }
  expect(sent.code).not.toBe(2);
});

verifies(
  "command:required",
  "an unusable row of a required server is one line, and nothing is served or listed",
  async () => {
    await using dir = await tempDir();
    const must = { ...scriptedRow(), required: true, env: { T: "${INDUS_NOT_SET}" } };
    const file = await writeConfig(dir.at("servers.json"), { good: scriptedRow(), must });
    const [list, serve, call] = await Promise.all([
      runIndus(["mcp", "list", "--mcp", file]),
      runIndus(["serve", "--stdio", "--mcp", file]),
      runIndus(["mcp", "call", "good__echo", "text=there", "--mcp", file]),
    ]);
    const dropped = /^indus: .*servers\.json:\d+: error: server "must".* INDUS_NOT_SET,.*\n/;
    for (const { code, out, err } of [list, serve]) {
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toMatch(dropped);
      expect(err.replace(dropped, "")).toBe(
        'indus: server "must" is required, but its row cannot be used; correct it or set "required": false\n',
      );
    }
    // One call does not need the other servers.
    expect(call).toEqual({ code: 0, out: "there\n", err: expect.stringMatching(dropped) });
    expect(call.err.replace(dropped, "")).toBe("");
  },
);

verifies("command:unknown-tool", "a similar name is suggested", async () => {
  await using dir = await tempDir();
  const file = await writeConfig(dir.at("servers.json"), { s: scriptedRow() });
  expect(await runIndus(["mcp", "call", "ecco", "--mcp", file])).toEqual({
    code: 2,
    out: "",
    err: 'indus: there is no tool named "ecco"; did you mean s__echo?\n',
  });
});

verifies(
  "command:config-lines",
  "a dropped row, an invalid file and a missing file are reported",
  async () => {
    await using dir = await tempDir();
    await writeFile(dir.at("rows.json"), '{ "mcpServers": {\n "odd": {}\n} }');
    await writeFile(dir.at("torn.json"), '{ "mcpServers": {\n "a"');
    const files = ["rows.json", "torn.json", "absent.json"].flatMap((file) => ["--mcp", file]);
    const { code, out, err } = await runIndus(["mcp", "list", ...files], { cwd: dir.path });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err.trimEnd().split("\n")).toEqual([
      expect.stringMatching(/^indus: rows\.json:2: error: server "odd"/),
      expect.stringMatching(/^indus: torn\.json:2: error: the file /),
      expect.stringMatching(/^indus: absent\.json:1: error: the file does not exist/),
    ]);
  },
);
