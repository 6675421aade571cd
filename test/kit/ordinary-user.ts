import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** The id of a user and a group without any special rights. */
export const ORDINARY_USER = 65_534;

/** Whether the tests run as root, who may read and write everything. */
export const isRoot: boolean = process.getuid?.() === 0;

/** Drops the rights of root. `setgroups` and `setgid` come first, because they need those rights. */
const DROP = `if (process.getuid?.() === 0) {
  process.setgroups([]); process.setgid(${ORDINARY_USER}); process.setuid(${ORDINARY_USER});
}`;

/**
 * Runs a TypeScript program in a child process without the rights of root and returns what it prints, parsed as JSON.
 * The program gets `argument` as its first argument. It arrives through standard input, libraries included, because the
 * ordinary user may have no access to the repository.
 */
export async function runAsOrdinaryUser(source: URL, argument: string): Promise<unknown> {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(source)],
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@indus/source"],
    logLevel: "error",
    banner: { js: DROP },
  });
  const running = promisify(execFile)(process.execPath, ["--input-type=module", "-", argument], { cwd: "/" });
  running.child.stdin?.end(outputFiles[0]?.text);
  return JSON.parse((await running).stdout);
}
