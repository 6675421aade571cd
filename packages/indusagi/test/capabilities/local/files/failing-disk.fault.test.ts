import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { atSize, recordFigure, type TempDir, verifies } from "@indus/testkit";
import { type Disk, localFs } from "indusagi/capabilities";
import { expect } from "vitest";
import { nodeDisk } from "../../../../src/capabilities/local/files/node-disk.ts";
import { type Session, session, sessionIn, textOf } from "../../session.ts";
import { type Fault, faultyDisk } from "./faulty-disk.ts";

interface Scenario {
  readonly name: string;
  readonly tool: string;
  readonly input: object;
  /** The file that changes. */
  readonly file: string;
  /** Its content before; nothing if it does not exist. */
  readonly old?: string;
  readonly new: string;
  prepare?(dir: TempDir): Promise<void>;
}

const OLD = `old content\n${"o".repeat(5000)}`;
const NEW = `new content\n${"n".repeat(6000)}`;

const SCENARIOS: readonly Scenario[] = [
  {
    name: "write over a file",
    tool: "write",
    input: { path: "f", content: NEW },
    file: "f",
    old: OLD,
    new: NEW,
  },
  { name: "write a new file", tool: "write", input: { path: "f", content: NEW }, file: "f", new: NEW },
  {
    name: "write into new folders",
    tool: "write",
    input: { path: "a/b/f", content: NEW },
    file: "a/b/f",
    new: NEW,
  },
  {
    name: "edit through a link",
    tool: "edit",
    input: { path: "link", oldText: "old content", newText: "new content" },
    file: "f",
    old: OLD,
    new: OLD.replace("old content", "new content"),
    prepare: (dir) => symlink("f", dir.at("link")),
  },
];

const CODES: readonly string[] = ["ENOSPC", "EIO", "EACCES", "EMFILE", "EDQUOT", "EROFS", "EPERM", "ENOTSUP"];

async function contentOf(dir: TempDir, file: string): Promise<string | undefined> {
  return readFile(dir.at(file), "utf8").catch(() => undefined);
}

/** The names that do not belong there. */
async function strays(dir: TempDir): Promise<string[]> {
  const known = new Set(["f", "link", "a", "a/b", "a/b/f", "other"]);
  return (await readdir(dir.path, { recursive: true })).filter((name) => !known.has(name));
}

/** Runs a scenario on a disk with one fault; returns the number of calls. */
async function runWith(scenario: Scenario, fault: Fault | undefined): Promise<number> {
  await using at = await session();
  if (scenario.old !== undefined) await writeFile(at.dir.at(scenario.file), scenario.old);
  await scenario.prepare?.(at.dir);
  const { disk, calls, open } = faultyDisk(fault);
  const inner = sessionIn(at.dir, { fs: localFs({ disk, read: [at.dir.path], write: [at.dir.path] }) });
  const outcome = await inner.call(scenario.tool, scenario.input);

  const said = textOf(outcome);
  const content = await contentOf(at.dir, scenario.file);
  const where = `${scenario.name}, ${JSON.stringify(fault)} in ${calls[(fault?.call ?? 0) - 1]}: ${said}`;
  const allowed =
    fault?.how === "done" ? [scenario.old, scenario.new] : [outcome.isError ? scenario.old : scenario.new];
  expect(allowed, where).toContain(content);
  expect(await strays(at.dir), where).toEqual([]);
  expect(open.size, where).toBe(0);
  if (outcome.isError) {
    expect(said, where).toMatch(new RegExp(`^${scenario.tool}: [^/]*: ${at.dir.path}(/|$)`));
    expect(said, where).not.toMatch(/internal|\.indus-|\/proc\//);
  }
  return calls.length;
}

async function everyCall(how: Fault["how"]): Promise<number> {
  let runs = 0;
  for (const scenario of SCENARIOS) {
    const count = await runWith(scenario, undefined);
    for (let call = 1; call <= count; call++) {
      const codes = atSize({ quick: [CODES[call % CODES.length] ?? "EIO"], full: CODES });
      for (const code of codes) {
        await runWith(scenario, { call, code, how });
        runs++;
      }
    }
  }
  return runs;
}

verifies(
  "faults:d7-every-call",
  "whichever disk call fails, the write fails and the file is old, or it succeeds and the file is new",
  async () => {
    const runs = await everyCall("refused");
    recordFigure({
      what: "D7 each call to the disk fails once",
      size: `${runs} runs`,
      found: "0 torn files, 0 leftovers",
    });
  },
);

verifies(
  "faults:d7-every-call",
  "a call that is done but reported as failed leaves a whole file and no temporary one",
  async () => {
    const runs = await everyCall("done");
    recordFigure({
      what: "D7 each call done but reported failed",
      size: `${runs} runs`,
      found: "0 torn files, 0 leftovers",
    });
  },
);

verifies(
  "faults:d6-no-space",
  "a disk that is full after half of a write leaves the old content",
  async () => {
    for (const scenario of SCENARIOS) {
      for (const code of ["ENOSPC", "EDQUOT"]) {
        const { disk, calls } = faultyDisk();
        await using probe = await session({ fs: localFs({ disk }) });
        if (scenario.old !== undefined) await writeFile(probe.dir.at(scenario.file), scenario.old);
        await scenario.prepare?.(probe.dir);
        await probe.call(scenario.tool, scenario.input);
        await runWith(scenario, { call: calls.indexOf("file.writeFile") + 1, code, how: "short" });
      }
    }
  },
);

verifies("faults:d6-typed-errors", "each failure of the disk has its own message and kind", async () => {
  const words: [string, string, RegExp][] = [
    ["ENOSPC", "no_space", /^no space left on the device: \/.*\/f$/],
    ["EDQUOT", "no_space", /^disk quota exceeded: /],
    ["EROFS", "read_only", /^file system is read-only: /],
    ["EACCES", "no_permission", /^permission denied: /],
    ["EMFILE", "too_many_open", /^too many open files; try again: /],
    ["EIO", "io", /^the disk failed \(EIO\): /],
    ["EWEIRD", "io", /^failed with EWEIRD: /],
  ];
  await using at = await session();
  for (const [code, kind, message] of words) {
    const { calls, disk } = faultyDisk();
    await localFs({ disk }).writeFile(at.dir.at(`probe-${code}`), "x");
    const faulty = faultyDisk({ call: calls.indexOf("file.writeFile") + 1, code, how: "refused" });
    const failing = localFs({ disk: faulty.disk }).writeFile(at.dir.at("f"), "x");
    await expect(failing).rejects.toMatchObject({
      name: "FsError",
      kind,
      path: at.dir.at("f"),
      message: expect.stringMatching(message) as string,
    });
  }
});

verifies(
  "faults:d7-every-call",
  "reading and listing survive every failing call without a leaked descriptor",
  async () => {
    const tries: [string, (at: Session) => Promise<unknown>][] = [
      ["read", (at) => at.call("read", { path: "f" })],
      ["ls", (at) => at.call("ls", { showHidden: true })],
    ];
    await using at = await session();
    await mkdir(at.dir.at("a"));
    await writeFile(at.dir.at("f"), "x");
    await symlink("f", at.dir.at("link"));
    for (const [tool, act] of tries) {
      const clean = faultyDisk();
      await act(sessionIn(at.dir, { fs: localFs({ disk: clean.disk, read: [at.dir.path] }) }));
      for (let call = 1; call <= clean.calls.length; call++) {
        const faulty = faultyDisk({ call, code: "EIO", how: "refused" });
        await act(sessionIn(at.dir, { fs: localFs({ disk: faulty.disk, read: [at.dir.path] }) }));
        expect(faulty.open.size, `${tool}, call ${call}`).toBe(0);
      }
    }
  },
);

verifies(
  "fs:new-names",
  "without hard links, new files are still created and none is overwritten",
  async () => {
    await using at = await session();
    const write = (disk: Disk): Promise<void> =>
      localFs({ disk }).writeFile(at.dir.at("f"), "new", { onlyNew: true });
    for (const code of ["EPERM", "ENOTSUP", "ENOSYS"]) {
      const refuses = (meanwhile: (target: string) => Promise<void>): Disk => ({
        ...nodeDisk,
        link: async (_existing, added) => {
          await meanwhile(added);
          throw Object.assign(new Error(code), { code });
        },
      });
      await write(refuses(async () => {}));
      expect(await readFile(at.dir.at("f"), "utf8")).toBe("new");
      await expect(write(nodeDisk)).rejects.toMatchObject({ kind: "exists" });
      await rm(at.dir.at("f"));
      await expect(write(refuses((target) => writeFile(target, "theirs")))).rejects.toMatchObject({
        kind: "exists",
      });
      expect(await readFile(at.dir.at("f"), "utf8")).toBe("theirs");
      await rm(at.dir.at("f"));
    }
    expect(await strays(at.dir)).toEqual([]);
  },
);
