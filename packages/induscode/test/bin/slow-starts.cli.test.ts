import { rm } from "node:fs/promises";
import { verifiesTogether } from "@indus/testkit";
import { expect } from "vitest";
import { printRun } from "../commands/session/print-run.ts";
import { runIndus, writeConfig } from "./run-indus.ts";
import { connectScripted, gatedRow, mountedNames } from "./scripted-client.ts";

const TIMEOUT_MS = 180_000;
/** Less than each of these waited for a row that never answers (20 s and 30 s), and more than 3 s on a busy machine. */
const MUCH_MS = 15_000;

verifiesTogether(
  "catalogue:slow-starts",
  "a row that never answers delays a first list and then a -p a little, and after that nothing, not even with --wait",
  async () => {
    await using test = await printRun([{ text: "One." }, { text: "Two." }]);
    const { project: cwd, env } = test;
    const row = { command: "sleep", args: ["1000"], timeouts: { connectMs: 600_000 } };
    const file = await writeConfig(test.at("servers.json"), { mute: row, good: gatedRow() });
    const took = async (work: () => Promise<unknown>): Promise<boolean> => {
      const beganMs = performance.now();
      await work();
      return performance.now() - beganMs < MUCH_MS;
    };
    const listed = async (...flags: string[]): Promise<readonly string[] | undefined> => {
      using client = await connectScripted("any", ["--mcp", file, ...flags], { cwd, env });
      const names = mountedNames(await client.result(client.request("tools/list")));
      for (const method of ["prompts/list", "resources/list"])
        expect(await client.result(client.request(method)), method).toBeDefined();
      client.indus.child.stdin.end();
      await client.indus.ended;
      return names;
    };
    // 1: the gateway ends while the row is still starting.
    expect(await took(async () => expect(await listed()).toEqual(["good__t0"]))).toBe(true);
    // 2: a run of one prompt.
    const once = async (): Promise<{ readonly out: string; readonly err: string }> => {
      const { out, err } = await runIndus(["-p", "--mcp", file, "Hi"], { cwd, env });
      return { out, err };
    };
    const missing = 'indus: server "mute" is still starting; this run continues without its tools';
    expect(
      await took(async () =>
        expect(await once()).toEqual({ out: "One.\n", err: `${missing}; --wait SECONDS waits longer\n` }),
      ),
    ).toBe(true);
    // 3: a client that waited would get no answer in this test, and a prompt would wait for half a minute.
    expect(await listed("--wait", "600")).toEqual(["good__t0"]);
    expect(await once()).toEqual({
      out: "Two.\n",
      err: 'indus: server "mute" did not answer in its last starts, so nothing waits for it; this run continues without its tools; to find out why, run: indus mcp doctor mute\n',
    });
  },
  { timeoutMs: TIMEOUT_MS, only: ["linux"] },
);

verifiesTogether(
  "catalogue:slow-starts",
  "a server that works before it answers is waited for",
  async () => {
    await using test = await printRun([]);
    const { project: cwd, env } = test;
    // Longer than a row without a sign of work is waited for.
    const program = `const untilMs = Date.now() + 4000; while (Date.now() < untilMs); import(${JSON.stringify(new URL("../../../../test/servers/gated.mjs", import.meta.url).href)})`;
    const row = { command: process.execPath, args: ["-e", program] };
    const file = await writeConfig(test.at("servers.json"), { slow: row });
    using client = await connectScripted("any", ["--mcp", file], { cwd, env });
    expect(mountedNames(await client.result(client.request("tools/list")))).toEqual(["slow__t0"]);
  },
  { timeoutMs: TIMEOUT_MS },
);

verifiesTogether(
  "catalogue:failing-server",
  "a call still starts a server that is not waited for, and its good start clears what was counted",
  async () => {
    await using test = await printRun([]);
    const { project: cwd, env } = test;
    const fail = test.at("fail");
    const file = await writeConfig(test.at("servers.json"), { s: gatedRow("--fail", fail) });
    await writeConfig(fail, {});
    for (let time = 0; time < 2; time++) await runIndus(["mcp", "list", "--mcp", file], { cwd, env });
    await rm(fail);
    const { code, out } = await runIndus(["mcp", "call", "s__t0", "--mcp", file], { cwd, env });
    expect({ code, out }).toEqual({ code: 0, out: "called t0\n" });
    // Its tools are known again, so a client that never waits gets them.
    using client = await connectScripted("any", ["--mcp", file, "--wait", "0"], { cwd, env });
    expect(mountedNames(await client.result(client.request("tools/list")))).toEqual(["s__t0"]);
  },
  { timeoutMs: TIMEOUT_MS },
);
