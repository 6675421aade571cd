import { CoreError } from "../../core/index.ts";
import { type Fs, FsError, type Shell } from "../contract/index.ts";

function noFs(path: string): Promise<never> {
  return Promise.reject(new FsError("unavailable", path, `this context has no file system: ${path}`));
}

/** The backend of a context that has no file system: every use is refused. */
export const unavailableFs: Fs = {
  readText: noFs,
  readBytes: noFs,
  open: noFs,
  writeFile: noFs,
  stat: noFs,
  readDir: noFs,
  readLink: noFs,
  resolve: noFs,
  mkdir: noFs,
  rm: noFs,
  exists: async () => false,
};

function noShell(): Promise<never> {
  return Promise.reject(new CoreError("unavailable", "this context has no shell"));
}

/** The backend of a context that has no shell: every use is refused. */
export const unavailableShell: Shell = { exec: noShell, spawn: noShell };
