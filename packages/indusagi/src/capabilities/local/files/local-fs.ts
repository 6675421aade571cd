import type { Fs } from "../../contract/index.ts";
import type { LocalFsOptions } from "./confined-fs.ts";
import type { HeldFolder } from "./open-held-folder.ts";

const localBackends = new WeakSet<Fs>();

/** Whether a backend is this machine's file system, so a program such as ripgrep sees the same files. */
export function isLocalFs(fs: Fs): boolean {
  return localBackends.has(fs);
}

/**
 * This machine's file system, confined to the given folders. The implementation is loaded by the first operation, so
 * listing tools stays cheap.
 */
export function localFs(options: LocalFsOptions = {}): Fs {
  let loading: Promise<Fs> | undefined;
  const backend = (): Promise<Fs> => {
    loading ??= import("./confined-fs.ts").then(
      ({ ConfinedFs }) => new ConfinedFs(options),
      (thrown: unknown) => {
        loading = undefined; // Loading may fail for lack of descriptors; retry next time.
        throw thrown;
      },
    );
    return loading;
  };
  const fs: Fs = {
    readText: async (path) => (await backend()).readText(path),
    readBytes: async (path) => (await backend()).readBytes(path),
    open: async (path) => (await backend()).open(path),
    writeFile: async (path, content, how) => (await backend()).writeFile(path, content, how),
    stat: async (path, how) => (await backend()).stat(path, how),
    readDir: async (path) => (await backend()).readDir(path),
    readLink: async (path) => (await backend()).readLink(path),
    resolve: async (path) => (await backend()).resolve(path),
    mkdir: async (path, how) => (await backend()).mkdir(path, how),
    rm: async (path, how) => (await backend()).rm(path, how),
    exists: async (path) => (await backend()).exists(path),
  };
  localBackends.add(fs);
  return fs;
}

/**
 * Holds a folder of this machine. Links are followed; then the real path must be inside one of the roots. Rejects with an
 * `FsError`. On systems without paths to descriptors a swap between check and use stays possible.
 */
export async function holdFolder(path: string, roots: readonly string[]): Promise<HeldFolder> {
  const { openHeldFolder } = await import("./open-held-folder.ts");
  return openHeldFolder(path, roots);
}
