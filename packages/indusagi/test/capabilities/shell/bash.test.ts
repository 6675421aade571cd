import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import {
  bashTool,
  type LocalContext,
  type LocalContextOptions,
  localShell,
  makeLocalContext,
  type Shell,
} from "indusagi/capabilities";
import type { Caller, ProgressNote, ToolOutcome } from "indusagi/runtime";
import { expect } from "vitest";
import { callContext } from "../../../src/capabilities/kernel/index.ts";
import { aliveWith, newMark } from "../../core/process-tree/tree-shapes.ts";

const only = ["linux", "darwin"] as const;
const patient = { timeout: 10_000, interval: 20 } as const;
const bash = bashTool();

function sessionIn(dir: TempDir, options: LocalContextOptions = {}): LocalContext {
  return makeLocalContext(dir.path, { shell: localShell(), ...options });
}

interface RunOptions {
  readonly signal?: AbortSignal;
  readonly caller?: Caller;
}

function run(
  session: LocalContext,
  input: object,
  { signal, caller }: RunOptions = {},
): Promise<ToolOutcome> {
  const call = { id: "c1", name: "bash", input };
  return bash.invoke(call, callContext(session, call, signal, caller));
}

verifies(
  "bash:sections",
  "each stream has a heading, the status is always present, and a failure is an error result",
  async () => {
    await using dir = await tempDir();
    await using session = sessionIn(dir);
    const both = await run(session, { command: "echo out; printf err >&2" });
    expect(both).toMatchObject({
      isError: false,
      output: "[stdout]\nout\n[stderr]\nerr\n[status] exit code 0",
    });
    const silent = await run(session, { command: "true" });
    expect(silent).toMatchObject({ isError: false, output: "(no output)\n[status] exit code 0" });
    const failed = await run(session, { command: "echo why >&2; exit 3" });
    expect(failed).toMatchObject({ isError: true, output: "[stderr]\nwhy\n[status] exit code 3" });
    const killed = await run(session, { command: "kill -9 $$" });
    expect(killed).toMatchObject({ isError: true, output: "(no output)\n[status] ended by SIGKILL" });
    const inner = await run(session, { command: "sh -c 'kill -9 $$'; exit $?" });
    expect(inner.output).toContain("exit code 137 (a program in it was ended by SIGKILL)");
    expect(await readdir(dir.path)).toEqual([]);
  },
  { only },
);

verifies(
  "bash:limits",
  "a timeout is reported with its duration, and more than ten minutes is refused",
  async () => {
    await using dir = await tempDir();
    await using session = sessionIn(dir);
    const mark = newMark();
    const late = await run(session, { command: `echo begun; sleep ${mark}`, timeoutMs: "300" });
    expect(late.isError).toBe(true);
    expect(late.output).toBe(
      "[stdout]\nbegun\n[status] timed out after 300 ms: the command and every process it started were stopped (ended by SIGTERM)",
    );
    expect(aliveWith(mark)).toEqual([]);
    const refused = await run(session, { command: "true", timeoutMs: 600_001 });
    expect(refused).toMatchObject({
      isError: true,
      output: 'bash: "timeoutMs" must be at most 600000, got 600001',
    });
    expect((await run(session, {})).output).toBe('bash: "command" is missing');

    let given: number | undefined;
    const spy: typeof session.shell = {
      ...session.shell,
      exec: async (_command, options) => {
        given = options?.timeoutMs;
        return { stdout: "", stderr: "", code: 0 };
      },
    };
    await using other = sessionIn(dir, { shell: spy });
    await run(other, { command: "true" });
    expect(given).toBe(120_000);
  },
  { only: ["linux"] },
);

verifies(
  "bash:budget",
  "long output is cut to the budget; the file with the whole output is named, ignored by git and removed with the session",
  async () => {
    await using dir = await tempDir();
    for (const kind of ["middle", "head", "tail"] as const) {
      await using session = sessionIn(dir, { budget: { kind, maxBytes: 1_000 } });
      const { output } = await run(session, { command: "seq 1 5000" });
      const text = String(output);
      expect(Buffer.byteLength(text)).toBeLessThan(1_500);
      expect(text.includes("\n1\n2\n")).toBe(kind !== "tail");
      expect(text.includes("4999\n5000\n")).toBe(kind !== "head");
      expect(text).toMatch(
        /\[status\] exit code 0\n\[output\] 2\d{4} bytes omitted above; the whole output, up to 64 MiB, is in \.indus-process\/output-/,
      );
      const [, path = ""] = /is in (\S+):/.exec(text) ?? [];
      expect(await readFile(dir.at(path), "utf8")).toMatch(/^1\n2\n[^]*\n5000\n$/);
      expect(await readFile(dir.at(".indus-process", ".gitignore"), "utf8")).toBe("*\n");
      await session.close();
      expect(await readdir(dir.at(".indus-process"))).toEqual([".gitignore"]);
    }
  },
  { only },
);

verifies(
  "context:close",
  "closing a session ends its commands and their descendants, removes their files and refuses new ones",
  async () => {
    await using dir = await tempDir();
    const session = sessionIn(dir, { budget: { kind: "middle", maxBytes: 1_000 } });
    const mark = newMark();
    const running = run(session, { command: `seq 1 5000; (sleep ${mark} &); sleep ${mark}` });
    await expect.poll(() => aliveWith(mark).length, patient).toBeGreaterThanOrEqual(2);
    await expect.poll(() => readdir(dir.at(".indus-process")).catch(() => []), patient).toHaveLength(1);
    await session.close();
    expect(aliveWith(mark)).toEqual([]);
    expect(await readdir(dir.at(".indus-process"))).toEqual([]);
    const refusal = { isError: true, output: "bash: the session is closed, so its commands were stopped" };
    expect(await running).toMatchObject(refusal);
    expect(await run(session, { command: "touch made" })).toMatchObject(refusal);
    expect(await readdir(dir.path)).toEqual([".indus-process"]);
  },
  { only },
);

verifies("context:close", "a command that ends while its session closes leaves no file", async () => {
  await using dir = await tempDir();
  let answer = (): void => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let commands = 0;
  const shell: Shell = {
    ...localShell(),
    exec: async () => {
      if (++commands > 1) await asked;
      return { stdout: "a".repeat(900), stderr: "b".repeat(800), code: 0 };
    },
  };
  const session = sessionIn(dir, { shell, budget: { kind: "middle", maxBytes: 1_000 } });
  await run(session, { command: "seq" });
  const late = run(session, { command: "seq" });
  await expect.poll(() => commands, patient).toBe(2);
  const closed = session.close();
  answer();
  await closed;
  expect((await late).output).toContain(".indus-process/output-");
  await expect.poll(() => readdir(dir.at(".indus-process")), patient).toEqual([".gitignore"]);
});

verifies(
  "bash:budget",
  "two streams that fit alone but not together share the budget, and a file has the whole output",
  async () => {
    await using dir = await tempDir();
    await using session = sessionIn(dir, { budget: { kind: "middle", maxBytes: 1_000 } });
    const { output } = await run(session, {
      command: "printf 'a%.0s' $(seq 900); printf 'b%.0s' $(seq 800) >&2",
    });
    const text = String(output);
    expect(text.match(/a{200,}/g)?.length).toBe(2);
    expect(text.match(/b{200,}/g)?.length).toBe(2);
    const [, path = ""] = /is in (\S+):/.exec(text) ?? [];
    expect(await readFile(dir.at(path), "utf8")).toBe("a".repeat(900) + "b".repeat(800));
  },
  { only },
);

verifies(
  "bash:place",
  "the whole output is in the place of the session, and nothing in the folder",
  async () => {
    await using dir = await tempDir();
    await mkdir(dir.at("project"));
    const place = { folder: dir.at("results"), howToRead: (path: string) => `ask for ${basename(path)}` };
    const session = makeLocalContext(dir.at("project"), {
      shell: localShell(),
      budget: { kind: "middle", maxBytes: 1_000 },
      outputPlace: place,
    });
    const commands = ["seq 1 5000", "printf 'a%.0s' $(seq 900); printf 'b%.0s' $(seq 800) >&2"];
    for (const [at, command] of commands.entries()) {
      const text = String((await run(session, { command })).output);
      const [, path = "", name] = /is in (\S+): ask for (\S+)$/.exec(text) ?? [];
      expect(path).toBe(dir.at("results", name ?? "none"));
      const whole = await session.fs.readText(path);
      expect(whole).toMatch([/^1\n2\n[^]*\n5000\n$/, /^a{900}b{800}$/][at] ?? /never/);
      await expect(session.fs.writeFile(path, "x")).rejects.toThrow();
    }
    await session.close();
    expect(await readdir(dir.at("results"))).toHaveLength(2);
    expect(await readdir(dir.at("project"))).toEqual([]);
    // A place that cannot be used: the command still has its answer.
    await writeFile(dir.at("file"), "");
    await using other = makeLocalContext(dir.at("project"), {
      shell: localShell(),
      budget: { kind: "middle", maxBytes: 1_000 },
      outputPlace: { folder: dir.at("file") },
    });
    for (const command of commands)
      expect(String((await run(other, { command })).output)).toMatch(
        /bytes omitted above; they could not be kept/,
      );
  },
  { only },
);

verifies(
  "bash:progress",
  "the last line reaches the caller while the command runs, each note greater than the one before",
  async () => {
    await using dir = await tempDir();
    await using session = sessionIn(dir);
    const notes: ProgressNote[] = [];
    let answered = false;
    let late = 0;
    const progress = (note: ProgressNote): void => {
      notes.push(note);
      if (answered) late += 1;
    };
    const caller: Caller = { key: "k", can: {}, progress };
    const command =
      "for i in 1 2 3 4; do printf '\\033[32mline %s\\033[0m\\n' $i; sleep 0.15; done; printf 'at 99%%\\rat 100%%'";
    await run(session, { command }, { caller });
    answered = true;
    expect(notes.length).toBeGreaterThanOrEqual(3);
    expect(notes[0]?.message).toBe("line 1");
    expect(notes.at(-1)?.message).toBe("at 100%");
    expect(
      notes.every((note, index) => index === 0 || note.progress > (notes[index - 1]?.progress ?? 0)),
    ).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(late).toBe(0);
  },
  { only },
);

verifies(
  "bash:cwd",
  "relative folders start at the session's folder; a missing one is named",
  async () => {
    await using dir = await tempDir();
    await using session = sessionIn(dir);
    await mkdir(dir.at("sub"));
    expect((await run(session, { command: "pwd" })).output).toContain(`\n${dir.path}\n`);
    expect((await run(session, { command: "pwd", cwd: "sub" })).output).toContain(`\n${dir.at("sub")}\n`);
    const missing = await run(session, { command: "pwd", cwd: "none" });
    expect(missing.isError).toBe(true);
    expect(missing.output).toMatch(/^bash: could not start .*the working directory ".*none" does not exist$/);
  },
  { only },
);

verifies(
  "bash:errors",
  "a command that is too long or has a NUL, and a missing shell, are error results",
  async () => {
    await using dir = await tempDir();
    await using session = sessionIn(dir);
    expect((await run(session, { command: `: ${"x".repeat(3_000_000)}` })).output).toMatch(
      /^bash: .*too long/,
    );
    expect((await run(session, { command: "echo a\0b" })).output).toMatch(/^bash: .*NUL/);
    await using noShell = sessionIn(dir, { shell: localShell({ shellPath: dir.at("no-shell") }) });
    expect((await run(noShell, { command: "true" })).output).toMatch(
      /^bash: could not start ".*no-shell": there is no such command$/,
    );
  },
  { only: ["linux"] },
);

verifies(
  "bash:errors",
  "an abort gives an aborted outcome and ends the tree",
  async () => {
    await using dir = await tempDir();
    await using session = sessionIn(dir);
    const mark = newMark();
    const outcome = await run(session, { command: `sleep ${mark}` }, { signal: AbortSignal.timeout(100) });
    expect(outcome).toMatchObject({ isError: true, fault: { reason: "aborted" } });
    const deadlineMs = performance.now() + 5_000;
    while (aliveWith(mark).length > 0 && performance.now() < deadlineMs) await new Promise(setImmediate);
    expect(aliveWith(mark)).toEqual([]);
  },
  { only: ["linux"] },
);

verifies(
  "bash:plain",
  "colours and control characters of a program do not reach the model",
  async () => {
    await using dir = await tempDir();
    await using session = sessionIn(dir);
    const { output } = await run(session, { command: "printf '\\033[31mred\\033[0m\\a \\000ok\\n'" });
    expect(output).toBe("[stdout]\nred ok\n[status] exit code 0");
  },
  { only },
);
