import { cp, lstat, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { type CheckpointDisk, localCheckpointDisk, openCheckpointStore } from "induscode/deck";

/** The files of a folder, with modes, as text that can be compared. */
export async function snapshot(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = new Map<string, string>();
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const mode = ((await lstat(path)).mode & 0o7777).toString(8);
    files.set(relative(folder, path), `${mode} ${(await readFile(path)).toString("latin1")}`);
  }
  return new Map([...files].sort());
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
  for (const { place, copy } of places) await cp(place, copy, { recursive: true });
  return async () => {
    for (const { place, copy } of places) {
      await rm(place, { recursive: true, force: true });
      await cp(copy, place, { recursive: true });
    }
    return prepared;
  };
}

/** A closed store with one node to undo, `n`: of changed, created, deleted and foreign files. Needs `force`. */
async function prepareRewind(folder: string, work: string): Promise<PreparedRewind> {
  await mkdir(join(work, "sub"), { recursive: true });
  const at = (name: string): string => join(work, name);
  const old = { changed: "first", "sub/two": "second", deleted: "third", foreign: "fourth" };
  for (const [name, content] of Object.entries(old)) await writeFile(at(name), content, { mode: 0o640 });
  const before = await snapshot(work);
  await using store = await openCheckpointStore(folder, { roots: [work] });
  await store.beginNode("n");
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

/** Called before each operation of the disk that changes something. */
export type OnChange = (operation: string) => void;

/** The real disk, watched. Locks are not. */
export function watchedDisk(onChange: OnChange): CheckpointDisk {
  const watched =
    <Args extends unknown[], Value>(operation: string, run: (...args: Args) => Promise<Value>) =>
    async (...args: Args): Promise<Value> => {
      if (!String(args[0]).endsWith(".lock")) onChange(operation);
      return run(...args);
    };
  const local = localCheckpointDisk;
  const file = <File extends { write: unknown }>(opened: File): File => {
    const wrapped: Record<string, unknown> = { ...opened };
    for (const name of ["write", "sync", "truncate", "setMode", "setOwner"] as const) {
      const run = wrapped[name] as ((...args: unknown[]) => Promise<unknown>) | undefined;
      if (run) wrapped[name] = watched(name, run);
    }
    return wrapped as File;
  };
  return {
    ...local,
    open: async (path, mode) => {
      if (mode === "create" && !path.endsWith(".lock")) onChange("open");
      const opened = await local.open(path, mode);
      return path.endsWith(".lock") ? opened : file(opened);
    },
    create: watched("create", async (path: string) => file(await local.create(path))),
    rename: watched("rename", local.rename),
    link: watched("link", local.link),
    remove: watched("remove", local.remove),
    removeFolder: watched("removeFolder", local.removeFolder),
    syncFolder: watched("syncFolder", local.syncFolder),
  };
}

/** The real disk, without flushes: they take most of the time, and a test that cuts no power cannot see them. */
export const fastDisk: CheckpointDisk = {
  ...localCheckpointDisk,
  open: async (path, mode) => ({ ...(await localCheckpointDisk.open(path, mode)), sync: async () => {} }),
  create: async (path) => ({ ...(await localCheckpointDisk.create(path)), sync: async () => {} }),
  syncFolder: async () => {},
};
