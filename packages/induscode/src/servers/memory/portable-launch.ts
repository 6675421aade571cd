import { existsSync } from "node:fs";
import { basename, dirname, isAbsolute, join, win32 } from "node:path";
import type { LaunchAsWritten } from "indusagi/config";

/**
 * Whether a row starts the same program in every folder, so what it offered in one folder is known in all. A relative path, a
 * `cwd` or a workspace variable makes it another program; so does a launcher that looks into the folder first, where the folder
 * has an answer for it. When in doubt it is another program: then the server is only listed once more.
 */
export function isPortableLaunch(
  written: LaunchAsWritten,
  folder: string,
  exists: Folder["exists"] = existsSync,
): boolean {
  if (textsIn(written).some((text) => WORKSPACE.test(text))) return false;
  if (written.command === undefined) return written.url !== undefined;
  if (written.cwd !== undefined || written.envFiles?.some((file) => !isRooted(file))) return false;
  const [program = "", ...words] = withoutWrapper([written.command, ...(written.args ?? [])]);
  if (!isRooted(program) && /[\\/]/.test(program)) return false;
  if (words.some((word) => isRelativePath(word) || existsIn(folder, valueOf(word), exists))) return false;
  return !looksIntoFolder(nameOf(program), words, { folder, exists });
}

interface Folder {
  readonly folder: string;
  readonly exists: (path: string) => boolean;
}

/** Whether the folder decides what a launcher starts. */
function looksIntoFolder(program: string, words: readonly string[], { folder, exists }: Folder): boolean {
  const operands = words.filter((word) => !word.startsWith("-"));
  const [first = "", second = ""] = operands;
  if (OF_PROJECT.test(program)) return true;
  if (INTERPRETER.test(program)) {
    const [module] = (words[words.indexOf("-m") + 1] ?? "").split(".");
    // Python looks for a module in the folder first.
    if (words.includes("-m")) return [`${module}`, `${module}.py`].some((name) => exists(join(folder, name)));
    // The script of an interpreter that is not absolute.
    return !words.some((word) => CODE.test(word)) && !isRooted(first);
  }
  const above = foldersAbove(folder);
  if (PACKAGE_RUNNER.test(program) || PACKAGE_RUNNER.test(`${program} ${first}`)) {
    const wanted = new Set(words.map(valueOf).map(packageName));
    return above.some((at) => [...wanted].some((name) => hasPackage(at, name, exists)));
  }
  if (/^(npm|pnpm|yarn|bun|deno)$/.test(program)) return true; // `npm start`, `bun run x`: scripts of the folder.
  if (program === "uv" && first === "run")
    return second === "" || above.some((at) => PYTHON_PROJECT.some((name) => exists(join(at, name))));
  // `uvx` and `uv tool run` never look into the folder.
  if (program === "pipx" && first === "run") return exists(join(folder, "__pypackages__"));
  return false;
}

const WORKSPACE =
  /\$\{(?:workspace\w*|cwd|fileWorkspaceFolder|CLAUDE_PROJECT_DIR|(?:env:)?(?:PWD|INIT_CWD))\b/i;
/** Programs that run what the project in the folder defines. */
const OF_PROJECT =
  /^(?:make|just|task|cargo|go|mvnw?|gradlew?|poetry|pipenv|pdm|hatch|pixi|rye|bundle|rake|mix|dotnet|nx|turbo)$/;
const INTERPRETER =
  /^(?:node|nodejs|tsx|ts-node|python[\d.]*|pypy[\d.]*|py|ruby|perl|php|java|bash|sh|zsh|fish|pwsh|powershell)$/;
/** Code on the command line: the words after it are its arguments. */
const CODE = /^(?:-e|-c|--eval|--print|-p|-Command)$/;
/** They run a package of the folder if it has one, else one from a registry. */
const PACKAGE_RUNNER = /^(?:npx|bunx|pnpx|(?:npm|pnpm|yarn|bun) (?:exec|x|dlx))$/;
const PYTHON_PROJECT = ["pyproject.toml", "uv.toml", ".venv"];

/** `cmd /c npx …` and `env NAME=value npx …` start npx. */
function withoutWrapper(words: readonly string[]): readonly string[] {
  const [program = "", ...rest] = words;
  if (/^cmd(?:\.exe)?$/i.test(basename(program)) && /^\/c$/i.test(rest[0] ?? "")) return rest.slice(1);
  if (basename(program) === "env") return rest.slice(rest.findIndex((word) => !/^\w+=|^-/.test(word)));
  return words;
}

/** `npx` for `/usr/bin/npx` and for `C:\node\npx.cmd`. */
function nameOf(program: string): string {
  return win32
    .basename(program)
    .replace(/\.(?:exe|cmd|bat|ps1)$/i, "")
    .toLowerCase();
}

function isRooted(path: string): boolean {
  return isAbsolute(path) || win32.isAbsolute(path) || path.startsWith("~") || path.startsWith("${");
}

/** `./x`, `..\x`, `.`, and the same as the value of an option. */
function isRelativePath(word: string): boolean {
  return /^\.{1,2}(?:$|[\\/])/.test(valueOf(word)) || /^file:(?!\/\/)/.test(valueOf(word));
}

/** The value of `--option=value`. */
function valueOf(word: string): string {
  return /^-[\w-]*=(.*)$/s.exec(word)?.[1] ?? word;
}

/** `@scope/name` of `@scope/name@1.2.3`. */
function packageName(word: string): string {
  return /^(@[^/@]+\/[^/@]+|[^@/]+)(?:@.*)?$/.exec(word)?.[1] ?? "";
}

function hasPackage(folder: string, name: string, exists: Folder["exists"]): boolean {
  if (name === "" || name.startsWith("-")) return false;
  const modules = join(folder, "node_modules");
  return exists(join(modules, name)) || exists(join(modules, ".bin", basename(name)));
}

function existsIn(folder: string, word: string, exists: Folder["exists"]): boolean {
  if (word === "" || word.startsWith("-") || isRooted(word) || /^[a-z][a-z\d+.-]+:/i.test(word)) return false;
  return /[\\/.]/.test(word) && exists(join(folder, word));
}

function foldersAbove(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersAbove(above)];
}

function textsIn({
  command,
  args,
  env,
  url,
  headers,
  envFiles,
  fromCommand,
}: LaunchAsWritten): readonly string[] {
  return [
    ...[command, url].flatMap((text) => text ?? []),
    ...(args ?? []),
    ...Object.values(env ?? {}),
    ...Object.values(headers ?? {}),
    ...(envFiles ?? []),
    ...Object.values(fromCommand ?? {}).flat(),
  ];
}
