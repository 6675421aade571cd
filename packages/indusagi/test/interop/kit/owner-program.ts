import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type TempDir, tempDir } from "@indus/testkit";
import { build } from "esbuild";
import { afterAll, beforeAll } from "vitest";

export interface OwnerProgram {
  /** Starts `endpoint-owner.ts` with these arguments, with a limit on descriptors if given. */
  start(args: readonly string[], descriptors?: number): ChildProcess;
}

/** `endpoint-owner.ts` as a program, built once per test file: Node does not run TypeScript. */
export function ownerProgram(): OwnerProgram {
  let dir: TempDir;
  beforeAll(async () => {
    dir = await tempDir();
    await build({
      entryPoints: [fileURLToPath(new URL("endpoint-owner.ts", import.meta.url))],
      outfile: dir.at("owner.mjs"),
      bundle: true,
      platform: "node",
      format: "esm",
      logLevel: "error",
      // Some bundled libraries are CommonJS.
      banner: {
        js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
      },
    });
  });
  afterAll(() => dir[Symbol.asyncDispose]());
  return {
    start: (args, descriptors) =>
      spawn(
        "/bin/bash",
        [
          "-c",
          `${descriptors ? `ulimit -n ${descriptors};` : ""} exec "$0" "$@"`,
          process.execPath,
          dir.at("owner.mjs"),
          ...args,
        ],
        { stdio: ["ignore", "pipe", "inherit"] },
      ),
  };
}

/** The first output of a program. */
export function saidBy(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.once("data", (chunk: Buffer) => resolve(chunk.toString()));
    child.once("exit", (code) => reject(new Error(`it exited with ${code} before it said anything`)));
  });
}
