import { verifies } from "@indus/testkit";
import { expect } from "vitest";
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
    expect((await indus("mcp", "trust")).out).toBe("no server of this project waits for a decision\n");

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
    expect((await indus("mcp", "list")).err).toContain("to approve it, run: indus mcp trust s (in a program");
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
