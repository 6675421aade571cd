import { dirname, join, relative } from "node:path";
import { isInside } from "indusagi/core";
import type { HiddenPlace, ReplacedFile, SandboxPlan } from "./sandbox-plan.ts";

export interface BubblewrapMachine {
  readonly isRoot: boolean;
  /** Folders with sockets of services, which could act on behalf of a command. */
  readonly sockets: readonly string[];
  /** Folders for temporary files, such as `/tmp`. */
  readonly temporary: readonly string[];
  /** Folders inside `sockets` that hold programs. */
  readonly programs: readonly string[];
}

/**
 * The arguments of `bwrap` up to the command: the whole file system read-only, the workspace as planned, no network and no other
 * processes. Later mounts cover earlier ones, so the order matters.
 */
export function bubblewrapArguments(
  { access, workspace, scratch, readOnly, hidden, replaced }: SandboxPlan,
  { isRoot, sockets, programs, ...machine }: BubblewrapMachine,
): string[] {
  const canSeeAll = access === "read-anywhere";
  const temporary = canSeeAll ? [] : machine.temporary;
  const isWithin = ({ path }: HiddenPlace): boolean => isInside(path, [workspace]);
  const isCovered = ({ path }: HiddenPlace): boolean => isInside(path, [...sockets, ...temporary]);
  const within = hidden.filter(isWithin);
  // Elsewhere bubblewrap would create the file first, possibly where a command's link leads.
  const isThere = ({ path }: ReplacedFile): boolean =>
    isInside(path, [workspace]) ||
    !isInside(path, [...sockets, ...temporary, ...hidden.map((place) => place.path)]);
  return [
    ...ISOLATION,
    ...(isRoot ? ROOT_RIGHTS : []),
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    // Otherwise root could change kernel settings in /proc/sys, one of which names a program to run.
    ...(isRoot ? ["--remount-ro", "/proc"] : []),
    ...sockets.flatMap((path) => ["--tmpfs", path]),
    ...programs.flatMap((path) => ["--ro-bind", path, path]),
    ...temporary.flatMap((path) => ["--bind", scratch, path]),
    ...temporary.flatMap((path) => coverAbove(workspace, path)),
    ...(canSeeAll ? ["--bind", scratch, scratch] : []),
    ...hidden.filter((place) => !isWithin(place) && !isCovered(place)).flatMap(hide),
    ...(access === "write"
      ? [
          ...["--bind", workspace, workspace],
          ...foldersAbove([...readOnly, ...within.map(({ path }) => path)], workspace).flatMap(pin),
          ...readOnly.flatMap((path) => ["--ro-bind", path, path]),
        ]
      : ["--ro-bind", workspace, workspace]),
    ...replaced.filter(isThere).flatMap(({ path, by }) => ["--ro-bind", by, path]),
    ...within.flatMap(hide),
  ];
}

/** `--new-session` keeps a command from typing into our terminal. */
const ISOLATION = [
  "--die-with-parent",
  "--new-session",
  "--unshare-pid",
  "--unshare-net",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
] as const;

/** Root keeps only what it needs to use other users' files, as in a container with a mounted project. */
const ROOT_RIGHTS = [
  ...["--cap-drop", "ALL"],
  ...["CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER"].flatMap((right) => ["--cap-add", right]),
];

/**
 * For a workspace deep inside a temporary folder: commands share that folder, and one could replace a folder above the workspace
 * by a link. Bubblewrap would then create the next mount point where the link leads.
 */
function coverAbove(workspace: string, temporary: string): string[] {
  if (!isInside(workspace, [temporary])) return [];
  const [first = "", ...deeper] = relative(temporary, workspace).split("/");
  return deeper.length === 0 ? [] : ["--tmpfs", join(temporary, first)];
}

/** The folders between the workspace and these paths, outer ones first. */
function foldersAbove(paths: readonly string[], workspace: string): string[] {
  const folders = new Set<string>();
  for (const path of paths)
    for (let folder = dirname(path); folder.length > workspace.length; folder = dirname(folder))
      folders.add(folder);
  return [...folders].toSorted((one, other) => one.length - other.length);
}

/** A mount cannot be moved. Otherwise a command could move a folder away and put its own in its place. */
function pin(folder: string): string[] {
  return ["--bind", folder, folder];
}

function hide({ path, isFolder }: HiddenPlace): string[] {
  return isFolder ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path];
}
