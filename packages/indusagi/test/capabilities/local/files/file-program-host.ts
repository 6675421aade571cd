import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmod } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type TempDir, tempDir } from "@indus/testkit";
import { build } from "esbuild";
import type { CallReport, FileTask } from "./file-program.ts";

/** The file tools as a separate program, which can be killed, limited or run by another user. */
export interface FileProgram extends AsyncDisposable {
  /** Starts it; the caller must end it. */
  start(task: FileTask): ChildProcess;
  /** Runs it to its end. `before` is shell text to run first, for example to lower a limit. */
  run(task: FileTask & { readonly do: "calls" }, before?: string): Promise<CallReport[]>;
}

export async function buildFileProgram(): Promise<FileProgram> {
  const dir: TempDir = await tempDir();
  const path = dir.at("file-program.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("file-program.ts", import.meta.url))],
    outfile: path,
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["@indus/source"],
    // For CommonJS dependencies.
    banner: {
      js: 'import * as module$ from "node:module"; const require = module$.createRequire(import.meta.url);',
    },
    logLevel: "error",
  });
  await chmod(dir.path, 0o755); // Another user must be able to load it.
  return {
    start: (task) => {
      const child = spawn(process.execPath, [path], { stdio: ["pipe", "pipe", "inherit"] });
      child.stdin.end(JSON.stringify(task));
      return child;
    },
    run: async (task, before = "") => {
      const running = promisify(execFile)("/bin/sh", [
        "-c",
        `${before}\nexec "$0" "$@"`,
        process.execPath,
        path,
      ]);
      running.child.stdin?.end(JSON.stringify(task));
      return JSON.parse((await running).stdout) as CallReport[];
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}
