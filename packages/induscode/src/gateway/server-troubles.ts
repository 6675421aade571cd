import { shellWord } from "indusagi/core";
import type { EndpointStatus, ServerFleet } from "indusagi/interop";

/** Why a server, or a part of it, cannot be used. */
export interface ServerTrouble {
  readonly server: string;
  readonly state: "down" | "needs login" | "not approved" | "misconfigured" | "malformed" | "quarantined";
  /** One line, with the remedy as far as it is known. */
  readonly reason: string;
  /** The command that the user runs. */
  readonly command: string;
}

export interface TroubleOptions {
  /** The folder of the gateway, if the user may be in another one. */
  readonly cwd?: string | undefined;
  /** Whether a server that is being restarted counts as down. */
  readonly isLongDown: (server: string) => boolean;
  /** The messages about withheld prompts of a server, each with the command that approves the change. */
  readonly withheldPrompts?: ((server: string) => readonly string[]) | undefined;
  /** One line for each list of a server with items that are left out. Those about its tools are in its status. */
  readonly leftOutItems?: ((server: string) => readonly string[]) | undefined;
  /** Why the row of a server cannot be used, if its last good form is used instead. */
  readonly rowProblem?: ((server: string) => string | undefined) | undefined;
}

/** What the user has to do something about, in configuration order. Disabled servers and starts under way are no trouble. */
export function serverTroubles(fleet: ServerFleet, options: TroubleOptions): readonly ServerTrouble[] {
  return [...fleet.status().values()].flatMap((status) => {
    const { server } = status;
    const trouble = troubleOf(status, options);
    const problem = options.rowProblem?.(server);
    const withheld = [
      ...fleet.withheld(server).map(({ message }) => message),
      ...(options.withheldPrompts?.(server) ?? []),
    ];
    const leftOut = [...(status.leftOut ?? []), ...(options.leftOutItems?.(server) ?? [])];
    return [
      ...(trouble ? [trouble] : []),
      ...(problem === undefined ? [] : [misconfigured(server, problem, options)]),
      ...leftOut.map((reason) => malformed(server, reason, options)),
      ...withheld.map((message) => quarantined(server, message, options)),
    ];
  });
}

function troubleOf(status: EndpointStatus, { cwd, isLongDown }: TroubleOptions): ServerTrouble | undefined {
  const { server, state, phase, fault, summary } = status;
  const command = (verb: string): string => commandOf(["mcp", verb, server], cwd);
  const reason = summary ?? fault?.message ?? "it cannot be used";
  if (state === "needs_login") return { server, state: "needs login", reason, command: command("login") };
  if (state === "untrusted") return { server, state: "not approved", reason, command: command("trust") };
  const isDown =
    state === "tripped" ||
    (state === undefined && phase === "faulted") ||
    (state === "restarting" && isLongDown(server));
  return isDown ? { server, state: "down", reason, command: command("doctor") } : undefined;
}

/** The command is without the server: for it the row of the file does not exist. */
function misconfigured(server: string, reason: string, { cwd }: TroubleOptions): ServerTrouble {
  return { server, state: "misconfigured", reason, command: commandOf(["mcp", "doctor"], cwd) };
}

function malformed(server: string, reason: string, { cwd }: TroubleOptions): ServerTrouble {
  return { server, state: "malformed", reason, command: commandOf(["mcp", "doctor", server], cwd) };
}

/** The message ends with the command that approves the change. */
function quarantined(server: string, message: string, { cwd }: TroubleOptions): ServerTrouble {
  const [, own] = /: (indus mcp approve .+)$/.exec(message) ?? [];
  const command = own ?? commandOf(["mcp", "approve", server], cwd);
  return { server, state: "quarantined", reason: message, command };
}

function commandOf(words: readonly string[], cwd: string | undefined): string {
  const folder = cwd === undefined ? [] : ["--cwd", cwd];
  return ["indus", ...words, ...folder].map(shellWord).join(" ");
}
