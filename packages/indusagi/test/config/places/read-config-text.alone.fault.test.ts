import { execFileSync } from "node:child_process";
import { chmodSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { atSize, isRoot, ORDINARY_USER, runAsOrdinaryUser, spentMs, tempDir, verifies } from "@indus/testkit";
import { loadServerConfigs, MAX_CONFIG_BYTES, readConfigText } from "indusagi/config";
import { expect } from "vitest";

verifies(
  "config:read",
  "a FIFO, a device and a folder are refused at once",
  async () => {
    await using dir = await tempDir();
    const fifo = dir.at("fifo");
    execFileSync("mkfifo", [fifo]);
    const ms = await spentMs(() => {
      for (const path of [fifo, "/dev/zero", dir.path])
        expect(readConfigText(path), path).toEqual({ problem: "is not a regular file; use another path" });
    });
    expect(ms).toBeLessThan(atSize({ quick: 5000, full: 100 }));
    const { diagnostics, files } = loadServerConfigs({ places: [{ scope: "project", file: fifo }] });
    expect(diagnostics[0]?.message).toBe("the file is not a regular file; use another path");
    expect(files[0]?.state).toBe("unusable");
  },
  { only: ["linux", "darwin"] },
);

verifies(
  "config:read",
  "a sparse file of 100 MB is refused without reading; a file of exactly the budget is read",
  async () => {
    await using dir = await tempDir();
    const path = dir.at("big.json");
    writeFileSync(path, "{}");
    truncateSync(path, 100_000_000);
    const before = process.memoryUsage().rss;
    expect(readConfigText(path)).toEqual({ problem: "is larger than 4 MiB; make it smaller" });
    expect(process.memoryUsage().rss - before).toBeLessThan(50_000_000);
    writeFileSync(path, `{}${" ".repeat(MAX_CONFIG_BYTES - 2)}`);
    expect(readConfigText(path)).toHaveProperty("text.length", MAX_CONFIG_BYTES);
    truncateSync(path, MAX_CONFIG_BYTES + 1);
    expect(readConfigText(path)).toHaveProperty("problem");
  },
);

verifies(
  "config:read",
  "a file with a wrong size is bounded by the bytes read",
  () => {
    expect(readConfigText("/proc/self/status")).toHaveProperty("text");
  },
  { only: ["linux"] },
);

verifies(
  "config:read",
  "links are followed, and a broken link counts as absent",
  async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at("a"), "\uFEFF{}", { mode: 0o600 });
    symlinkSync("a", dir.at("b"));
    symlinkSync("nowhere", dir.at("c"));
    symlinkSync("d", dir.at("d"));
    expect(readConfigText(dir.at("b"))).toEqual({ text: "\uFEFF{}" });
    expect(readConfigText(dir.at("c"))).toMatchObject({ isAbsent: true });
    expect(readConfigText(dir.at("d"))).toMatchObject({ problem: expect.stringContaining("ELOOP") });
    expect(readConfigText(dir.at("a/b"))).toMatchObject({ isAbsent: true });
    expect(readConfigText("a\0b")).toHaveProperty("problem");
  },
  { only: ["linux", "darwin"] },
);

verifies("config:read", "a file that is not UTF-8 is reported", async () => {
  await using dir = await tempDir();
  writeFileSync(dir.at("a"), Buffer.from("\uFEFF{}", "utf16le"));
  expect(readConfigText(dir.at("a"))).toEqual({ problem: "is not UTF-8 text; save it as UTF-8" });
});

verifies(
  "config:read",
  "a file without read permission is reported with the error code",
  async () => {
    await using dir = await tempDir();
    chmodSync(dir.path, 0o755);
    writeFileSync(dir.at("a"), "{}");
    chmodSync(dir.at("a"), 0);
    const program = new URL("read-config-program.ts", import.meta.url);
    expect(await runAsOrdinaryUser(program, dir.at("a"))).toEqual({
      uid: isRoot ? ORDINARY_USER : process.getuid?.(),
      reading: { problem: expect.stringContaining("EACCES") },
    });
  },
  { only: ["linux", "darwin"] },
);
