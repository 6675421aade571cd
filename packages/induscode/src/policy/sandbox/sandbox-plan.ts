import { CoreError } from "indusagi/core";

/**
 * What a command in a sandbox may do, besides using the temporary folder:
 *
 * - `write`: change the workspace, except for what is read-only
 * - `read`: change nothing
 * - `read-anywhere`: change nothing, but see hidden places and other programs' temporary files too
 */
export type SandboxAccess = "write" | "read" | "read-anywhere";

/** What a command in a sandbox can use. Paths are absolute and without links. */
export interface SandboxPlan {
  readonly access: SandboxAccess;
  /** The folder of the session. */
  readonly workspace: string;
  /** The temporary folder. On Linux the command sees it as `/tmp`, except with `read-anywhere`. */
  readonly scratch: string;
  /** Existing folders and files in the workspace that are read-only even with `write`. */
  readonly readOnly: readonly string[];
  /** Existing places that the command does not see. */
  readonly hidden: readonly HiddenPlace[];
  /** Files shown, read-only, with the content of another file. Both exist, or `path` is in `/dev`. Only on Linux. */
  readonly replaced: readonly ReplacedFile[];
}

export interface HiddenPlace {
  readonly path: string;
  readonly isFolder: boolean;
}

export interface ReplacedFile {
  readonly path: string;
  readonly by: string;
}

/** A command cannot run in the sandbox: `unsafe` if a protected path could not be protected. */
export class SandboxError extends CoreError<"unsafe"> {}
