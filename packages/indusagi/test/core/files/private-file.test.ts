import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { isRoot, ORDINARY_USER, runAsOrdinaryUser, tempDir, verifies } from "@indus/testkit";
import { readPrivateText } from "indusagi/core";
import { expect } from "vitest";

const POSIX = ["linux", "darwin"] as const;

verifies(
  "state:own-files",
  "of all modes only those that exclude others are read, of files and of folders",
  async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at("f"), { mode: 0o700 });
    const path = dir.at("f", "a.json");
    writeFileSync(path, "text", { mode: 0o600 });
    for (let mode = 0o400; mode <= 0o777; mode++) {
      chmodSync(path, mode);
      const shown = mode.toString(8).padStart(4, "0");
      const open = `is open to other users (mode ${shown}); if you trust its content, run chmod 600 on it, otherwise remove it`;
      expect(readPrivateText(path), shown).toEqual(mode & 0o077 ? { problem: open } : { text: "text" });
    }
    chmodSync(path, 0o600);
    for (const mode of [0o700, 0o750, 0o755, 0o720, 0o702, 0o770, 0o777, 0o1777]) {
      chmodSync(dir.at("f"), mode);
      expect("text" in readPrivateText(path), mode.toString(8)).toBe((mode & 0o022) === 0);
    }
    expect(readPrivateText(dir.at("f", "absent.json"))).toMatchObject({
      problem:
        "is in a folder that other users may change (mode 1777); if you trust its content, run chmod 700 on the folder",
      isOfFolder: true,
    });
    expect(readPrivateText(dir.at("f", "absent.json"))).not.toHaveProperty("isAbsent");
    chmodSync(dir.at("f"), 0o700);
    for (const absent of [dir.at("f", "absent.json"), dir.at("g", "a.json"), dir.at("f", "a.json", "b")])
      expect(readPrivateText(absent)).toEqual({ problem: "does not exist", isAbsent: true });
  },
  { only: POSIX },
);

verifies(
  "state:own-files",
  "links, folders and texts that are no texts are refused, and nothing waits for a pipe",
  async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at("a"), "text", { mode: 0o600 });
    symlinkSync(dir.at("a"), dir.at("link"));
    mkdirSync(dir.at("f"), { mode: 0o700 });
    writeFileSync(dir.at("f", "a"), "text", { mode: 0o600 });
    symlinkSync(dir.at("f"), dir.at("linked"));
    writeFileSync(dir.at("bytes"), Buffer.from([0xff, 0xfe]), { mode: 0o600 });
    const problem = (path: string, maxBytes?: number): unknown =>
      readPrivateText(path, maxBytes === undefined ? {} : { maxBytes });
    expect(problem(dir.at("link"))).toMatchObject({
      problem: expect.stringContaining("is a symbolic link;"),
    });
    expect(problem(dir.at("linked", "a"))).toMatchObject({
      problem: "is in a folder that is a symbolic link; remove the link",
    });
    expect(problem(dir.at("f"))).toEqual({ problem: "is not a regular file; remove it" });
    expect(problem(dir.at("bytes"))).toEqual({ problem: "is not UTF-8 text; remove it" });
    expect(problem(dir.at("a"), 3)).toMatchObject({ problem: expect.stringContaining("is larger than") });
    expect(problem(dir.at("f", "a"))).toEqual({ text: "text" });
    rmSync(dir.at("linked"));
  },
  { only: POSIX },
);

verifies(
  "state:own-files",
  "another owner is named, for root and for an ordinary user, also if the file cannot be opened",
  async () => {
    await using dir = await tempDir();
    chmodSync(dir.path, 0o711);
    mkdirSync(dir.at("f"), { mode: 0o711 });
    for (const name of ["own", "other", "open"]) writeFileSync(dir.at("f", name), "text", { mode: 0o600 });
    chownSync(dir.at("f", "other"), ORDINARY_USER, ORDINARY_USER);
    const rest = "if you trust its content, run chown on it, otherwise remove it";
    const stranger = (uid: number, own: number): object => ({
      problem: `belongs to user ${uid}, not to user ${own}; ${rest}`,
    });
    expect(readPrivateText(dir.at("f", "other"))).toEqual(stranger(ORDINARY_USER, 0));
    expect(readPrivateText(dir.at("f", "own"))).toEqual({ text: "text" });
    // For the ordinary user the same files are the other way round, and the folder is a stranger's.
    const program = new URL("ordinary-reader.ts", import.meta.url);
    const inFolder = {
      problem: expect.stringContaining("is in a folder that belongs to user 0, not to user"),
    };
    expect(await runAsOrdinaryUser(program, dir.at("f"))).toMatchObject({ own: inFolder, other: inFolder });
    chownSync(dir.at("f"), ORDINARY_USER, ORDINARY_USER);
    expect(await runAsOrdinaryUser(program, dir.at("f"))).toEqual({
      own: stranger(0, ORDINARY_USER),
      other: { text: "text" },
    });
    expect(readPrivateText(dir.at("f", "own"))).toMatchObject({
      problem: `is in a folder that belongs to user ${ORDINARY_USER}, not to user 0; if you trust its content, run chown on the folder`,
    });
  },
  { only: POSIX, when: isRoot },
);
