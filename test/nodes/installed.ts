import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { shellCommands } from "../kit/documents.ts";

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

/**
 * Packs both packages, installs them with the line of the README into an empty prefix, and uses the command and the framework
 * as a user does. Returns `works`, or what went wrong.
 */
export function installResult(options: InstallOptions): string {
  rmSync(options.scratch, { recursive: true, force: true });
  try {
    tryInstall(options);
    return "works";
  } catch (thrown) {
    // It becomes a cell of a table.
    return `FAILED (${String(thrown).split("\n")[0]?.replaceAll("|", "/")})`;
  } finally {
    rmSync(options.scratch, { recursive: true, force: true });
  }
}

/** The two lines of the README: the first packs, the second installs what it packed. */
export interface InstallLines {
  readonly pack: string;
  readonly install: string;
  /** The files that the second line installs, in the folder where it runs. */
  readonly archives: readonly string[];
}

export function installLines(readme: string): InstallLines {
  const lines = shellCommands(readme);
  const at = lines.findIndex((line) => line.endsWith("npm run pack"));
  const [pack, install] = lines.slice(at, at + 2);
  if (at === -1 || !pack || !install?.startsWith("npm install --global "))
    throw new Error('README.md has no line "… npm run pack" with "npm install --global …" after it');
  return { pack, install, archives: install.split(/\s+/).filter((word) => word.endsWith(".tgz")) };
}

/** Throws with the first thing that does not work. */
function tryInstall({ root, scratch, node, npm }: InstallOptions): void {
  const { install, archives } = installLines(readFileSync(join(root, "README.md"), "utf8"));
  const at = (...parts: readonly string[]): string => join(scratch, ...parts);
  for (const folder of ["packs", "prefix", "home", "work", "program"])
    mkdirSync(at(folder), { recursive: true });
  const npmEnv = {
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env["PATH"] ?? ""}`,
    npm_config_prefix: at("prefix"),
    npm_config_audit: "false",
    npm_config_fund: "false",
  };
  // Without a shell Windows cannot start npm by its name; node can run npm's script.
  const runNpm = (cwd: string, ...args: readonly string[]): string =>
    execFileSync(node, [npm, ...args], {
      cwd,
      env: npmEnv,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  runNpm(root, "pack", "--workspaces", "--ignore-scripts", "--pack-destination", at("packs"));
  runNpm(at("packs"), ...install.split(/\s+/).slice(1));

  const run = commandRunner({ node, prefix: at("prefix"), home: at("home"), cwd: at("work") });
  const { version } = JSON.parse(readFileSync(join(root, "packages/induscode/package.json"), "utf8")) as {
    readonly version: string;
  };
  for (const command of ["indus", "indusagi"]) run([command, "--version"], (out) => out.trim() === version);
  run(["indus", "tools"], (out) => out.includes("webfetch"));
  writeFileSync(at("offered.json"), JSON.stringify({ tools: [ADD] }));
  const row = { command: node, args: [join(root, "test/servers/listed.mjs"), at("offered.json")] };
  writeFileSync(at("servers.json"), JSON.stringify({ mcpServers: { desk: row } }));
  run(["indus", "mcp", "list", "--mcp", at("servers.json")], (out) => /\bdesk\b.*\bready\b/.test(out));
  run(["indus", "mcp", "call", "desk__add", "--mcp", at("servers.json")], (out) => out === "called add\n");

  writeFileSync(at("program", "package.json"), JSON.stringify({ private: true, type: "module" }));
  runNpm(at("program"), "install", ...archives.map((archive) => at("packs", archive)));
  writeFileSync(at("program", "main.js"), programOver(row));
  run([node, at("program", "main.js")], (out) => out === "desk__add\n");
  const shown = runNpm(at("program"), "exec", "--offline", "--", "indus", "--version").trim();
  if (shown !== version) throw new Error(`npx indus --version printed ${shown}`);
}

const ADD = { name: "add", inputSchema: { type: "object" } };

/** A program with the framework: it prints the tools of a server. */
function programOver(row: { readonly command: string; readonly args: readonly string[] }): string {
  const server = { kind: "stdio", id: "desk", ...row };
  return [
    'import { mountProtocolBridge } from "indusagi/interop";',
    `const { box, fleet } = await mountProtocolBridge({ servers: [${JSON.stringify(server)}] });`,
    "console.log(box.descriptors().map(({ name }) => name).join());",
    "await fleet.tearDown();",
  ].join("\n");
}

interface Place {
  readonly node: string;
  /** Where npm installed the commands. */
  readonly prefix: string;
  readonly home: string;
  readonly cwd: string;
}

/** Against a hang only. */
const HANG_MS = 120_000;

/** Runs commands as a new user has them: only the prefix and node on the PATH, and nothing in the home. */
function commandRunner({ node, prefix, home, cwd }: Place) {
  const isWindows = process.platform === "win32";
  const path = [isWindows ? prefix : join(prefix, "bin"), dirname(node)];
  const { SystemRoot, TEMP, TMPDIR } = process.env;
  const env = { SystemRoot, TEMP, TMPDIR, HOME: home, USERPROFILE: home, PATH: path.join(delimiter) };
  return ([command = "", ...args]: readonly string[], isRight: (out: string) => boolean): void => {
    const { status, stdout, stderr, error } = spawnSync(command, args, {
      cwd,
      env,
      encoding: "utf8",
      timeout: HANG_MS,
      shell: isWindows,
    });
    const name = [command === node ? "node" : command, ...args.slice(0, 2)].join(" ");
    if (error) throw new Error(`${name}: ${error.message}`);
    if (status !== 0) throw new Error(`${name} exited with ${status}: ${stderr.trim().split("\n")[0]}`);
    if (!isRight(stdout)) throw new Error(`${name} printed ${JSON.stringify(stdout)}`);
  };
}
