import { spawnSync } from "node:child_process";
import { homedir, userInfo } from "node:os";
import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";

const indus = fileURLToPath(new URL("../packages/induscode/bin/indus.js", import.meta.url));

verifies(
  "state:test-home",
  "a command of a test finds no configuration of whoever runs the tests",
  async () => {
    expect(homedir()).not.toBe(userInfo().homedir);
    await using dir = await tempDir();
    const run = spawnSync(process.execPath, [indus, "mcp", "list"], { cwd: dir.path, encoding: "utf8" });
    expect(run).toMatchObject({ status: 1, stderr: expect.stringContaining("no servers are configured") });
  },
);
