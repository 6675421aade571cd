import { mkdirSync } from "node:fs";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { openInputStore, stateRoot } from "../../../src/state/index.ts";
import { scriptedRow } from "../../bin/run-indus.ts";
import { scratchHome } from "../in-home.ts";

const PROJECT = "site/.indusvx/mcp.json";

verifies(
  "command:trust",
  "a project's server starts after it was shown and approved, and not after one byte changed",
  async () => {
    await using scratch = await scratchHome();
    const { indus } = scratch;
    const row = { ...scriptedRow(), env: { MODE: "\u001b[2J${MODE:-a}" }, pin: "warn" };
    scratch.write(PROJECT, { servers: { s: row } });
    const call = ["mcp", "call", "s__echo", "text=hi"];
    const before = await indus(...call);
    expect([before.code, before.out]).toEqual([1, ""]);

    const asked = await scratch.indusAsked(["no"], "mcp", "trust");
    expect(asked).toMatchObject({ code: 1, questions: ["Start this server from now on? [y/N] "] });
    expect(asked.out).toContain(`"${process.execPath}"`);
    expect(asked.out).toContain('"MODE" = "\\u001b[2J${MODE:-a}"');
    expect(asked.out).not.toContain("\u001b");
    expect(asked.out).toMatch(/^ {2}pin +"warn": changed tools are not held or withheld$/m);
    expect(asked.out).toMatch(/^ {2}launch hash [0-9a-f]{32}$/m);
    expect((await indus("mcp", "trust", "s")).err).toContain(
      "there is no terminal to ask on; run it again with --yes",
    );
    expect((await indus(...call)).code).toBe(1);

    expect((await scratch.indusAsked(["y"], "mcp", "trust", "s")).out).toContain("approved server s\n");
    expect((await indus(...call)).out).toBe("hi\n");
    expect((await indus("mcp", "trust")).out).toBe("no server of this project waits for approval\n");

    scratch.write(PROJECT, { servers: { s: { ...row, env: { MODE: "\u001b[2J${MODE:-b}" } } } });
    expect((await indus(...call)).code).toBe(1);
    expect((await indus("mcp", "trust", "--yes")).code).toBe(0);
    expect((await indus(...call)).code).toBe(0);
  },
);

verifies(
  "command:trust",
  "an untrusted server is named with the command that approves it, and untrust refuses every launch",
  async () => {
    await using scratch = await scratchHome();
    const { indus } = scratch;
    scratch.write(PROJECT, { servers: { s: { command: "x" } } });
    scratch.write(".config/indusvx/mcp.json", { servers: { mine: { command: "y" } } });
    expect((await indus("mcp", "list")).out).toContain("to approve it, run: indus mcp trust s (in a program");
    expect((await indus("mcp", "trust", "s", "--yes")).code).toBe(0);
    scratch.write(PROJECT, { servers: { s: { command: "x2" } } });
    await indus("mcp", "trust", "s", "--yes");
    const refused = await indus("mcp", "untrust", "s");
    expect(refused.out).toMatch(/^ +command +"x2"$/m);
    expect(refused.out).toContain("it is not started until you run: indus mcp trust s\n");
    // The launch that was approved first is not approved again by writing it back.
    scratch.write(PROJECT, { servers: { s: { command: "x" } } });
    expect((await indus("mcp", "get", "s")).out).toMatch(/^trust +not approved/m);
    scratch.write(PROJECT, { servers: { s: { command: "x2" } } });
    expect((await indus("mcp", "get", "s")).out).toMatch(/^trust +refused$/m);
    expect((await indus("mcp", "trust", "mine")).err).toContain(
      "it is in your own file and needs no approval",
    );
  },
);

verifies(
  "trust:members",
  "mcp trust shows everything that an approval covers, and what has changed since the last one",
  async () => {
    await using scratch = await scratchHome();
    const { indus } = scratch;
    scratch.write("site/.env", "API_KEY=secret-of-the-file\n");
    const row = { ...scriptedRow(), envFile: ".env", excludeTools: ["args"], required: true };
    const overrides = { echo: { name: "say", description: "\u001b[2JSays it." } };
    scratch.write(PROJECT, { servers: { s: { ...row, toolOverrides: overrides } } });
    const first = await indus("mcp", "trust", "--yes");
    expect(first.out).toMatch(/^ {2}variables of +"\.env"$/m);
    expect(first.out).toMatch(/^ {2}sets +"API_KEY"$/m);
    expect(first.out).toMatch(/^ {2}excludeTools +\["args"\]$/m);
    expect(first.out).toMatch(/^ {2}required +true$/m);
    expect(first.out).toContain('{"echo":{"name":"say","description":"\\u001b[2JSays it."}}');
    expect(first.out).not.toMatch(/\u001b|secret-of-the-file|changed since/);
    expect((await indus("mcp", "call", "s__say", "text=hi")).out).toBe("hi\n");

    // What a later commit of the project could bring: another tool under an approved name.
    scratch.write(PROJECT, { servers: { s: { ...row, toolOverrides: { fail: { name: "say" } } } } });
    const called = await indus("mcp", "call", "s__say", "text=hi");
    expect(called.code).toBe(1);
    const line =
      'server "s" waits for approval again: toolOverrides has changed since it was approved; indus mcp trust s shows it';
    expect(called.err).toContain(line);
    const listed = await indus("mcp", "list");
    expect(listed.err.split(line)).toHaveLength(2);
    const shown = await indus("mcp", "trust", "s", "--yes");
    expect(shown.out).toMatch(/^ {2}changed since it was approved: toolOverrides$/m);
    expect((await indus("mcp", "list")).err).not.toContain("waits for approval");
  },
);

verifies(
  "trust:own-edit",
  "what the user changes by a command stays approved; a row that waits for approval goes on waiting",
  async () => {
    await using scratch = await scratchHome();
    const { indus } = scratch;
    scratch.write("site/.env", "API_KEY=x\n");
    scratch.write(PROJECT, {
      servers: { s: { ...scriptedRow(), envFile: ".env" }, other: { command: "x" } },
    });
    const trustOf = async (name: string): Promise<string | undefined> =>
      /^trust +(.*?)(;.*)?$/m.exec((await indus("mcp", "get", name)).out)?.[1];
    expect((await indus("mcp", "trust", "s", "--yes")).code).toBe(0);
    for (const words of [
      ["rename", "s__echo", "say"],
      ["describe", "s__say", "Says it."],
      ["disable", "s__args"],
      ["enable", "s__args"],
    ]) {
      expect([words, (await indus("mcp", ...words)).code]).toEqual([words, 0]);
      expect([words, await trustOf("s")]).toEqual([words, "approved"]);
    }
    expect((await indus("mcp", "call", "s__say", "text=hi")).out).toBe("hi\n");
    expect((await indus("mcp", "disable", "other__x")).code).toBe(0);
    expect(await trustOf("other")).toBe("not approved");
    // A row that a user adds is approved with its file of variables and its other members.
    const added = JSON.stringify({ ...scriptedRow(), envFile: ".env", includeTools: ["echo"] });
    expect((await indus("mcp", "add-json", "--no-start", "mine", added, "--scope", "project")).code).toBe(0);
    expect(await trustOf("mine")).toBe("approved");
    expect((await indus("mcp", "call", "mine__echo", "text=hi")).out).toBe("hi\n");
  },
);

verifies(
  "trust:own-edit",
  "what the user adds and changes is approved also if its envFile is named by the home folder, an answer or a variable",
  async () => {
    await using scratch = await scratchHome({ env: { NAME: "x" } });
    const { indus } = scratch;
    scratch.write("x.env", "API_KEY=x\n");
    const root = stateRoot({ env: scratch.env }) ?? "";
    mkdirSync(root, { recursive: true, mode: 0o700 });
    await openInputStore(root).keep({ file: "f", id: "file" }, scratch.at("x.env"));
    const { command, args } = scriptedRow() as { readonly command: string; readonly args: readonly string[] };
    const rows = {
      home: { command, args, envFile: "${userHome}/x.env" },
      answer: { command, args, envFile: "${input:file}" },
      opencode: { type: "local", command: [command, ...args], envFile: "${userHome}/{env:NAME}.env" },
    };
    for (const [name, row] of Object.entries(rows)) {
      const added = await indus(
        "mcp",
        "add-json",
        "--no-start",
        name,
        JSON.stringify(row),
        "--scope",
        "project",
      );
      expect([name, added.code, added.err]).toEqual([name, 0, expect.not.stringContaining("not known here")]);
    }
    const waiting = async (): Promise<string> => (await indus("mcp", "trust")).out;
    expect(await waiting()).toBe("no server of this project waits for approval\n");
    for (const name of Object.keys(rows)) {
      expect((await indus("mcp", "describe", `${name}__echo`, "Says it.")).code).toBe(0);
      expect([name, (await indus("mcp", "get", name)).out]).toEqual([
        name,
        expect.stringMatching(/^trust +approved$/m),
      ]);
    }
    expect(await waiting()).toBe("no server of this project waits for approval\n");
  },
);

verifies(
  "trust:members",
  "mcp trust shows where a login sends the user and a secret; mcp get shows it without the secret",
  async () => {
    await using scratch = await scratchHome();
    const { indus } = scratch;
    const oauth = {
      clientId: "me",
      clientSecret: 'it\'s "secret"',
      authorizationServer: "https://login.example",
      scopes: ["a", "b"],
      callbackPort: 3118,
    };
    const url = "https://e.example/mcp";
    scratch.write(PROJECT, { servers: { s: { url, oauth }, none: { url, oauth: false } } });
    const { out } = await indus("mcp", "trust", "--yes");
    for (const line of [
      '"clientId" = "me"',
      '"clientSecret" = "it\'s \\"secret\\""',
      '"authorizationServer" = "https://login.example"',
      '"scopes" = ["a","b"]',
      '"callbackPort" = 3118',
      "false: no login",
    ])
      expect(out.replaceAll(/ +/g, " ")).toContain(` oauth ${line}\n`);
    for (const words of [
      ["get", "s"],
      ["get", "s", "--json"],
    ]) {
      const got = await indus("mcp", ...words);
      expect(got.out).toContain("https://login.example");
      expect(got.out).not.toContain('secret\\"');
    }
  },
);

verifies(
  "trust:bad-input",
  "a number that is too large, and long names in a project's file, stop no command and fill no screen",
  async () => {
    await using scratch = await scratchHome();
    const { indus } = scratch;
    const text = (more: string): string =>
      `{"servers":{"bad":{"command":"x","x":1e999${more}},"good":{"command":"y"}}}`;
    scratch.write(PROJECT, text(""));
    expect((await indus("mcp", "trust", "--yes")).code).toBe(0);
    expect((await indus("mcp", "get", "good")).out).toMatch(/^trust +approved$/m);
    expect((await indus("mcp", "add", "--no-start", "third", "--scope", "project", "--", "z")).code).toBe(0);
    expect(scratch.read(PROJECT)).toContain('"x":1e999');
    expect((await indus("mcp", "untrust", "bad")).code).toBe(0);
    expect((await indus("mcp", "get", "bad")).out).toMatch(/^trust +refused$/m);

    expect((await indus("mcp", "trust", "bad", "--yes")).code).toBe(0);
    scratch.write(PROJECT, text(`,"${"n".repeat(5_000)}":1`));
    const { out } = await indus("mcp", "trust", "bad");
    const changed = /^ {2}changed since it was approved: (.*)$/m.exec(out);
    expect(changed?.[1]).toMatch(/^n{100,127}…$/);
    for (const line of out.split("\n")) expect(line.length).toBeLessThan(300);
  },
);
