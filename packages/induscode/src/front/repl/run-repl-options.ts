import type { Session, SessionContent, SessionUser } from "../../conductor/index.ts";
import type { ContentParts, MentionedServers } from "../../conductor/mentions/index.ts";
import type { Keyboard } from "./input/open-keyboard.ts";
import type { PromptHistory } from "./input/prompt-history.ts";
import type { SessionServers } from "./slash/slash-context.ts";
import type { Stage } from "./view/stage.ts";

/** What the interactive mode talks with. */
export interface ReplSession {
  readonly session: Session;
  /** Absent with `--no-tools`. */
  readonly servers?: SessionServers | undefined;
  readonly mentioned?: MentionedServers | undefined;
}

export interface ReplOptions {
  readonly stage: Stage;
  readonly cwd: string;
  /** Aborts when the program must end. */
  readonly signal: AbortSignal;
  /** Opens an address in the browser, and returns whether that could be tried. */
  readonly openBrowser: (url: URL) => Promise<boolean>;
  /** Opens the session for this user. Until it is open, Ctrl-C ends the program as everywhere else. */
  readonly open: (user: SessionUser) => Promise<ReplSession>;
  /** Takes over the keys. */
  readonly openKeyboard: () => Promise<Keyboard>;
  readonly openHistory: () => Promise<PromptHistory>;
  /** The files that a message names as `@path`. Throws, naming the file, if one cannot be sent. */
  readonly attached: (text: string) => ContentParts;
  /** The first message, from the command line. */
  readonly first?: SessionContent | undefined;
}
