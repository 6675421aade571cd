import { chmodSync, statSync, writeFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { openPathCache } from "../../../src/servers/open/path-cache.ts";

const HOUR = 60 * 60 * 1000;

verifies(
  "env:login-path",
  "what the shell answered is kept for a day, unless the shell, PATH or a file of the shell changes",
  async () => {
    await using dir = await tempDir();
    const env = { HOME: dir.path, SHELL: "/bin/sh", PATH: "/usr/bin" };
    const at = (hours: number, change: object = {}) =>
      openPathCache(dir.path, { env: { ...env, ...change }, nowMs: 1_000_000_000 + hours * HOUR });
    expect(at(0).read()).toBeUndefined();
    at(0).write("/home/bin:/usr/bin");
    expect(at(23).read()).toBe("/home/bin:/usr/bin");
    expect(at(25).read()).toBeUndefined();
    expect(at(-1).read()).toBeUndefined(); // The clock was changed.
    expect(at(1, { SHELL: "/bin/zsh" }).read()).toBeUndefined();
    expect(at(1, { PATH: "/bin" }).read()).toBeUndefined();
    if (process.platform !== "win32") {
      expect(statSync(dir.at("login-path.json")).mode & 0o777).toBe(0o600);
      chmodSync(dir.at("login-path.json"), 0o644);
      expect(at(1).read()).toBeUndefined(); // Somebody else may have written it.
      at(0).write("/home/bin");
      chmodSync(dir.at("login-path.json"), 0o600);
    }
    writeFileSync(dir.at(".profile"), "export PATH=/other");
    expect(at(1).read()).toBeUndefined();
    writeFileSync(dir.at("login-path.json"), "{");
    expect(at(1).read()).toBeUndefined();
    openPathCache(dir.at("missing"), { env }).write("/bin"); // It is not kept, and nothing fails.
  },
);
