import { devNull } from "node:os";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import {
  type Environment,
  isInside,
  joinSignals,
  safeEnvironment,
  startTree,
  untilAborted,
} from "indusagi/core";
import { realPath } from "../paths/real-path.ts";
import { topOf } from "./repository.ts";

/** Where a command that was proven to only read runs. */
export interface ReaderPlace {
  /** The folder of the session. Programs in it are not found by their names. */
  readonly session: string;
  /** The work tree whose git it runs. Absent: it runs no git. */
  readonly gitTop?: string | undefined;
}

/**
 * The environment that keeps a reading command read-only: no program of the project is found by name, and git runs nothing that
 * a repository names. Rejects if git's configuration cannot be read; the command must not run then.
 */
export async function readerEnvironment(
  { session, gitTop }: ReaderPlace,
  { signal, env = process.env }: { readonly signal: AbortSignal; readonly env?: Environment },
): Promise<Environment> {
  const real = realPath(resolve(session));
  const project = [real, topOf(real, real)];
  const isForeign = (folder: string): boolean => isAbsolute(folder) && !isInside(realPath(folder), project);
  const folders = (env["PATH"] ?? "").split(delimiter).filter(isForeign);
  // With an empty PATH, a shell searches the current folder.
  const path = folders.length > 0 ? folders.join(delimiter) : SYSTEM_PATH;
  const common = { PATH: path, CDPATH: undefined, BASH_ENV: undefined };
  if (gitTop === undefined) return common;
  const git = { ...common, ...GIT_VARIABLES, GIT_DIR: join(gitTop, ".git"), GIT_WORK_TREE: gitTop };
  const fixed = Object.entries(SETTINGS);
  // Even reading from the index may run a file monitor.
  const reading = safeEnvironment({ ...git, ...settingVariables(fixed) }, env);
  const list = (...args: readonly string[]): Promise<readonly string[]> =>
    keysOf(args, { cwd: gitTop, env: reading, signal });
  // `.gitmodules` is read from the work tree, else from the index, else from the last commit.
  const [origins, ...modules] = await Promise.all([
    list("--show-origin", "--list"),
    list("--file", join(gitTop, ".gitmodules"), "--list"),
    list("--blob", ":.gitmodules", "--list"),
    list("--blob", "HEAD:.gitmodules", "--list"),
  ]);
  const settings = [
    ...fixed,
    ...keysIn(origins, join(gitTop, ".git")).flatMap(neutralSetting),
    ...modules.flat().flatMap(submoduleSetting),
  ];
  if (settings.length > MAX_SETTINGS)
    throw new Error(
      `the repository's git configuration has more than ${MAX_SETTINGS} entries that name programs`,
    );
  return { ...git, ...settingVariables(settings) };
}

/** Git's way to pass settings in variables. They override those in files. */
function settingVariables(settings: readonly (readonly [key: string, value: string])[]): Environment {
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}

const SYSTEM_PATH = ["/usr/bin", "/bin"].join(delimiter);

/** Makes git read only the repository's configuration, and never fetch, prompt or write. */
const GIT_VARIABLES: Environment = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: devNull,
  GIT_ATTR_NOSYSTEM: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  GIT_EDITOR: "false",
};

/** Override the settings of the repository. */
const SETTINGS: { readonly [key: string]: string } = {
  "core.fsmonitor": "false",
  "core.hooksPath": devNull,
  "core.pager": "cat",
  "core.untrackedCache": "false",
  "safe.bareRepository": "explicit",
  "gpg.program": "false",
  "gpg.openpgp.program": "false",
  "gpg.x509.program": "false",
  "gpg.ssh.program": "false",
  "log.showSignature": "false",
  // `remerge` writes files.
  "log.diffMerges": "separate",
  "diff.autoRefreshIndex": "false",
  // Messages could show parts of files elsewhere.
  "blame.ignoreRevsFile": "",
  "core.attributesFile": devNull,
  "core.excludesFile": devNull,
  "diff.orderFile": devNull,
  "mailmap.file": devNull,
  // These variables do not reach the configuration of a submodule.
  "diff.ignoreSubmodules": "all",
  "diff.submodule": "short",
  "status.submoduleSummary": "false",
  "submodule.recurse": "false",
};

/** Entries alternate between origin and name. A file that is included from elsewhere may hold secrets. */
function keysIn(origins: readonly string[], place: string): readonly string[] {
  const keys = origins.filter((_, index) => index % 2 === 1);
  const files = origins.filter((entry, index) => index % 2 === 0 && entry.startsWith("file:"));
  // A relative file is relative to the work tree, where git runs.
  const first = files.map((entry) => resolve(dirname(place), entry.slice("file:".length))).map(realPath);
  const own = [realPath(place), dirname(place), ...first.slice(0, 1).map((file) => dirname(file))];
  const foreign = first.find((file) => !isInside(file, own));
  if (foreign !== undefined) throw new Error(`the repository's git configuration includes ${foreign}`);
  return keys;
}

/** Settings with names chosen by the repository. An empty filter changes nothing; `cat` shows the file as it is. */
const NEUTRAL: readonly (readonly [pattern: RegExp, value: string])[] = [
  [/^filter\..*\.(?:clean|smudge|process)$/is, ""],
  [/^filter\..*\.required$/is, "false"],
  [/^diff\..*\.textconv$/is, "cat"],
  [/^diff\..*\.cachetextconv$/is, "false"],
  // Such a diff fails: no program shows it as git does.
  [/^diff\.(?:external|.*\.command)$/is, "false"],
  [/^merge\..*\.driver$/is, "false"],
  [/^pager\..*$/is, "false"],
  [/^remote\..*\.promisor$/is, "false"],
];

function neutralSetting(key: string): (readonly [string, string])[] {
  const row = NEUTRAL.find(([pattern]) => pattern.test(key));
  return row ? [[key, row[1]]] : [];
}

function submoduleSetting(key: string): (readonly [string, string])[] {
  const name = /^submodule\.(.*)\.[^.]*$/is.exec(key)?.[1];
  return name === undefined ? [] : [[`submodule.${name}.ignore`, "all"]];
}

const MAX_SETTINGS = 2_000;
const MAX_BYTES = 1024 * 1024;
const TIMEOUT_MS = 10_000;

interface ListOptions {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly signal: AbortSignal;
}

/** The names in a configuration and its includes. Reading it runs no program. Empty if there is none. */
async function keysOf(
  args: readonly string[],
  { signal, ...options }: ListOptions,
): Promise<readonly string[]> {
  const chunks: Buffer[] = [];
  let size = 0;
  const tree = await startTree("git", ["config", "--includes", "--name-only", "--null", ...args], {
    ...options,
    onStdout: (chunk) => {
      size += chunk.length;
      if (size <= MAX_BYTES) chunks.push(Buffer.from(chunk));
    },
  });
  try {
    await untilAborted(tree.gone, joinSignals(signal, AbortSignal.timeout(TIMEOUT_MS)));
  } finally {
    await tree.end();
  }
  if (size > MAX_BYTES) throw new Error("the repository's git configuration is too large");
  const text = Buffer.concat(chunks).toString("utf8");
  // Such a name cannot be passed in a variable, so its program could not be overridden.
  if (text.includes("\uFFFD"))
    throw new Error("the repository's git configuration has names that are not UTF-8");
  return text.split("\0").filter((key) => key !== "");
}
