import { atSize, tempDir, verifies } from "@indus/testkit";
import { localShell, makeLocalContext, processTool } from "indusagi/capabilities";
import { expect } from "vitest";
import { callContext } from "../../../src/capabilities/kernel/index.ts";
import { aliveWith, newMark } from "../../core/process-tree/tree-shapes.ts";

const only = ["linux"] as const;

verifies(
  "process:cap",
  "of two hundred concurrent starts fifty run, the others fail with the reason, and all end with the session",
  async () => {
    await using dir = await tempDir();
    const session = makeLocalContext(dir.path, { shell: localShell() });
    const tool = processTool();
    const run = (input: object) => {
      const call = { id: "c1", name: "process", input };
      return tool.invoke(call, callContext(session, call));
    };
    const mark = newMark();
    const starts = await Promise.all(
      Array.from({ length: 200 }, () => run({ action: "start", command: `exec sleep ${mark}` })),
    );
    const refused = starts.filter((start) => start.isError);
    expect(refused.length).toBe(150);
    expect(refused[0]?.output).toBe("process: 50 jobs are running, which is the limit; stop one first");
    expect(aliveWith(mark).length).toBe(50);

    await run({ action: "stop", id: "job-1" });
    expect((await run({ action: "start", command: `exec sleep ${mark}` })).isError).toBe(false);
    await session.close();
    expect(aliveWith(mark)).toEqual([]);
  },
  { only, timeoutMs: 60_000 },
);

verifies(
  "process:list",
  "the number of remembered ended jobs is limited",
  async () => {
    await using dir = await tempDir();
    await using session = makeLocalContext(dir.path, { shell: localShell() });
    const tool = processTool();
    const run = async (input: object): Promise<string> => {
      const call = { id: "c1", name: "process", input };
      return String((await tool.invoke(call, callContext(session, call))).output);
    };
    const crashes = atSize({ quick: 0, full: 300 });
    for (let crash = 0; crash < crashes; crash += 1) await run({ action: "start", command: "exit 1" });
    expect((await run({ action: "list" })).split("\n").length).toBeLessThanOrEqual(101);
  },
  { only, timeoutMs: 120_000 },
);
