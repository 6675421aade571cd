import type { ConfigPath } from "indusagi/config";
import type { Environment } from "indusagi/core";
import type { CLIENT_WORDS } from "../../launch/internal.ts";

/** The MCP clients whose files we can read and write. */
export type ClientId = (typeof CLIENT_WORDS)[number];

/** Whose file it is: the user's, the project's, or the user's for one project (Claude Code). */
export type ClientScope = "user" | "project" | "local";

/** The machine and folder that the paths depend on. */
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
  /** Never written: another place of the same scope is. Default false. */
  readonly isOnlyRead?: boolean;
}

/**
 * Which variables a client expands in its rows: none; `${NAME}` and the editor's names, as we do; these and `$NAME`; or
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
  /** Whether it starts servers in the project folder. Otherwise the command must name the folder. */
  readonly startsInProject: boolean;
  /** How to make it start its servers again, as a clause. */
  readonly restart: string;
  /** It reloads its file when that changes. Default false. */
  readonly followsFile?: boolean;
  /** It lists the tools again after `list_changed`, so its gateway tells it about other servers. Default false. */
  readonly followsChanges?: boolean;
  /** It has tools for files and commands itself, so those of the gateway would be there twice. Default false. */
  readonly hasFileTools?: boolean;
  /** Every place, in reading order. We write to the one of the scope that exists, or else to the first. */
  readonly places: (world: ClientWorld) => readonly ClientPlace[];
}
