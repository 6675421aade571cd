import { writeFile } from "node:fs/promises";
import { atSize, tempDir, verifies } from "@indus/testkit";
import { type ProcessTree, startTree } from "indusagi/core";
import { expect } from "vitest";
import {
  aliveWith,
  becomesTrue,
  contentOf,
  environmentClearers,
  hasBeenSeen,
  lateEnvironmentClearer,
  newMark,
  SHAPES,
} from "../tree-shapes.ts";

const env = { PATH: process.env["PATH"] };
const only = ["linux"] as const;

/** Starts a command line and waits until its processes are running. */
async function startShape(command: string, stdin: "pipe" | "ignore" = "ignore"): Promise<ProcessTree> {
  let said = "";
  const tree = await startTree("/bin/bash", ["-c", command], {
    env,
    stdin,
    onStdout: (chunk) => void (said += chunk.toString()),
  });
  expect(await becomesTrue(() => said.includes("ready"))).toBe(true);
  return tree;
}

for (const [shape, command] of Object.entries(SHAPES)) {
  verifies(
    "tree:end",
    `nothing is left of ${shape} after end()`,
    async () => {
      for (let round = 0; round < atSize({ quick: 1, full: 50 }); round += 1) {
        const mark = newMark();
        const tree = await startShape(command(mark));
        // A process that is just replacing itself has no command line for a moment.
        expect(await becomesTrue(() => aliveWith(mark).length > 0)).toBe(true);
        const end = await tree.end({ graceMs: 150 });
        expect(aliveWith(mark)).toEqual([]);
        expect(end.survivors).toEqual([]);
      }
    },
    { only, timeoutMs: 120_000 },
  );
}

verifies(
  "tree:end",
  "no process is left of a chain of fifty, nor of a group that keeps forking",
  async () => {
    const mark = newMark();
    const chain = await startShape(
      `f() { if [ $1 = 0 ]; then echo ready; sleep ${mark}; else (f $(($1 - 1)); true); fi; }; f 50`,
    );
    expect(aliveWith(mark).length).toBeGreaterThan(50);
    await chain.end({ graceMs: 50 });
    expect(aliveWith(mark)).toEqual([]);

    const crowd = await startShape(
      `trap '' TERM; for i in 1 2 3 4 5; do (while :; do setsid sleep ${mark} & sleep 0.05; done) & done; sleep 0.2; echo ready; wait`,
    );
    const end = await crowd.end({ graceMs: 50 });
    expect(end.survivors).toEqual([]);
    expect(aliveWith(mark)).toEqual([]);
  },
  { only, timeoutMs: 60_000 },
);

verifies(
  "tree:leftovers",
  "when a command exits by itself, its background processes are ended",
  async () => {
    const mark = newMark();
    const tree = await startTree(
      "/bin/bash",
      ["-c", `sleep ${mark} & (setsid sleep ${mark} &); trap '' TERM; sleep ${mark} & exit 3`],
      {
        env,
      },
    );
    expect(await tree.exited).toEqual({ code: 3, signal: null });
    expect(await tree.gone).toEqual({ code: 3, signal: null, survivors: [] });
    expect(aliveWith(mark)).toEqual([]);
  },
  { only },
);

verifies(
  "tree:memory",
  "a process that leaves group, session and parent and then clears its environment is still ended",
  async () => {
    await using dir = await tempDir();
    const mark = newMark();
    const startedMs = performance.now();
    const tree = await startShape(lateEnvironmentClearer(mark, dir.at("go")));
    await hasBeenSeen(startedMs);
    await writeFile(dir.at("go"), "");
    expect(await becomesTrue(() => environmentClearers(mark).length === 1)).toBe(true);
    const [late = 0] = environmentClearers(mark);
    expect(contentOf(late, "environ")).toBe("");
    await tree.end({ graceMs: 100 });
    expect(aliveWith(mark)).toEqual([]);
  },
  { only },
);

const QUIET = "</dev/null >/dev/null 2>&1";

/** Each lacks one of the three conditions under which a process leaves its tree. */
const STILL_MEMBERS: { readonly [shape: string]: (mark: string) => string } = {
  "with the cookie": (mark) => `setsid --fork sleep ${mark} ${QUIET}`,
  "in the same session": (mark) => `(env -u INDUS_TREE sleep ${mark} ${QUIET} &)`,
  "with its parent": (mark) => `env -u INDUS_TREE setsid sleep ${mark} ${QUIET} &`,
};

/** Runs a command line that leaves a process in the background, ends the tree, and returns the processes left. */
async function leftBy(command: string, mark: string): Promise<number[]> {
  const startedMs = performance.now();
  const tree = await startShape(`${command}\necho ready; exec sleep ${mark}`);
  expect(await becomesTrue(() => aliveWith(mark).length === 2)).toBe(true);
  await hasBeenSeen(startedMs);
  expect((await tree.end({ graceMs: 100 })).survivors).toEqual([]);
  return aliveWith(mark);
}

verifies(
  "tree:release",
  "a program that is started without the cookie, in a new session and without a parent outlives the tree",
  async () => {
    let left: number[] = [];
    // Another try, if a scan happened to come between the fork and the exit of setsid.
    for (let round = 0; round < 5 && left.length === 0; round += 1) {
      const mark = newMark();
      left = await leftBy(`env -u INDUS_TREE setsid --fork sleep ${mark} ${QUIET}`, mark);
    }
    expect(left).toHaveLength(1);
    for (const pid of left) process.kill(pid, "SIGKILL");
  },
  { only },
);

for (const [shape, command] of Object.entries(STILL_MEMBERS)) {
  verifies(
    "tree:release",
    `a background program ${shape} is ended with the tree`,
    async () => {
      const mark = newMark();
      expect(await leftBy(command(mark), mark)).toEqual([]);
    },
    { only },
  );
}

verifies(
  "tree:ladder",
  "end of input comes first, then SIGTERM; only a process that ignores both is killed",
  async () => {
    const listens = await startShape("echo ready; cat; exit 7", "pipe");
    expect(await listens.end({ graceMs: 5_000 })).toEqual({ code: 7, signal: null, survivors: [] });

    const tidy = await startShape("trap 'exit 8' TERM; echo ready; while :; do sleep 0.02; done", "pipe");
    expect(await tidy.end({ graceMs: 300 })).toEqual({ code: 8, signal: null, survivors: [] });

    const stubborn = await startShape("trap '' TERM; echo ready; while :; do sleep 0.02; done", "pipe");
    const [first, second] = await Promise.all([
      stubborn.end({ graceMs: 100 }),
      stubborn.end({ graceMs: 60_000 }),
    ]);
    expect(first).toEqual({ code: null, signal: "SIGKILL", survivors: [] });
    expect(second).toEqual(first);
    expect(await stubborn.end()).toEqual(first);
  },
  { only },
);
