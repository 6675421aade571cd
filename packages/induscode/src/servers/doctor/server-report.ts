import { shellWord } from "indusagi/core";
import type { EndpointStatus } from "indusagi/interop";

/** How a server is doing. Every status has exactly one standing. */
type Standing =
  /** Its tools can be called. A dormant server is started by the next call. */
  | "usable"
  /** A start without a failure before it is queued or in progress. */
  | "starting"
  /** It failed, and the next start is due, queued or in progress. */
  | "restarting"
  /** It is connected, but listing its tools fails and none is known. The endpoint keeps trying. */
  | "unlisted"
  /** It failed, and is not restarted, or only from time to time. */
  | "down"
  | "needs_login"
  | "untrusted"
  | "disabled"
  /** Its connection was closed on purpose. */
  | "closed";

/** The state of one server, for everything that shows, counts or waits for servers. */
export interface ServerReport {
  readonly server: string;
  readonly standing: Standing;
  /** Its state or phase, or `list failed`. See `shownWord` for what people read. */
  readonly state: string;
  readonly isUsable: boolean;
  readonly isStarting: boolean;
  /** It does not recover soon by itself, and the user has to find out why. */
  readonly isDown: boolean;
  /** It waits for a login or an approval. */
  readonly needsUser: boolean;
  /** It should be usable but is not, and this is not its first start. */
  readonly hasFailed: boolean;
  /** Its prompts, resources and calls by name work, even if its tools cannot be listed. */
  readonly isConnected: boolean;
  /** It is connected and has no tools so far: the first listing may be in progress. */
  readonly mayBeListing: boolean;
  /** Its row forbids starting it. The reason was reported already. */
  readonly isForbidden: boolean;
  /** A refresh of its tools failed. An earlier listing is in use. */
  readonly isOutdated: boolean;
  /** Why it is not usable, in one line, without the remedy. */
  readonly reason: string;
  /** What the user can do. */
  readonly remedy: string;
  /** The reason and the remedy in one line, as far as known. */
  readonly summary: string;
  /** The words of the command that helps. */
  readonly command: readonly string[];
}

/** The state of a connected server whose tools cannot be listed. Its phase is `ready`. */
export const LIST_FAILED = "list failed";

/** The one interpretation of a server's status. */
export function serverReport(status: EndpointStatus): ServerReport {
  const { server, phase, state, toolCount, fault, listFailure } = status;
  const standing = standingOf(status);
  const isUsable = standing === "usable";
  const isStarting = standing === "starting";
  const isConnected = phase === "ready";
  const reason = fault?.message ?? listFailure ?? status.summary ?? `server "${server}" is not connected`;
  const command = ["indus", "mcp", COMMANDS[standing] ?? "doctor", server];
  return {
    server,
    standing,
    state: standing === "unlisted" ? LIST_FAILED : (state ?? phase),
    isUsable,
    isStarting,
    isDown: standing === "down" || standing === "unlisted",
    needsUser: standing === "needs_login" || standing === "untrusted",
    hasFailed: !isUsable && !isStarting && standing !== "disabled",
    isConnected,
    mayBeListing: isConnected && toolCount === 0 && listFailure === undefined,
    isForbidden: fault?.reason === "unsupported" || fault?.reason === "untrusted",
    isOutdated: isUsable && listFailure !== undefined,
    reason: reason.replaceAll(/\s+/g, " "),
    remedy: remedyOf(standing, status, command),
    summary: status.summary ?? reason,
    command,
  };
}

const COMMANDS: { readonly [standing in Standing]?: string } = {
  needs_login: "login",
  untrusted: "trust",
  disabled: "enable",
};

function standingOf({ phase, state, toolCount, listFailure }: EndpointStatus): Standing {
  if (state === "disabled" || state === "untrusted" || state === "needs_login") return state;
  if (state === "tripped") return "down";
  if (state === "dormant") return "usable";
  switch (phase) {
    case "ready":
      // With tools on offer, an earlier listing is in use.
      return listFailure !== undefined && toolCount === 0 ? "unlisted" : "usable";
    case "idle":
    case "connecting":
      return "starting";
    case "faulted":
      return state === "restarting" || state === "queued" || state === "installing" ? "restarting" : "down";
    case "closing":
    case "closed":
      return "closed";
  }
}

function remedyOf(
  standing: Standing,
  { server, remedy, fault }: EndpointStatus,
  command: readonly string[],
): string {
  const line = command.map(shellWord).join(" ");
  switch (standing) {
    case "needs_login":
      return fault?.details.login ?? `${line}, or correct its "headers"`;
    case "untrusted":
      return `look at its launch and approve it: ${line}`;
    case "disabled":
      return line;
    default:
      return remedy ?? `see indus mcp log ${shellWord(server)}`;
  }
}
