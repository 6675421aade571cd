import { dirname } from "node:path";
import { homeFolder, type PlaceOptions, userConfigPath } from "indusagi/config";
import { cacheRoot, stateRoot } from "../../state/index.ts";

/** Paths that must not change without asking. */
export interface ProtectedPaths {
  /** Absolute folders and files. Everything below is protected too. */
  readonly places: readonly string[];
}

/** Folders that git, agents and editors look for in a project: their files name programs that are started. */
const PROJECT_FOLDERS = [
  ".git",
  ".indusvx",
  ".claude",
  ".codeium",
  ".codex",
  ".cursor",
  ".gemini",
  ".vscode",
  ".zed",
] as const;

/** Files that agents look for in a project, for the same reason, with valid empty contents. */
export const EMPTY_PROJECT_FILES: { readonly [name: string]: string } = {
  ".mcp.json": '{"mcpServers":{}}\n',
  "opencode.json": "{}\n",
  "opencode.jsonc": "{}\n",
};

const PROJECT_FILES = Object.keys(EMPTY_PROJECT_FILES);

/** Names in a project folder where a new file is as dangerous as a changed one, because programs read it automatically. */
export const PROTECTED_IN_PROJECTS: readonly string[] = [...PROJECT_FOLDERS, ...PROJECT_FILES];

/** A path with one of these parts is protected. */
const PARTS: ReadonlySet<string> = new Set([...PROJECT_FOLDERS, "git~1", ".ssh"]);

/** Files protected in every folder: a shell, git or an agent runs or reads them. */
const FILES: ReadonlySet<string> = new Set([
  ...PROJECT_FILES,
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".bash_aliases",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".zlogin",
  ".zlogout",
  ".kshrc",
  ".mkshrc",
  ".cshrc",
  ".tcshrc",
  ".login",
  ".logout",
  ".inputrc",
  ".xprofile",
  ".xinitrc",
  ".xsessionrc",
  ".envrc",
  ".gitconfig",
  ".gitmodules",
  ".claude.json",
  "claude_desktop_config.json",
  "config.fish",
  "profile.ps1",
  "microsoft.powershell_profile.ps1",
]);

/** Files that hold secrets, except examples. */
const SECRETS = /^\.env(?:\..+)?$/;
const EXAMPLE = /\.(?:example|sample|template|dist)$/;

/** Files here run when any user logs in. */
const SYSTEM_PLACES = [
  "/etc/profile",
  "/etc/profile.d",
  "/etc/bash.bashrc",
  "/etc/bashrc",
  "/etc/zsh",
  "/etc/fish",
];

/** The protected places of this machine, in addition to protected names. `extra` are absolute paths. */
export function protectedPaths(extra: readonly string[] = [], options: PlaceOptions = {}): ProtectedPaths {
  const home = homeFolder(options);
  const config = userConfigPath(options);
  // The cache holds code of the `indus` command.
  const own = [stateRoot(options), cacheRoot(options)];
  const places = [
    ...SYSTEM_PLACES,
    ...(config === undefined ? [] : [dirname(config)]),
    ...own.filter((place) => place !== undefined),
    ...(home === undefined ? [] : [`${home}/.config/fish`, `${home}/.config/git`, `${home}/.config/indusvx`]),
    ...extra,
  ];
  return { places: [...new Set(places.map(normal))] };
}

/** Whether an absolute path is protected. It need not exist. */
export function isProtected(path: string, { places }: ProtectedPaths): boolean {
  const plain = normal(path);
  const parts = plain.split("/");
  if (parts.some((part) => PARTS.has(part))) return true;
  const name = parts.at(-1) ?? "";
  if (FILES.has(name) || (SECRETS.test(name) && !EXAMPLE.test(name))) return true;
  return places.some((place) => plain === place || (plain.startsWith(place) && plain[place.length] === "/"));
}

/** Characters that some file systems ignore in names. */
const IGNORED = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/**
 * One spelling for all names of a file: macOS and Windows ignore case, Windows also trailing dots and blanks and everything
 * after a colon. Applied on every system: better to ask once too often.
 */
function normal(path: string): string {
  const plain = path.replaceAll("\\", "/").replace(IGNORED, "").toLowerCase();
  return /[. :](?:\/|$)|:/.test(plain) ? plain.split("/").map(trimmedName).join("/") : plain;
}

function trimmedName(name: string, index: number): string {
  const isDrive = index === 0 && /^[a-z]:$/.test(name);
  return isDrive || name === "." || name === ".." ? name : name.replace(/:.*$/, "").replace(/[. ]+$/, "");
}
