import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface InstallOptions {
  readonly folder: string;
  /** Exact versions by name. */
  readonly dependencies: { readonly [name: string]: string };
  readonly print: (line: string) => void;
}

export interface Installed {
  readonly folderOf: (name: string) => string;
  /** The script of the command that has the name of its package. */
  readonly programOf: (name: string) => string;
}

const INSTALL_MS = 600_000;

/** Installs packages into a folder of their own, unless exactly these are there. They are no dependencies of ours. */
export function installPackages({ folder, dependencies, print }: InstallOptions): Installed {
  const wanted = JSON.stringify(dependencies);
  const done = join(folder, "installed.json");
  if (!existsSync(done) || readFileSync(done, "utf8") !== wanted) {
    const npm = process.env["npm_execpath"];
    if (!npm) throw new Error("cannot find npm; start this script with npm run");
    print(`installing ${Object.keys(dependencies).join(", ")} into ${folder}`);
    rmSync(join(folder, "node_modules"), { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
    const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    const stdio = ["ignore", "ignore", "inherit"] as const;
    execFileSync(process.execPath, [npm, ...args], { cwd: folder, stdio: [...stdio], timeout: INSTALL_MS });
    writeFileSync(done, wanted);
  }
  const folderOf = (name: string): string => join(folder, "node_modules", name);
  return { folderOf, programOf: (name) => join(folderOf(name), programIn(folderOf(name), name)) };
}

function programIn(folder: string, name: string): string {
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly bin?: unknown;
  };
  const program = typeof bin === "string" ? bin : (bin as { readonly [name: string]: unknown })?.[name];
  if (typeof program === "string") return program;
  throw new Error(`${name} has no command of its name`);
}
