import type { ServerConfig } from "../../contract/index.ts";

/**
 * The package that the launch of a server installs if it is missing, such as `npm:@scope/name`; `undefined` if it installs nothing.
 * The version is ignored. If no argument can be identified as the package, the whole command line stands for it.
 */
export function installedPackage(config: ServerConfig): string | undefined {
  if (config.kind !== "stdio") return undefined;
  const words = withoutWrapper([config.command, ...(config.args ?? [])]);
  const launcher = launcherOf(words);
  if (!launcher) return undefined;
  const { family, rest, rule } = launcher;
  const name = packagesIn(rest, rule)[0];
  return `${family}:${name === undefined ? words.join(" ") : withoutVersion(name, family)}`;
}

/**
 * The exact version or image that a launch pins, such as `1.4.2` in `npx some-server@1.4.2`; `undefined` if the launch may get
 * another one tomorrow.
 */
export function exactPackageVersion(config: ServerConfig): string | undefined {
  if (config.kind !== "stdio") return undefined;
  const launcher = launcherOf(withoutWrapper([config.command, ...(config.args ?? [])]));
  if (!launcher) return undefined;
  const [name = ""] = packagesIn(launcher.rest, launcher.rule);
  return EXACT[launcher.family].exec(name)?.[1];
}

/** A range such as `1.x`, `^1.2.0` or `latest` is not exact, and an image tag can be moved. */
const EXACT: { readonly [family in Family]: RegExp } = {
  npm: /.@v?(\d+\.\d+\.\d+(?:[-+][\w.+-]+)?)$/,
  python: /(?:===?|@)\s*v?(\d+(?:\.\d+)+[\w.+-]*)$/,
  image: /@(sha256:[0-9a-f]{64})$/,
};

/** The packages of an npx launch as written; `undefined` for any other launch. */
export function npxPackages(config: ServerConfig): readonly string[] | undefined {
  if (config.kind !== "stdio") return undefined;
  const launcher = launcherOf(withoutWrapper([config.command, ...(config.args ?? [])]));
  return launcher?.isNpx ? packagesIn(launcher.rest, launcher.rule) : undefined;
}

type Family = "npm" | "python" | "image";

/** How to parse the arguments of a launcher. */
interface LauncherRule {
  /** Options that take no value. All other long options take one. */
  readonly switches: readonly string[];
  /** Options whose value is a package. */
  readonly packages: readonly string[];
  /** Short options that take a value; the others are switches, alone or joined as in `-it`. */
  readonly valued: string;
}

const NPM: LauncherRule = {
  switches: ["--yes", "--no", "--quiet", "--silent", "--offline", "--prefer-offline", "--prefer-online"]
    .concat(["--ignore-existing", "--no-install", "--bun", "--verbose", "--no-audit", "--no-fund"])
    .concat(["--shell-mode", "--legacy-peer-deps", "--ignore-scripts", "--force", "--no-update-notifier"]),
  packages: ["--package", "-p"],
  valued: "pcw",
};
const PYTHON: LauncherRule = {
  switches: ["--quiet", "--verbose", "--offline", "--isolated", "--no-cache", "--refresh", "--upgrade"]
    .concat(["--native-tls", "--no-progress", "--no-config", "--managed-python", "--no-managed-python"])
    .concat([
      "--no-python-downloads",
      "--system-site-packages",
      "--no-env-file",
      "--reinstall",
      "--no-build",
    ]),
  packages: ["--from", "--spec"],
  valued: "pciwPC",
};
const IMAGE: LauncherRule = {
  switches: ["--rm", "--interactive", "--tty", "--detach", "--init", "--privileged", "--read-only", "--quiet"]
    .concat(["--publish-all", "--no-healthcheck", "--oom-kill-disable", "--sig-proxy", "--replace"])
    .concat(["--disable-content-trust", "--use-api-socket"]),
  packages: [],
  valued: "acehlmpuvw",
};

interface LauncherSpec {
  readonly words: readonly string[];
  readonly family: Family;
  readonly rule: LauncherRule;
  readonly isNpx?: boolean;
}

const LAUNCHERS: readonly LauncherSpec[] = [
  { words: ["npx"], family: "npm", rule: NPM, isNpx: true },
  { words: ["npm", "exec"], family: "npm", rule: NPM, isNpx: true },
  { words: ["npm", "x"], family: "npm", rule: NPM, isNpx: true },
  { words: ["bunx"], family: "npm", rule: NPM },
  { words: ["bun", "x"], family: "npm", rule: NPM },
  { words: ["pnpx"], family: "npm", rule: NPM },
  { words: ["pnpm", "dlx"], family: "npm", rule: NPM },
  { words: ["yarn", "dlx"], family: "npm", rule: NPM },
  { words: ["uvx"], family: "python", rule: PYTHON },
  { words: ["uv", "tool", "run"], family: "python", rule: PYTHON },
  { words: ["pipx", "run"], family: "python", rule: PYTHON },
  { words: ["docker", "run"], family: "image", rule: IMAGE },
  { words: ["docker", "container", "run"], family: "image", rule: IMAGE },
  { words: ["podman", "run"], family: "image", rule: IMAGE },
];

interface Launcher extends LauncherSpec {
  /** The words after the launcher itself. */
  readonly rest: readonly string[];
}

/** Finds the launcher. Options may precede its verb, as in `npm --silent exec`. */
function launcherOf([command = "", ...args]: readonly string[]): Launcher | undefined {
  const program = programName(command);
  for (const spec of LAUNCHERS) {
    const [first, ...verbs] = spec.words;
    if (first !== program) continue;
    const start = verbs.length === 0 ? 0 : args.findIndex((word) => !word.startsWith("-"));
    if (start >= 0 && verbs.every((verb, at) => args[start + at] === verb))
      return { ...spec, rest: args.slice(start + verbs.length) };
  }
  return undefined;
}

/** `npx` for `/usr/bin/npx` and for `C:\node\npx.cmd`. */
function programName(command: string): string {
  const name = command.split(/[\\/]/).at(-1) ?? "";
  return name.toLowerCase().replace(/\.(cmd|exe|bat|ps1)$/, "");
}

/** Rows on Windows often run npx through `cmd /c`, others through `env NAME=value`. */
function withoutWrapper(words: readonly string[]): readonly string[] {
  const [command = "", ...args] = words;
  const program = programName(command);
  if (program === "cmd" && /^\/[cdsk]$/i.test(args[0] ?? "")) {
    const start = args.findIndex((word) => !word.startsWith("/"));
    return start < 0 ? words : args.slice(start);
  }
  if (program !== "env") return words;
  const start = args.findIndex((word) => !word.startsWith("-") && !word.includes("="));
  return start < 0 ? words : args.slice(start);
}

/** The packages that options name; if there are none, the first word that is not an option. */
function packagesIn(words: readonly string[], rule: LauncherRule): readonly string[] {
  const named: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") return named.length > 0 ? named : words.slice(at + 1, at + 2);
    if (!word.startsWith("-")) return named.length > 0 ? named : [word];
    const [option = "", value] = word.startsWith("--") ? word.split(/=(.*)/s) : [word];
    const takesNext = value === undefined && takesValue(option, rule);
    const given = value ?? words[at + 1];
    if (rule.packages.includes(option) && given !== undefined) named.push(given);
    if (takesNext) at++;
  }
  return named;
}

function takesValue(option: string, { switches, valued }: LauncherRule): boolean {
  if (option.startsWith("--")) return !switches.includes(option);
  return valued.includes(option.at(-1) ?? "");
}

/** `name@1.2` and `@scope/name@1.2`; `name==1.2` and `name[extra]`; `host:5000/image:tag` and `image@sha256:…`. */
function withoutVersion(name: string, family: Family): string {
  if (family === "image") return name.replace(/@.*$/s, "").replace(/:[^/:]*$/, "");
  if (family === "python") return name.replace(/(?<=.)[@=<>~![].*$/s, "").toLowerCase();
  return name.replace(/(?<=.)@.*$/s, "");
}
