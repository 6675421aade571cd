import { execFileSync } from "node:child_process";
import { symlink } from "node:fs/promises";
import { createServer } from "node:net";
import { verifies } from "@indus/testkit";
import { localFs } from "indusagi/capabilities";
import { expect } from "vitest";
import { session } from "../../session.ts";

verifies(
  "faults:d4-special-files",
  "pipes, sockets, devices and folders are refused at once, by name or through a link",
  async () => {
    await using at = await session({ read: "any", write: "any" });
    execFileSync("mkfifo", [at.dir.at("pipe")]);
    const server = createServer().listen(at.dir.at("socket"));
    await symlink("/dev/zero", at.dir.at("zero"));
    await symlink("pipe", at.dir.at("to-pipe"));
    const cases: [string, RegExp][] = [
      ["pipe", /: is a pipe, not a regular file: /],
      ["to-pipe", /: is a pipe, not a regular file: /],
      ["socket", /: is a socket, not a regular file: /],
      ["zero", /: is a device, not a regular file: /],
      ["/dev/zero", /: is a device, not a regular file: /],
      ["/dev/tty", /: is a device, not a regular file: /],
      ["/dev/null", /: is a device, not a regular file: /],
      ["/dev", /is a directory/],
      ["/", /is a directory/],
    ];
    const started = performance.now();
    for (const [path, message] of cases) {
      expect(await at.fails("read", { path })).toMatch(message);
      expect(await at.fails("write", { path, content: "x" })).toMatch(message);
      expect(await at.fails("edit", { path, oldText: "a", newText: "b" })).toMatch(message);
    }
    expect(performance.now() - started).toBeLessThan(10_000);
    await expect(localFs().writeFile(at.dir.at("pipe"), "x")).rejects.toMatchObject({ kind: "not_a_file" });
    await expect(localFs().readBytes("/dev/zero")).rejects.toMatchObject({ kind: "not_a_file" });
    expect(await at.text("ls", {})).toContain("other -  pipe");
    server.close();
  },
  { only: ["linux", "darwin"] },
);

verifies(
  "faults:d4-special-files",
  "files that are made as they are read do not hold us",
  async () => {
    await using at = await session({ read: "any" });
    // Reading the kernel's log waits for news; whatever the answer is, it must come.
    const started = performance.now();
    await at.call("read", { path: "/proc/kmsg" });
    expect(await at.text("read", { path: "/proc/self/status" })).toContain("Name:");
    expect(performance.now() - started).toBeLessThan(10_000);
  },
  { only: ["linux"] },
);
