import { readdir, readFile } from "node:fs/promises";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import {
  bashTool,
  type LocalContext,
  type LocalContextOptions,
  localShell,
  makeLocalContext,
  processTool,
  type Shell,
  type ShellExit,
  withSignal,
} from "indusagi/capabilities";
import type { ToolOutcome } from "indusagi/runtime";
import { expect } from "vitest";
import { callContext } from "../../../src/capabilities/kernel/index.ts";
import { jobTableOf } from "../../../src/capabilities/process/job-table.ts";
import { aliveWith, becomesTrue, newMark } from "../../core/process-tree/tree-shapes.ts";

const only = ["linux"] as const;

function sessionIn(dir: TempDir, options: LocalContextOptions = {}): LocalContext {
  return makeLocalContext(dir.path, { shell: localShell(), ...options });
}

async function run(
  session: LocalContext,
  input: object,
  tool = processTool(),
): Promise<ToolOutcome & { text: string }> {
  const call = { id: "c1", name: tool.name, input };
  // A new tool and a new signal each time: jobs belong to the session.
  const context = withSignal(callContext(session, call), new AbortController().signal);
  const outcome = await tool.invoke(call, context);
  return { ...outcome, text: String(outcome.output) };
}

/** Long enough for a quick command on a busy machine. */
const patient = processTool({ settleMs: 10_000 });

/** Polls until the text appears; returns everything polled. */
async function pollUntil(session: LocalContext, id: string, text: string): Promise<string> {
  let polled = "";
  const deadlineMs = performance.now() + 10_000;
  while (!polled.includes(text) && performance.now() < deadlineMs) {
    polled += (await run(session, { action: "poll", id })).text;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return polled;
}

verifies(
  "process:start",
  "jobs are numbered and keep running; one that fails at once is an error with its output",
  async () => {
    await using dir = await tempDir();
    await using session = sessionIn(dir);
    const mark = newMark();
    const first = await run(session, { action: "start", command: `sleep ${mark}` });
    expect(first.isError).toBe(false);
    expect(first.text).toMatch(
      /^job-1 \(pid \d+\): running for \d+ ms\nlog: \.indus-process\/job-1-\w+\.log\n/,
    );
    expect(aliveWith(mark).length).toBe(1);
    const failed = await run(session, { action: "start", command: "echo oops >&2; exit 7" }, patient);
    expect(failed.isError).toBe(true);
    expect(failed.text).toMatch(/^job-2 \(pid \d+\): exit code 7 after \d+ ms\nlog: .*\noops\n$/);
    const quick = await run(session, { action: "start", command: "echo fine" }, patient);
    expect(quick).toMatchObject({ isError: false });
    expect(quick.text).toMatch(/job-3 .*exit code 0 after[^]*fine\n$/);
  },
  { only },
);

verifies(
  "process:poll",
  "a poll returns new output in whole characters, then nothing; of much output only the end",
  async () => {
    await using dir = await tempDir();
    await using session = sessionIn(dir);
    await run(session, {
      action: "start",
      command:
        "printf 'one \\xe2'; while [ ! -e go ]; do sleep 0.01; done; printf '\\x9c\\x93 two\\n'; sleep 60",
    });
    expect(await pollUntil(session, "job-1", "one")).toMatch(/\none $/);
    expect((await run(session, { action: "poll", id: "job-1" })).text).toMatch(
      /running for .*\nlog: .*\n\(no new output\)$/,
    );
    await run(session, { command: "touch go" }, bashTool());
    expect(await pollUntil(session, "job-1", "two")).toMatch(/\n✓ two\n$/);

    await run(session, {
      action: "start",
      command: "yes 'sixteen letters' | head -n 10000; sleep 0.4; exit 5",
    });
    let last = "";
    const hasEnded = async (): Promise<boolean> => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return (await run(session, { action: "list" })).text.includes("exit code 5");
    };
    while (!(await hasEnded()));
    last = (await run(session, { action: "poll", id: "job-2" })).text;
    expect(last).toMatch(
      /^job-2 .*exit code 5 after .*\nlog: .*\n\[\.\.\. 127232 bytes skipped; they are in the log \.\.\.\]\n/,
    );
    expect(Buffer.byteLength(last)).toBeLessThan(33 * 1024);
    expect((await run(session, { action: "poll", id: "job-2" })).text).toContain("(no new output)");
  },
  { only },
);

verifies(
  "process:list",
  "the table shows every job with status and command",
  async () => {
    await using dir = await tempDir();
    await using session = sessionIn(dir);
    expect((await run(session, { action: "list" })).text).toBe("no jobs");
    await run(session, { action: "start", command: "sleep 60 #\x1b[31m" });
    await run(session, { action: "start", command: "exit 2" }, patient);
    const lines = (await run(session, { action: "list" })).text.split("\n");
    expect(lines[0]).toMatch(/^ID +STATUS +COMMAND$/);
    expect(lines[1]).toMatch(/^job-1 +running for \d+ \w+ +sleep 60 #\\x1b\[31m$/);
    expect(lines[2]).toMatch(/^job-2 +exit code 2 after \d+ ms +exit 2$/);
  },
  { only },
);

verifies(
  "process:list",
  "of more than a hundred ended jobs those that ended first are dropped, not those that started first",
  async () => {
    await using dir = await tempDir();
    const exits: ((exit: ShellExit) => void)[] = [];
    const shell: Shell = {
      ...localShell(),
      spawn: async () => ({
        pid: 1,
        kill: () => {},
        end: async () => ({ code: 0 }),
        onExit: (listener) => {
          exits.push(listener);
          return () => {};
        },
      }),
    };
    await using session = sessionIn(dir, { shell });
    const ctx = callContext(session, { id: "c1", name: "process", input: {} });
    const table = jobTableOf(ctx);
    for (let job = 0; job < 102; job += 1) await table.start("true", ctx);
    const [first, ...others] = exits;
    for (const exit of others) exit({ code: 0 });
    first?.({ code: 0 });
    const known = table.list().map((job) => job.id);
    expect(known.length).toBe(100);
    expect(known.slice(0, 2)).toEqual(["job-1", "job-4"]);
  },
);

verifies(
  "process:stop",
  "stop ends the whole tree and reports the exit; a second stop reports that it had already ended",
  async () => {
    await using dir = await tempDir();
    await using session = sessionIn(dir);
    const mark = newMark();
    await run(session, { action: "start", command: `(setsid sleep ${mark} &); sleep ${mark} & wait` });
    expect(aliveWith(mark).length).toBeGreaterThan(1);
    const stopped = await run(session, { action: "stop", id: "job-1" });
    expect(stopped).toMatchObject({ isError: false });
    expect(stopped.text).toMatch(/^stopped, with everything it started\njob-1 .*ended by SIGTERM after/);
    expect(aliveWith(mark)).toEqual([]);
    const again = await run(session, { action: "stop", id: "job-1" });
    expect(again).toMatchObject({ isError: false });
    expect(again.text).toMatch(/^job-1 had already ended\njob-1 .*ended by SIGTERM/);
  },
  { only },
);

verifies(
  "process:fields",
  "missing fields and unknown ids are named, with the known ids",
  async () => {
    await using dir = await tempDir();
    await using session = sessionIn(dir);
    expect((await run(session, {})).text).toBe('process: "action" is missing');
    expect((await run(session, { action: "jump" })).text).toMatch(
      /"action" must be one of "start", "list", "poll", "stop"/,
    );
    expect((await run(session, { action: "start" })).text).toMatch(/"command" is missing/);
    expect((await run(session, { action: "poll" })).text).toMatch(/"id" is missing; .*known jobs: none/);
    await run(session, { action: "start", command: "sleep 60" });
    const unknown = await run(session, { action: "stop", id: "job-9" });
    expect(unknown).toMatchObject({
      isError: true,
      text: 'process: there is no job "job-9"; known jobs: job-1',
    });
  },
  { only },
);

verifies(
  "process:session",
  "sessions have separate jobs, and a closed session leaves no process and no log",
  async () => {
    await using dir = await tempDir();
    await using one = sessionIn(dir);
    await using two = sessionIn(dir);
    const mark = newMark();
    await run(one, { action: "start", command: `(setsid sleep ${mark} &); sleep ${mark}` });
    expect((await run(two, { action: "list" })).text).toBe("no jobs");
    expect((await run(two, { action: "start", command: "sleep 60" })).text).toMatch(/^job-1 /);
    await one.close();
    expect(await becomesTrue(() => aliveWith(mark).length === 0)).toBe(true);
    expect((await readdir(dir.at(".indus-process"))).length).toBe(2);
    const late = await run(one, { action: "start", command: "sleep 60" });
    expect(late).toMatchObject({
      isError: true,
      text: "process: the session has ended; no job can be started",
    });
  },
  { only },
);

verifies(
  "process:session",
  "a start during the end of its session is refused and leaves no process and no log",
  async () => {
    await using dir = await tempDir();
    const session = sessionIn(dir);
    const mark = newMark();
    // The first call loads the tool's code, which takes longer than closing the session.
    const started = run(session, { action: "start", command: `sleep ${mark}` });
    await session.close();
    expect(await started).toMatchObject({
      isError: true,
      text: "process: the session has ended; no job can be started",
    });
    expect(aliveWith(mark)).toEqual([]);
    expect(await readdir(dir.path)).toEqual([]);
  },
  { only },
);

verifies(
  "process:captures",
  "logs are in .indus-process, which git ignores, and no link redirects them",
  async () => {
    await using dir = await tempDir();
    await using session = sessionIn(dir);
    await run(session, { action: "start", command: "echo kept; sleep 60" });
    expect(await readFile(dir.at(".indus-process", ".gitignore"), "utf8")).toBe("*\n");
    const [log = ""] = (await readdir(dir.at(".indus-process"))).filter((name) => name.endsWith(".log"));
    expect(await readFile(dir.at(".indus-process", log), "utf8")).toBe("kept\n");

    await using outside = await tempDir();
    await using trap = await tempDir();
    await run(session, { command: `ln -s ${outside.path} ${trap.at(".indus-process")}` }, bashTool());
    await using trapped = sessionIn(trap);
    const refused = await run(trapped, { action: "start", command: "echo stray" });
    expect(refused).toMatchObject({ isError: true });
    expect(refused.text).toContain("outside the folders");
    expect(await readdir(outside.path)).toEqual([]);
  },
  { only },
);

verifies(
  "secrets:canary",
  "a secret in our environment appears in no output, no file and no error",
  async () => {
    await using dir = await tempDir();
    const canary = `canary-${newMark()}`;
    const names = [
      "GITHUB_TOKEN",
      "OPENAI_API_KEY",
      "AWS_SECRET_ACCESS_KEY",
      "NODE_OPTIONS_X",
      "LD_PRELOAD_X",
      "INDUS_GATEWAY_TOKEN",
      "LC_SECRET",
    ];
    for (const name of names) process.env[name] = canary;
    try {
      await using session = sessionIn(dir, { budget: { kind: "middle", maxBytes: 500 } });
      const outputs: string[] = [];
      for (const command of [
        "env; set; export -p",
        "cat /proc/$$/environ",
        "seq 1 1000; env",
        "exit 3",
        "no-such-command",
      ]) {
        outputs.push((await run(session, { command }, bashTool())).text);
        outputs.push((await run(session, { action: "start", command })).text);
      }
      outputs.push((await run(session, { command: "env", cwd: "missing" }, bashTool())).text);
      outputs.push((await run(session, { action: "list" })).text);
      for (const file of await readdir(dir.at(".indus-process"))) {
        outputs.push(await readFile(dir.at(".indus-process", file), "utf8"));
      }
      expect(outputs.length).toBeGreaterThan(15);
      expect(outputs.filter((output) => output.includes(canary))).toEqual([]);
    } finally {
      for (const name of names) delete process.env[name];
    }
  },
  { only },
);
