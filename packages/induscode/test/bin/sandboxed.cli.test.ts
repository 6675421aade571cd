import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { aliveWith, becomesTrue, newMark } from "../../../indusagi/test/core/process-tree/tree-shapes.ts";
import { calling, printRun } from "../commands/session/print-run.ts";
import { canSandbox } from "../policy/sandbox/can-sandbox.ts";
import { startIndus } from "./run-indus.ts";

const LIMIT_MS = 60_000;

verifies(
  "sandbox:litter",
  "kill -9 of the program ends its command in the sandbox, and nothing is left in the project",
  async () => {
    const mark = newMark();
    await using test = await printRun([
      calling(["bash", { command: `(setsid env -i sleep ${mark} &); sleep ${mark}` }]),
      calling(["bash", { command: "echo $TMPDIR > made.txt" }]),
      { text: "Done." },
    ]);
    execFileSync("git", ["init", "-q"], { cwd: test.project });
    const started = { cwd: test.project, env: { ...test.env, TMPDIR: test.at() } };
    using killed = startIndus(["-p", "Go."], started);
    killed.child.stdin.end();
    expect(await becomesTrue(() => aliveWith(`sleep\0${mark}`).length > 1, LIMIT_MS)).toBe(true);
    expect(JSON.parse(test.read(".mcp.json"))).toEqual({ mcpServers: {} });
    killed.child.kill("SIGKILL");
    await killed.ended;
    expect(await becomesTrue(() => aliveWith(mark).length === 0, LIMIT_MS)).toBe(true);
    // The watchdog removes what took the protected names.
    expect(await becomesTrue(() => readdirSync(test.project).length === 1, LIMIT_MS)).toBe(true);
    expect(readdirSync(test.project)).toEqual([".git"]);

    using next = startIndus(["-p", "Go."], started);
    next.child.stdin.end();
    expect({ code: await next.ended, out: next.out(), err: next.err() }).toEqual({
      code: 0,
      out: "Done.\n",
      err: "",
    });
    expect(test.read("made.txt")).toBe("/tmp\n");
    expect(readdirSync(test.project).toSorted()).toEqual([".git", "made.txt"]);
    const scratch = (): string[] =>
      readdirSync(test.at()).filter((name) => name.startsWith("indus-sandbox-"));
    expect(await becomesTrue(() => scratch().length === 0, LIMIT_MS)).toBe(true);
  },
  { when: canSandbox, timeoutMs: LIMIT_MS },
);
