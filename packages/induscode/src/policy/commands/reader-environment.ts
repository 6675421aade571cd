import { devNull } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import {
  type Environment,
  isInside,
  joinSignals,
  safeEnvironment,
  startTree,
  untilAborted,
} from "indusagi/core";
import { realPath } from "../paths/real-path.ts";

/** What a command that was proven to only read is run in. */
export interface ReaderPlace {
  /** The folder of the session. Programs in it are not found by their names. */
  readonly session: string;
  /** The work tree whose git it runs. Absent: it runs no git. */
  readonly gitTop?: string | undefined;
}

/**
 * The variables with which a command that only reads stays one: no program of the project is found by its name, and git runs
 * nothing that a repository names. Rejects if git's configuration cannot be read; then the command must not run.
 */
export async function readerEnvironment(
  { session, gitTop }: ReaderPlace,
  { signal, env = process.env }: { readonly signal: AbortSignal; readonly env?: Environment },
): Promise<Environment> {
  const folders = (env["PATH"] ?? "").split(delimiter);
  const isForeign = (folder: string): boolean => isAbsolute(folder) && !isInside(realPath(folder), [session]);
  const common = { PATH: folders.filter(isForeign).join(delimiter), CDPATH: undefined, BASH_ENV: undefined };
  if (gitTop === undefined) return common;
  const git = { ...common, ...GIT_VARIABLES, GIT_DIR: join(gitTop, ".git"), GIT_WORK_TREE: gitTop };
  const fixed = Object.entries(SETTINGS);
  // Reading a name of the index may already run a file monitor.
  const reading = safeEnvironment({ ...git, ...settingVariables(fixed) }, env);
  const list = (...args: readonly string[]): Promise<readonly string[]> =>
    keysOf(args, { cwd: gitTop, env: reading, signal });
  // `.gitmodules` is read from the work tree, else from the index, else from the last commit.
  const [keys, ...modules] = await Promise.all([
    list("--list"),
    list("--file", join(gitTop, ".gitmodules"), "--list"),
    list("--blob", ":.gitmodules", "--list"),
    list("--blob", "HEAD:.gitmodules", "--list"),
  ]);
  const settings = [...fixed, ...keys.flatMap(neutralSetting), ...modules.flat().flatMap(submoduleSetting)];
  if (settings.length > MAX_SETTINGS)
    throw new Error(
      `the configuration of the repository has more than ${MAX_SETTINGS} entries that name programs`,
    );
  return { ...git, ...settingVariables(settings) };
}

/** Git's way to pass settings in variables. They win over those in files. */
function settingVariables(settings: readonly (readonly [key: string, value: string])[]): Environment {
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}

/** Git reads only the configuration of the repository; nothing is fetched, asked or written. */
const GIT_VARIABLES: Environment = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: devNull,
  GIT_ATTR_NOSYSTEM: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  GIT_EDITOR: "false",
};

/** Settings that win over those of the repository. */
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
  // A submodule has a configuration of its own, which these variables do not reach.
  "diff.ignoreSubmodules": "all",
  "diff.submodule": "short",
  "status.submoduleSummary": "false",
  "submodule.recurse": "false",
};

/** Names that the repository chooses. An empty filter changes nothing, and the text conversion shows the file as it is. */
const NEUTRAL: readonly (readonly [pattern: RegExp, value: string])[] = [
  [/^filter\..*\.(?:clean|smudge|process)$/is, ""],
  [/^filter\..*\.required$/is, "false"],
  [/^diff\..*\.textconv$/is, "cat"],
  [/^diff\..*\.cachetextconv$/is, "false"],
  // Such a difference fails: there is no program that shows it as git does.
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

/** The names in a configuration, with those that it includes. Reading it runs no program. Empty if there is none. */
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
  if (size > MAX_BYTES) throw new Error("the configuration of the repository is too large");
  const text = Buffer.concat(chunks).toString("utf8");
  // Such a name cannot be put into a variable, so its program could not be kept from running.
  if (text.includes("\uFFFD"))
    throw new Error("the configuration of the repository has names that are not UTF-8");
  return text.split("\0").filter((key) => key !== "");
}
