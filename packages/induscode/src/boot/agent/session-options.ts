import type { ServerConfig } from "indusagi/interop";
import type { Session, SessionUser } from "../../conductor/index.ts";
import type { ToolDeck } from "../../deck/provision/index.ts";
import type { ServerSources, SessionFlags, ToolSelection } from "../../launch/internal.ts";
import type { OpenServers } from "../servers/open-servers.ts";
import type { SessionToolsOptions } from "../session/build-session-tools.ts";
import type { SessionRun } from "../session/open-session-servers.ts";
import type { FindServersOptions, FoundServers } from "../sources/find-servers.ts";

/** The parts of a run that a session is made of. */
export interface AgentRun extends SessionRun {
  readonly cwd: string;
  stateFolder(): Promise<{ readonly path: string }>;
  /** Closes something before everything that was opened earlier. */
  defer(close: () => void | Promise<void>): void;
  findServers(
    sources: ServerSources,
    options: Pick<FindServersOptions, "bestEffort">,
  ): Promise<FoundServers | undefined>;
  openSessionTools(
    selection: Partial<ToolSelection>,
    options: Omit<SessionToolsOptions, "cwd" | "report">,
  ): Promise<ToolDeck | undefined>;
}

/** How a session is opened, beside the values of the main table. */
export interface OpenSessionOptions {
  readonly flags: SessionFlags;
  /** Answers the questions of the session. Absent: there is no user to ask, and what needs an approval is refused. */
  readonly user?: SessionUser;
  /** Servers that no file names, for this session only. */
  readonly servers?: readonly ServerConfig[];
  /** There is one turn: servers that are late cannot join. Default: they join between turns. */
  readonly isOnlyTurn?: boolean;
}

/** An open session. It closes with its run. */
export interface OpenedSession {
  readonly session: Session;
  /** Absent with `--no-tools`, and if there is neither a user to ask nor a server. */
  readonly servers?: OpenServers;
}
