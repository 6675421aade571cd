import { shellWord } from "indusagi/core";
import { wireName } from "indusagi/interop";
import type { PinSubject } from "./pin.ts";

export interface ApproveCommandOptions {
  readonly server: string;
  /** Only this one. Default: everything of the server that waits. */
  readonly subject?: PinSubject;
  readonly name?: string;
  /** Also if the stored pins of the server cannot be used. */
  readonly all?: boolean;
  /** The workspace, if the command may be run from another folder. */
  readonly cwd?: string | undefined;
}

/** The command line that shows a change and approves it, ready to be pasted into a shell. */
export function approveCommand({ server, subject, name = "", all, cwd }: ApproveCommandOptions): string {
  const target = subject === "tool" ? [toolTarget(server, name)] : all ? ["--all", server] : [server];
  const folder = cwd === undefined ? [] : ["--cwd", cwd];
  return ["indus", "mcp", "approve", ...target, ...folder].map(shellWord).join(" ");
}

/** The name of a tool as `approve` takes it: the wire name, which has no characters that a shell treats specially. */
export function toolTarget(server: string, name: string): string {
  return wireName({ server, name }, MAX_NAME_CHARS);
}

/** As in every command of the product. */
const MAX_NAME_CHARS = 48;
