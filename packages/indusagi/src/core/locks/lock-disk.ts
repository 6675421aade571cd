/** The file operations of a lock, as a port. Failures are the errors of the system. */
export interface LockDisk {
  /** Creates an empty file; fails with EEXIST if it exists. */
  create(path: string): Promise<void>;
  /** The names in a folder, in any order. */
  list(folder: string): Promise<readonly string[]>;
  remove(path: string): Promise<void>;
}

/** This machine's disk. */
export const localLockDisk: LockDisk = {
  create: async (path) => {
    const { open } = process.getBuiltinModule("node:fs/promises");
    await (await open(path, "wx", 0o600)).close();
  },
  list: (folder) => process.getBuiltinModule("node:fs/promises").readdir(folder),
  remove: (path) => process.getBuiltinModule("node:fs/promises").unlink(path),
};
