import { execFileSync } from "node:child_process";
import { chmod, chown, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { isRoot, ORDINARY_USER, tempDir, verifies } from "@indus/testkit";
import { afterAll, beforeAll, expect } from "vitest";
import { locateRipgrep } from "../../../../src/capabilities/search/ripgrep/run-ripgrep.ts";
import { buildFileProgram, type FileProgram } from "./file-program-host.ts";

let program: FileProgram;
beforeAll(async () => {
  program = await buildFileProgram();
});
afterAll(() => program[Symbol.asyncDispose]());

const read = (path: string) => ({ name: "read", input: { path } });
const write = (path: string) => ({ name: "write", input: { path, content: "new" } });
const edit = (path: string) => ({ name: "edit", input: { path, oldText: "old", newText: "new" } });

verifies(
  "faults:d6-permission",
  "a file that the user may not read or write is a typed failure and stays unchanged",
  async () => {
    await using dir = await tempDir();
    await chmod(dir.path, 0o777);
    const make = async (name: string, mode: number): Promise<void> => {
      await writeFile(dir.at(name), "old");
      await chmod(dir.at(name), mode);
      if (isRoot) await chown(dir.at(name), ORDINARY_USER, ORDINARY_USER);
    };
    await make("unreadable", 0o000);
    await make("read-only", 0o444);
    for (const [name, mode] of [
      ["locked", 0o000],
      ["frozen", 0o555],
    ] as const) {
      await mkdir(dir.at(name));
      await writeFile(dir.at(name, "f"), "old");
      await chmod(dir.at(name, "f"), 0o666);
      await chmod(dir.at(name), mode);
    }
    const cases: [{ name: string; input: object }, RegExp][] = [
      [read("unreadable"), /^read: permission denied: .*\/unreadable$/],
      [edit("unreadable"), /^edit: permission denied: /],
      [edit("read-only"), /^edit: permission denied: .*\/read-only$/],
      [write("read-only"), /^write: permission denied: /],
      [read("locked/f"), /^read: permission denied: /],
      [{ name: "ls", input: { path: "locked" } }, /^ls: permission denied: /],
      [edit("frozen/f"), /^edit: permission denied: .*\/frozen\/f$/],
      [write("frozen/new"), /^write: permission denied: /],
      [write("frozen/sub/new"), /^write: permission denied: /],
    ];
    const reports = await program.run({
      do: "calls",
      cwd: dir.path,
      uid: ORDINARY_USER,
      calls: cases.map(([call]) => call),
    });
    for (const [index, [call, message]] of cases.entries()) {
      expect(reports[index], JSON.stringify(call)).toEqual({
        isError: true,
        output: expect.stringMatching(message) as string,
      });
    }
    // Another user than root needs these rights for the checks below and for the cleanup.
    for (const name of ["unreadable", "locked", "frozen"]) await chmod(dir.at(name), 0o755);
    for (const name of ["unreadable", "read-only", "locked/f", "frozen/f"]) {
      expect(await readFile(dir.at(name), "utf8")).toBe("old");
    }
    expect((await readdir(dir.path, { recursive: true })).sort()).toEqual(
      ["frozen", "frozen/f", "locked", "locked/f", "read-only", "unreadable"].sort(),
    );
  },
  { only: ["linux", "darwin"] },
);

verifies(
  "write:keeps-mode",
  "a user who may write but cannot keep the owner gives no user more rights than before",
  async () => {
    await using dir = await tempDir();
    await chmod(dir.path, 0o777);
    await writeFile(dir.at("f"), "old");
    await chmod(dir.at("f"), 0o6772);
    await writeFile(dir.at("secret"), "old");
    await chown(dir.at("secret"), ORDINARY_USER, 0);
    await chmod(dir.at("secret"), 0o640);
    const [f, secret] = await program.run({
      do: "calls",
      cwd: dir.path,
      uid: ORDINARY_USER,
      calls: [edit("f"), edit("secret")],
    });
    expect([f?.isError, secret?.isError]).toEqual([true, false]); // The first may be written to, but not read.
    expect(await stat(dir.at("secret"))).toMatchObject({
      uid: ORDINARY_USER,
      gid: ORDINARY_USER,
      mode: 0o100600,
    });

    await chmod(dir.at("f"), 0o6776);
    const [again] = await program.run({ do: "calls", cwd: dir.path, uid: ORDINARY_USER, calls: [edit("f")] });
    expect(again?.isError).toBe(false);
    expect(await stat(dir.at("f"))).toMatchObject({ uid: ORDINARY_USER, gid: ORDINARY_USER, mode: 0o100766 });
  },
  // Only root may give a file to another user.
  { when: isRoot },
);

verifies(
  "faults:d6-descriptors",
  "with no free descriptor every tool fails with a message, and the file is unchanged",
  async () => {
    await using dir = await tempDir();
    await writeFile(dir.at("f"), "old");
    const calls = [read("f"), edit("f"), write("f"), write("new"), { name: "ls", input: {} }];
    const reports = await program.run(
      { do: "calls", cwd: dir.path, calls, exhaustDescriptors: true },
      "ulimit -n 128",
    );
    for (const [index, report] of reports.entries()) {
      const message = new RegExp(`^${calls[index]?.name}: too many open files; try again: `);
      expect(report).toEqual({ isError: true, output: expect.stringMatching(message) as string });
    }
    expect(await readFile(dir.at("f"), "utf8")).toBe("old");
    expect(await readdir(dir.path)).toEqual(["f"]);
  },
  { only: ["linux", "darwin"] },
);

verifies(
  "grep:no-ripgrep",
  "with too few descriptors to start ripgrep the fallback answers; with none grep fails with a message",
  async () => {
    await using dir = await tempDir();
    await writeFile(dir.at("f"), "old\n");
    const ripgrepPath = await locateRipgrep();
    const task = {
      do: "calls",
      cwd: dir.path,
      calls: [{ name: "grep", input: { pattern: "old" } }],
      exhaustDescriptors: true,
      ...(ripgrepPath ? { ripgrepPath } : {}),
    } as const;
    const few = await program.run({ ...task, spareDescriptors: 3 }, "ulimit -n 128");
    expect(few).toEqual([{ isError: false, output: "f:1: old" }]);
    const none = await program.run(task, "ulimit -n 128");
    expect(none).toEqual([{ isError: true, output: expect.stringMatching(/^grep: /) as string }]);
  },
  { only: ["linux", "darwin"] },
);

/** Gives the program its own mounts. Another user than root gets them in a user namespace, where the kernel allows it. */
const UNSHARE = isRoot ? "--mount" : "--mount --map-root-user";

/** Whether a test may mount its own file system. */
const mayMount = ((): boolean => {
  try {
    const test = ["sh", "-c", "mount -t tmpfs none /mnt"];
    execFileSync("unshare", [...UNSHARE.split(" "), ...test], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

/** Shell text that mounts a file system of 32 KB on a folder, visible to the program only, with one file on it. */
const smallDisk = (path: string): string =>
  `mount -t tmpfs -o size=32k none ${path} && printf old > ${path}/f`;

verifies(
  "faults:d6-no-space",
  "a real disk that is full keeps the old content and no temporary file",
  async () => {
    await using dir = await tempDir();
    const big = { path: "f", content: "x".repeat(50_000) };
    const calls = [
      { name: "write", input: big },
      { name: "write", input: { ...big, path: "new" } },
      { name: "ls", input: { showHidden: true } },
      read("f"),
      edit("f"),
    ];
    const reports = await program.run(
      { do: "calls", cwd: dir.path, calls },
      inOwnMounts(smallDisk(dir.path)),
    );
    expect(reports.map((report) => report.output)).toEqual([
      expect.stringMatching(/^write: no space left on the device: .*\/f$/),
      expect.stringMatching(/^write: no space left on the device: .*\/new$/),
      ".: 1 entry\nfile  3 bytes  f",
      "f: lines 1-1 of 1\n     1\told",
      expect.anything(),
    ]);
    expect(reports.at(-1)?.isError).toBe(false);
  },
  { when: mayMount },
);

verifies(
  "faults:d6-read-only-disk",
  "a read-only disk is named in the error",
  async () => {
    await using dir = await tempDir();
    // `bind`: only this mount becomes read-only, which a user namespace allows.
    const frozen = `${smallDisk(dir.path)} && mount -o remount,bind,ro ${dir.path}`;
    const calls = [write("f"), edit("f"), write("new"), write("sub/new"), read("f")];
    const reports = await program.run({ do: "calls", cwd: dir.path, calls }, inOwnMounts(frozen));
    for (const report of reports.slice(0, 4)) {
      expect(report).toEqual({
        isError: true,
        output: expect.stringMatching(/^(write|edit): file system is read-only: /) as string,
      });
    }
    expect(reports[4]?.output).toContain("old");
  },
  { when: mayMount },
);

/** Shell text that starts the program in its own mount namespace, after `there` ran in it. */
function inOwnMounts(there: string): string {
  return `exec unshare ${UNSHARE} /bin/sh -c '${there} && exec "$0" "$@"' "$0" "$@"`;
}
