import { shellWord } from "indusagi/core";
import { wireName } from "indusagi/interop";
import { MAX_NAME_CHARS } from "../open/find-tool.ts";
import type { PinSubject } from "./pin.ts";

export interface ApproveCommandOptions {
  readonly server: string;
  /** Only this one. Default: everything of the server that waits. */
  readonly subject?: PinSubject;
  readonly name?: string;
  /** Accept everything, for a server whose stored pins cannot be used. */
  readonly all?: boolean;
  /** The workspace, if the command may be run from another folder. */
  readonly cwd?: string | undefined;
  /** More words, such as `--cluster`. */
  readonly words?: readonly string[] | undefined;
}

/** The command line that shows a change and approves it, quoted for a shell. */
export function approveCommand({
  server,
  subject,
  name = "",
  all,
  cwd,
  words = [],
}: ApproveCommandOptions): string {
  const target = subject === "tool" ? [toolTarget(server, name)] : all ? ["--all", server] : [server];
  const folder = cwd === undefined ? [] : ["--cwd", cwd];
  return ["indus", "mcp", "approve", ...target, ...folder, ...words].map(shellWord).join(" ");
}

/** The name of a tool as `approve` takes it: the wire name, which needs no quotes in a shell. */
export function toolTarget(server: string, name: string): string {
  return wireName({ server, name }, MAX_NAME_CHARS);
}
