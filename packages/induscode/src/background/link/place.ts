import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";

// Imports Node's modules only: the thin client of `indus serve --stdio` starts with this file.

/** Where a user's background gateway is found. */
export interface GatewayPlace {
  /** Holds the socket, its key and the lock of a start. Only this user may look into it. */
  readonly folder: string;
  /** The names in it begin with this: the user's files, by a hash. */
  readonly user: string;
  /** The same, and the version of the program. */
  readonly name: string;
  readonly socket: string;
  readonly key: string;
}

type Variables = { readonly [name: string]: string | undefined };

export interface PlaceOptions {
  readonly env: Variables;
  /** Tells builds of the program apart, see `buildOf`. */
  readonly build: string;
  readonly platform?: NodeJS.Platform;
  readonly uid?: number | undefined;
}

/** Systems allow little more for the path of a socket. */
const MAX_SOCKET_BYTES = 99;
const FOLDER = "indusvx";
const SHORT = "/tmp/indusvx-";

/**
 * The places where a gateway may be, the best first: the user's runtime folder, and a short one for users without it or with a long
 * one. None without a home folder. Two users never have the same, and neither do two sets of configuration and state.
 */
export function gatewayPlaces({
  env,
  build,
  platform = process.platform,
  uid = process.getuid?.(),
}: PlaceOptions): readonly GatewayPlace[] {
  const isWindows = platform === "win32";
  const home = isWindows ? env["LOCALAPPDATA"] : env["HOME"];
  if (!home || !isAbsolute(home)) return [];
  const user = hash([uid ?? "", home, env["XDG_CONFIG_HOME"] ?? "", env["XDG_STATE_HOME"] ?? ""]);
  const name = `${user}-${hash([build])}`;
  const runtime = env["XDG_RUNTIME_DIR"];
  // On Windows sockets are named pipes, which are in no folder; the key is in the user's profile. Run under Wine only.
  const folders = isWindows
    ? [join(home, FOLDER, "run")]
    : [
        ...(runtime && isAbsolute(runtime) ? [join(runtime, FOLDER)] : []),
        // Where systemd has it. Many clients start servers without this variable.
        ...(platform === "linux" && uid !== undefined ? [`/run/user/${uid}/${FOLDER}`] : []),
        `${SHORT}${user}`,
      ];
  return [...new Set(folders)]
    .map((folder) => ({
      ...{ folder, user, name },
      socket: isWindows ? `\\\\.\\pipe\\indusvx-${name}` : join(folder, `${name}.sock`),
      key: join(folder, `${name}.key`),
    }))
    .filter(({ socket }) => Buffer.byteLength(socket) <= MAX_SOCKET_BYTES);
}

/**
 * The folders with the sockets and keys of background gateways, whether there are any or not: the user's, and short ones that a
 * gateway with other folders for its configuration and state may have made.
 */
export function gatewayFolders(env: Variables): readonly string[] {
  const own = gatewayPlaces({ env, build: "" }).map(({ folder }) => folder);
  return [...new Set([...own, ...shortFolders()])];
}

function shortFolders(): readonly string[] {
  try {
    const all = process.platform === "win32" ? [] : readdirSync(dirname(SHORT));
    return all.map((name) => join(dirname(SHORT), name)).filter((path) => path.startsWith(SHORT));
  } catch {
    return [];
  }
}

/** What tells this build from others: an upgrade replaces the file that names its parts. */
export function buildOf(commandFolder: string): string {
  return readFileSync(join(commandFolder, "main.cjs"), "utf8");
}

/** Why a folder, or a file in it, must not be used. Undefined: only this user can have made it, and change it. */
export function placeProblem(path: string, kind: "folder" | "file" = "folder"): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return `${path} does not exist`;
  if (found.isSymbolicLink()) return `${path} is a link`;
  if (kind === "folder" ? !found.isDirectory() : !found.isFile()) return `${path} is not a ${kind}`;
  const uid = process.getuid?.();
  if (uid === undefined) return undefined;
  if (found.uid !== uid) return `${path} belongs to another user`;
  return (found.mode & 0o077) === 0 ? undefined : `other users can open ${path}`;
}

/** Makes the folder of a place, unless there is something. Throws if it cannot be made. */
export function makePlace({ folder }: GatewayPlace): void {
  if (lstatSync(folder, { throwIfNoEntry: false })) return;
  mkdirSync(folder, { recursive: process.platform === "win32", mode: 0o700 });
}

/** Removes what a gateway leaves. The key first: without it nobody tries to connect. A named pipe ends with its process. */
export function clearPlace({ key, socket }: GatewayPlace): void {
  const files = [key, `${key}.new`];
  for (const path of process.platform === "win32" ? files : [...files, socket]) rmSync(path, { force: true });
}

/** The key of a place. Throws, with the reason, if it must not be used. */
export function readKey({ folder, key }: GatewayPlace): Buffer {
  const problem = placeProblem(folder) ?? placeProblem(key, "file");
  if (problem !== undefined) throw new Error(problem);
  const bytes = readFileSync(key);
  if (bytes.length !== KEY_BYTES) throw new Error(`${key} is damaged`);
  return bytes;
}

export const KEY_BYTES = 32;

function hash(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 10);
}
