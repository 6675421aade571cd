import type { ConfigPath } from "indusagi/config";
import type { Environment } from "indusagi/core";

/** The MCP clients whose files we can read and write. */
export type ClientId =
  | "claude-desktop"
  | "claude-code"
  | "cursor"
  | "vscode"
  | "windsurf"
  | "codex"
  | "gemini"
  | "zed"
  | "opencode";

/** Whose file it is: the user's, one of a project, or the user's for one project (Claude Code). */
export type ClientScope = "user" | "project" | "local";

/** The machine and folder for which places are computed. */
export interface ClientWorld {
  readonly home: string;
  readonly cwd: string;
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
}

/** A place where a client keeps rows. */
export interface ClientPlace {
  readonly scope: ClientScope;
  readonly file: string;
  /** Where the rows are in the file. */
  readonly container: ConfigPath;
  /** We write to another place of the same scope. Default false. */
  readonly isOnlyRead?: boolean;
}

/**
 * Which variables a client expands in its rows: none, `${NAME}` and the editor's names as we do, also `$NAME`, or
 * `{env:NAME}`.
 */
export type ClientVariables = "none" | "braces" | "dollar" | "opencode";

/** What we know about one client. */
export interface Client {
  readonly id: ClientId;
  /** Its name for people. */
  readonly title: string;
  readonly format: "json" | "toml";
  readonly variables: ClientVariables;
  /** Whether it starts servers in the folder of the project. Otherwise the folder must be part of the command. */
  readonly startsInProject: boolean;
  /** How to make it start its servers again, as a clause. */
  readonly restart: string;
  /** It follows changes of its file by itself. Default false. */
  readonly followsFile?: boolean;
  /** Every place, in the order in which it is read. We write to the first one of a scope, or to one that exists. */
  readonly places: (world: ClientWorld) => readonly ClientPlace[];
}
