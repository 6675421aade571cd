import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TempDir extends AsyncDisposable {
  readonly path: string;
  /** A path below this folder. */
  at(...parts: string[]): string;
}

/** A new folder for one test. `await using` removes it. */
export async function tempDir(): Promise<TempDir> {
  // realpath: on macOS the temporary folder is behind a symbolic link.
  const path = await realpath(await mkdtemp(join(tmpdir(), "indus-test-")));
  return {
    path,
    at: (...parts) => join(path, ...parts),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  };
}
