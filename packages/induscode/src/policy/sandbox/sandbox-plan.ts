/**
 * What a command in a sandbox may do, besides using the folder for temporary files:
 *
 * - `write`: change the workspace, except for what is read-only
 * - `read`: change nothing
 * - `read-anywhere`: change nothing, and see also hidden places and the temporary files of other programs
 */
export type SandboxAccess = "write" | "read" | "read-anywhere";

/** What a command in a sandbox can use. Paths are absolute and without links. */
export interface SandboxPlan {
  readonly access: SandboxAccess;
  /** The folder of the session. */
  readonly workspace: string;
  /** The folder for temporary files. On Linux the command sees it as `/tmp`, except with `read-anywhere`. */
  readonly scratch: string;
  /** Folders and files inside the workspace that a command can only read even with `write`. They exist. */
  readonly readOnly: readonly string[];
  /** Places that the command does not see. They exist. */
  readonly hidden: readonly HiddenPlace[];
  /** Files that the command sees with the content of another one, read-only. Both exist, or it is in `/dev`. Only on Linux. */
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
