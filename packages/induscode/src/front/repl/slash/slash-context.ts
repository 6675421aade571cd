import type { ServerConfig } from "indusagi/interop";
import type { Session } from "../../../conductor/index.ts";
import type { SavedSession } from "../../../conductor/internal.ts";
import type { NextSession } from "../../../conductor/open/internal.ts";
import { fitWidth } from "../../../screen/internal.ts";
import type { OpenServers } from "../../../servers/open/index.ts";
import type { Dialogs } from "../dialogs/dialogs.ts";
import type { Stage } from "../view/stage.ts";

/** The part of a session's servers that commands use. */
export type ReplServers = Pick<OpenServers, "box" | "fleet" | "statuses">;

/** What a command of the interactive mode works with. */
export interface SlashContext {
  readonly session: Session;
  /** Continues with another session, and shows it with a note. Rejects if it cannot be opened. */
  open(which: NextSession, note: string): Promise<void>;
  readonly keeping: {
    /** The latest saved sessions of this folder, latest first. */
    sessions(): Promise<readonly SavedSession[]>;
    /** The model of new sessions. Undefined: none is set. */
    defaultModel(): Promise<string | undefined>;
    /** Makes a model that of new sessions, and returns what happened as one line. */
    keepModel(model: string): Promise<string>;
  };
  /** Absent with `--no-tools`. */
  readonly servers?: ReplServers | undefined;
  /** Servers that the user disconnected, to connect them again. */
  readonly disconnected: Map<string, ServerConfig>;
  readonly stage: Stage;
  readonly dialogs: Dialogs;
  /** Aborts when the user stops the command or leaves. */
  readonly signal: AbortSignal;
  /** Shows one line about a problem. */
  readonly complain: (message: string) => void;
}

/** One command that begins with a slash. */
export interface SlashCommand {
  readonly name: string;
  /** What follows the name, for the help. */
  readonly operands: string;
  readonly summary: string;
  /** What the tab key completes after the name. */
  readonly words?: readonly string[] | undefined;
  /** Resolves to "leave" to end the session. */
  run(context: SlashContext, words: readonly string[]): Promise<"leave" | undefined>;
}

/** Shows a line while the work runs. The line must be escaped already. */
export async function whileShown<Result>(stage: Stage, line: string, work: Promise<Result>): Promise<Result> {
  stage.show("tools", [fitWidth(line, stage.width - 1)]);
  try {
    return await work;
  } finally {
    stage.show("tools", []);
  }
}
