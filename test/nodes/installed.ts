import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

export interface InstallOptions {
  /** The folder of the repository, built. */
  readonly root: string;
  /** An empty folder, which is removed. */
  readonly scratch: string;
  /** The program of Node. */
  readonly node: string;
  /** The script of npm. */
  readonly npm: string;
}

const WORKS = "works";

/**
 * Packs both packages, installs them into an empty folder and globally, and runs the command as a user does. Returns
 * `works`, or what went wrong.
 */
export function installResult(options: InstallOptions): string {
  rmSync(options.scratch, { recursive: true, force: true });
  try {
    return tryInstall(options) ?? WORKS;
  } catch (thrown) {
    return `FAILED (${String(thrown).split("\n")[0]})`;
  } finally {
    rmSync(options.scratch, { recursive: true, force: true });
  }
}

function tryInstall({ root, scratch, node, npm }: InstallOptions): string | undefined {
  const [packs, project, prefix] = ["packs", "project", "global"].map((name) => join(scratch, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [packs, project, prefix]) mkdirSync(folder, { recursive: true });
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env["PATH"] ?? ""}` };
  // Without a shell on Windows neither npm nor the linked commands could be started by name; node can run npm's script.
  const runNpm = (cwd: string, ...args: readonly string[]): string =>
    execFileSync(node, [npm, ...args], { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  for (const name of ["indusagi", "induscode"])
    runNpm(join(root, "packages", name), "pack", "--ignore-scripts", "--pack-destination", packs);
  const archives = readdirSync(packs).map((name) => join(packs, name));
  const quietly = ["--ignore-scripts", "--no-audit", "--no-fund"];
  runNpm(project, "install", ...quietly, ...archives);
  runNpm(project, "install", "--global", "--prefix", prefix, ...quietly, ...archives);

  const { version } = JSON.parse(readFileSync(join(root, "packages/induscode/package.json"), "utf8")) as {
    readonly version: string;
  };
  const inProject = (...words: readonly string[]): string =>
    runNpm(project, "exec", "--offline", "--", ...words);
  if (inProject("indus", "--version").trim() !== version) return "FAILED (npx indus --version)";
  const files = inProject("indus", "call", "find", "query=package.json");
  if (!files.includes("package.json")) return "FAILED (npx indus call find)";
  const bin = process.platform === "win32" ? prefix : join(prefix, "bin");
  for (const command of ["indus", "indusagi"]) {
    const found = spawnSync(command, ["--version"], {
      cwd: scratch,
      // Only the prefix and node: nothing of this repository is on the path.
      env: { ...process.env, PATH: `${bin}${delimiter}${dirname(node)}` },
      encoding: "utf8",
      shell: process.platform === "win32",
    });
    if (found.stdout.trim() !== version)
      return `FAILED (${command} is not on the PATH: ${found.stderr.trim()})`;
  }
  return undefined;
}
