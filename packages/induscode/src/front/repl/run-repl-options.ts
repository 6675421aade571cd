import type { Session, SessionContent, SessionUser } from "../../conductor/index.ts";
import type { ContentParts, MentionedServers } from "../../conductor/mentions/index.ts";
import type { Keyboard } from "./input/open-keyboard.ts";
import type { PromptHistory } from "./input/prompt-history.ts";
import type { ReplServers } from "./slash/slash-context.ts";
import type { Stage } from "./view/stage.ts";

/** The session of the interactive mode. */
export interface ReplSession {
  readonly session: Session;
  /** Absent with `--no-tools`. */
  readonly servers?: ReplServers | undefined;
  readonly mentioned?: MentionedServers | undefined;
}

export interface ReplOptions {
  readonly stage: Stage;
  readonly cwd: string;
  /** Aborts when the program must end. */
  readonly signal: AbortSignal;
  /** Opens a URL in the browser. False if no browser could be started. */
  readonly openBrowser: (url: URL) => Promise<boolean>;
  /** Opens the session for this user. Until then, Ctrl-C exits the program as usual. */
  readonly open: (user: SessionUser) => Promise<ReplSession>;
  /** Takes over the keys. */
  readonly openKeyboard: () => Promise<Keyboard>;
  readonly openHistory: () => Promise<PromptHistory>;
  /** The files that a message names as `@path`. Throws, naming the file, if one cannot be sent. */
  readonly attached: (text: string) => ContentParts;
  /** The first message, from the command line. */
  readonly first?: SessionContent | undefined;
}
