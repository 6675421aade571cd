import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { atSize, type TempDir, tempDir, verifies } from "@indus/testkit";
import { build } from "esbuild";
import { parseServerConfig, writeServerConfig } from "indusagi/config";
import { afterAll, beforeAll, expect } from "vitest";
import type { WriterTask } from "./config-writer.ts";

let program: TempDir;
beforeAll(async () => {
  program = await tempDir();
  await build({
    entryPoints: [fileURLToPath(new URL("config-writer.ts", import.meta.url))],
    outfile: program.at("config-writer.mjs"),
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["@indus/source"],
    // So that it finds the libraries that are loaded on first use.
    define: { "import.meta.url": JSON.stringify(import.meta.url) },
    logLevel: "error",
  });
  await chmod(program.path, 0o755); // Another user must be able to load it.
});
afterAll(() => program[Symbol.asyncDispose]());

function start(task: WriterTask): ChildProcess {
  const child = spawn(process.execPath, [program.at("config-writer.mjs")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(JSON.stringify(task));
  return child;
}

const NOBODY = 65_534;
const GROUP = 1234;

if (process.getuid?.() === 0) {
  /** Saves as a user who may replace the file but not give it away, and returns what the new file is. */
  const savedBy = async (groups: readonly number[], old: { uid: number; gid: number; mode: number }) => {
    await using dir = await tempDir();
    chmodSync(dir.path, 0o777);
    const path = dir.at("mcp.json");
    writeFileSync(path, "{}");
    chownSync(path, old.uid, old.gid);
    chmodSync(path, old.mode);
    const [code] = await once(start({ do: "save", path, uid: NOBODY, gid: NOBODY, groups }), "exit");
    expect(code).toBe(0);
    expect(parseServerConfig(readFileSync(path, "utf8")).servers).toHaveLength(1);
    const { uid, gid, mode } = statSync(path);
    return { uid, gid, mode: mode & 0o7777 };
  };

  verifies(
    "config:write-rights",
    "a group that cannot be kept leaves nothing for the members of the new one",
    async () => {
      // Its owner is not a member of its group: chown is refused, and the new file belongs to the writer's own group.
      const old = { uid: NOBODY, gid: GROUP, mode: 0o640 };
      expect(await savedBy([], old)).toEqual({ uid: NOBODY, gid: NOBODY, mode: 0o600 });
    },
  );

  verifies("config:write-rights", "a group that can be kept is kept when the owner cannot be", async () => {
    const old = { uid: 0, gid: GROUP, mode: 0o660 };
    expect(await savedBy([GROUP], old)).toEqual({ uid: NOBODY, gid: GROUP, mode: 0o660 });
  });

  verifies(
    "config:write-rights",
    "the file of another user that is replaced through the folder gains no rights",
    async () => {
      const old = { uid: 0, gid: GROUP, mode: 0o4674 };
      expect(await savedBy([], old)).toEqual({ uid: NOBODY, gid: NOBODY, mode: 0o644 });
    },
  );
}

verifies(
  "config:write-leftovers",
  "a writer killed at any moment leaves a whole file, and the next save removes its leftovers",
  async () => {
    await using dir = await tempDir();
    const path = dir.at("mcp.json");
    writeServerConfig(path, { servers: {} });
    let leftovers = 0;
    const rounds = atSize({ quick: 5, full: 200 });
    for (let round = 0; round < rounds || (leftovers === 0 && round < 50); round += 1) {
      const child = start({ do: "save for ever", path, behindMs: 120_000 });
      const exited = once(child, "exit");
      if (child.stdout) await once(child.stdout, "data");
      await sleep(Math.random() * 40);
      // Every second time in the middle of a write.
      const isWriting = (): boolean => readdirSync(dir.path).length > 1;
      if (round % 2 === 0) while (child.exitCode === null && !isWriting()) await sleep(0);
      child.kill("SIGKILL");
      await exited;
      expect(parseServerConfig(readFileSync(path, "utf8")).diagnostics).toEqual([]);
      leftovers += readdirSync(dir.path).length - 1;
      writeServerConfig(path, { servers: {} });
      expect(readdirSync(dir.path)).toEqual(["mcp.json"]);
    }
    expect(leftovers).toBeGreaterThan(0);
  },
  { timeoutMs: 120_000 },
);
