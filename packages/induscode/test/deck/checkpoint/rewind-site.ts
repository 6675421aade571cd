import {
  chmod,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join, relative } from "node:path";
import { type CheckpointDisk, localCheckpointDisk, openCheckpointStore } from "induscode/deck";
// Not from the index of the kit: programs that use this file are bundled without libraries.
import { unflushedDisk, wrapDisk } from "../../../../../test/kit/wrapped-disk.ts";

/** What is in a folder, with the modes of files, as text that can be compared. */
export async function snapshot(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = new Map<string, string>();
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const mode = ((await lstat(path)).mode & 0o7777).toString(8);
    const content = async (): Promise<string> => {
      if (entry.isSymbolicLink()) return `link ${await readlink(path)}`;
      return entry.isFile() ? `${mode} ${(await readFile(path)).toString("latin1")}` : "folder";
    };
    found.set(relative(folder, path), await content());
  }
  return new Map([...found].sort());
}

export interface PreparedRewind {
  readonly session: string;
  readonly before: Map<string, string>;
  readonly after: Map<string, string>;
}

/** Prepares the same rewind again and again. */
export async function rewindMaker(folder: string, work: string): Promise<() => Promise<PreparedRewind>> {
  const prepared = await prepareRewind(folder, work);
  // Copied, because making it takes many flushes.
  const places = [folder, work].map((place) => ({ place, copy: `${place}.copy` }));
  const asIs = { recursive: true, verbatimSymlinks: true };
  for (const { place, copy } of places) await cp(place, copy, asIs);
  return async () => {
    for (const { place, copy } of places) {
      await rm(place, { recursive: true, force: true });
      await cp(copy, place, asIs);
    }
    return prepared;
  };
}

/**
 * A closed store with one node to undo, `n`: of files that edits changed, created and deleted, and a foreign one; and of what
 * a command did to files, links and folders. Needs `force`.
 */
async function prepareRewind(folder: string, work: string): Promise<PreparedRewind> {
  await mkdir(join(work, "sub"), { recursive: true });
  const at = (name: string): string => join(work, name);
  const old = { changed: "first", "sub/two": "second", deleted: "third", foreign: "fourth" };
  for (const [name, content] of Object.entries(old)) await writeFile(at(name), content, { mode: 0o640 });
  await makeForCommand(at("cmd"));
  await mkdir(at(".git"));
  await writeFile(at(".git/HEAD"), "ref: refs/heads/main");
  const before = await snapshot(work);
  await using store = await openCheckpointStore(folder, { roots: [work] });
  await store.beginNode("n");
  const { signal } = new AbortController();
  await store.beginCommands({ signal });
  await runCommand(at("cmd"));
  await store.endCommands({ signal });
  for (const [name, content] of Object.entries(old))
    await store.record(at(name), { bytes: Buffer.from(content), mode: 0o640 });
  await store.record(at("created"), undefined);
  for (const name of ["changed", "sub/two", "foreign", "created"]) {
    await rm(at(name), { force: true });
    await writeFile(at(name), "ours", { mode: 0o600 });
    await store.wrote(at(name), { bytes: Buffer.from("ours"), mode: 0o600 });
  }
  await writeFile(at("foreign"), "theirs");
  await rm(at("deleted"));
  return { session: store.session, before, after: await snapshot(work) };
}

async function makeForCommand(folder: string): Promise<void> {
  await mkdir(join(folder, "folder", "inner"), { recursive: true });
  await mkdir(join(folder, "empty"));
  for (const name of ["changed", "removed", "file", "to-link", "folder/one", "folder/inner/two"])
    await writeFile(join(folder, name), `${name} before`, { mode: 0o640 });
  await symlink("nowhere", join(folder, "link"));
}

/** Everything that can become of a path. */
async function runCommand(folder: string): Promise<void> {
  const at = (name: string): string => join(folder, name);
  await writeFile(at("changed"), "by a command");
  await chmod(at("changed"), 0o755);
  for (const name of ["removed", "file", "to-link", "link", "folder", "empty"])
    await rm(at(name), { recursive: true });
  await writeFile(at("folder"), "a file now");
  await mkdir(at("file/deep"), { recursive: true });
  await writeFile(at("file/deep/new"), "new");
  await symlink("changed", at("to-link"));
  await writeFile(at("link"), "a file now");
  await symlink("..", at("made"));
}

/** Called before each operation of the disk that changes something. */
export type OnChange = (operation: string) => void;

const CHANGES: ReadonlySet<string> = new Set([
  ...["create", "writeNow", "symlink", "mkdir", "rename", "link", "remove", "removeFolder", "syncFolder"],
  ...["file.write", "file.sync", "file.truncate", "file.setMode", "file.setOwner"],
]);

/** The real disk, watched. Locks are not. */
export function watchedDisk(onChange: OnChange): CheckpointDisk {
  return wrapDisk(localCheckpointDisk, ({ operation, path, args, run }) => {
    const isChange = CHANGES.has(operation) || (operation === "open" && args[1] === "create");
    if (!isChange || path.endsWith(".lock")) return run();
    const change = (): unknown => {
      onChange(operation.replace("file.", ""));
      return run();
    };
    return operation === "writeNow" ? change() : Promise.resolve().then(change);
  });
}

export const fastDisk: CheckpointDisk = unflushedDisk(localCheckpointDisk);
