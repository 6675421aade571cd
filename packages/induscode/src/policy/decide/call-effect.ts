import type { ToolEffect } from "../../deck/contract/index.ts";
import type { CommandPlace, LineReading } from "../commands/plain-reader.ts";
import type { LocatedPath } from "../paths/locate.ts";
import type { ToolIdentity } from "../rules/tool-pattern.ts";

/** One call as a policy sees it: the tool, its arguments, and what it may do. */
export interface CallEffect extends ToolIdentity, Pick<ToolEffect, "readOnly"> {
  readonly destructive?: ToolEffect["destructive"] | undefined;
  readonly sandboxed?: ToolEffect["sandboxed"] | undefined;
  /** The arguments. Patterns for tools without command and paths match their canonical JSON. */
  readonly input: unknown;
  /** The paths that the tool uses. Absent if they are not known. */
  readonly paths?: readonly LocatedPath[] | undefined;
  /** The command line that the tool runs. */
  readonly command?: CommandLine | undefined;
  /** Paths that the call only mentions: words of its command, or strings in its arguments. */
  readonly mentions?: readonly LocatedPath[] | undefined;
}

/** A command line, and where it runs. */
export interface CommandLine extends CommandPlace {
  readonly text: string;
  /** Whether a POSIX shell runs the command and the tool waits for it. Nothing is known about other commands. */
  readonly isReadable: boolean;
  /** Whether it only reads; computed on first access and cached. Absent: computed for each decision. */
  readonly reading?: LineReading;
}
