/** What a command in a sandbox can use. Paths are absolute and without links. */
export interface SandboxPlan {
  /** The command may change everything below, except for what is read-only or hidden. */
  readonly workspace: string;
  /** The folder for temporary files. On Linux the command sees it as `/tmp`. */
  readonly scratch: string;
  /** Folders and files inside the workspace that the command can only read. They exist. */
  readonly readOnly: readonly string[];
  /** Places that the command does not see. They exist. */
  readonly hidden: readonly HiddenPlace[];
}

export interface HiddenPlace {
  readonly path: string;
  readonly isFolder: boolean;
}
