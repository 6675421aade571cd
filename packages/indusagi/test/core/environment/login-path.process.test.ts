import { chmodSync, writeFileSync } from "node:fs";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import { lacksLoginPath, loginPath } from "indusagi/core";
import { expect } from "vitest";

const DESKTOP = { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", SHELL: "/bin/sh" };
const POSIX = { only: ["linux", "darwin"] } as const;

/** A shell that does what a script says. */
function fakeShell(dir: TempDir, script: string): string {
  const path = dir.at("bash");
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

verifies(
  "env:login-path",
  "only a desktop start is repaired",
  () => {
    const lacks = (env: object, platform: NodeJS.Platform = "linux"): boolean =>
      lacksLoginPath({ env: { ...DESKTOP, ...env }, platform });
    expect(lacks({})).toBe(true);
    expect(lacks({}, "darwin")).toBe(true);
    expect(lacks({}, "win32")).toBe(false);
    expect(lacks({ TERM: "xterm" })).toBe(false);
    expect(lacks({ SHLVL: "1" })).toBe(false);
    expect(lacks({ PATH: undefined })).toBe(false);
    expect(lacks({ PATH: `${DESKTOP.PATH}:/home/me/bin` })).toBe(false);
    for (const SHELL of ["/usr/sbin/nologin", "bash", "/opt/custom"]) expect(lacks({ SHELL })).toBe(false);
  },
  POSIX,
);

verifies(
  "env:login-path",
  "the files of a real login shell add their folders before ours",
  async () => {
    await using dir = await tempDir();
    writeFileSync(
      dir.at(".profile"),
      `echo noise; echo more >&2; PATH="/opt/mine/bin:relative:$PATH"; export PATH\n`,
    );
    const path = await loginPath({ env: { ...DESKTOP, HOME: dir.path }, timeoutMs: 30_000 });
    const folders = path?.split(":") ?? [];
    expect(folders).toContain("/opt/mine/bin");
    expect(folders).not.toContain("relative");
    expect(folders).toEqual(expect.arrayContaining(DESKTOP.PATH.split(":")));
    expect(new Set(folders).size).toBe(folders.length);
  },
  POSIX,
);

verifies(
  "env:login-path",
  "a shell that hangs, fails, floods or prints nothing changes nothing",
  async () => {
    for (const script of ["sleep 600", "exit 1", "yes", "true", "echo /opt/without/marks"]) {
      await using dir = await tempDir();
      const env = { ...DESKTOP, HOME: dir.path, SHELL: fakeShell(dir, script) };
      expect(await loginPath({ env, timeoutMs: 300 }), script).toBeUndefined();
    }
    expect(await loginPath({ env: { ...DESKTOP, TERM: "xterm" } })).toBeUndefined();
  },
  POSIX,
);
