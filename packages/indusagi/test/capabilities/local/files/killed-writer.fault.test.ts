import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { atSize, recordFigure, tempDir, verifies } from "@indus/testkit";
import { localFs } from "indusagi/capabilities";
import { afterAll, beforeAll, expect } from "vitest";
import { buildFileProgram, type FileProgram } from "./file-program-host.ts";

let program: FileProgram;
beforeAll(async () => {
  program = await buildFileProgram();
});
afterAll(() => program[Symbol.asyncDispose]());

const BYTES = 1024 * 1024;

/** Whether the content is one of the two possible states: full length and all of one letter. */
function isWhole(content: Buffer): boolean {
  return (
    content.length === BYTES &&
    (content.equals(Buffer.alloc(BYTES, "a")) || content.equals(Buffer.alloc(BYTES, "b")))
  );
}

verifies(
  "faults:d7-kill",
  "a writer killed at any moment leaves the old or the new content, and its leftovers are removed",
  async () => {
    await using dir = await tempDir();
    const path = dir.at("f");
    await writeFile(path, Buffer.alloc(BYTES, "a"));
    const rounds = atSize({ quick: 10, full: 500 });
    let leftovers = 0;
    for (let round = 0; round < rounds; round++) {
      const child = program.start({ do: "write for ever", path, bytes: BYTES });
      const exited = once(child, "exit");
      if (child.stdout) await once(child.stdout, "data");
      await sleep(Math.random() * 40);
      child.kill("SIGKILL");
      await exited;
      expect(isWhole(await readFile(path)), `round ${round}`).toBe(true);
      // Every second time the next writer removes the leftovers of several.
      if (round % 2 === 0) continue;
      leftovers += (await readdir(dir.path)).length - 1;
      await localFs({ sweepAfterMs: 0 }).writeFile(path, Buffer.alloc(BYTES, "b"));
      expect(await readdir(dir.path)).toEqual(["f"]);
    }
    recordFigure({
      what: "D7 kill -9 of a writer of 1 MB",
      size: `${rounds} kills`,
      found: `0 torn files; ${leftovers} leftovers, all swept`,
    });
  },
);
