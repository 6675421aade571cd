import type { Invocation } from "./invocation.ts";
import type { SessionFlags } from "./session-flags.ts";
import type { ClusterPlace } from "./shared-flags.ts";
import type { UsageProblem } from "./usage-problem.ts";

/** One subcommand with its request. */
export interface CommandCall {
  readonly kind: "command";
  readonly name: string;
  /** What the `read` of that command returned. */
  readonly request: object;
  /** The folder to work in. Absent: the current folder. */
  readonly cwd?: string | undefined;
  /** The cluster whose state is used, for a command that can do so. */
  readonly cluster?: ClusterPlace | undefined;
}

/** A line for the session with a model. */
export interface SessionLine {
  readonly kind: "session";
  readonly invocation: Invocation;
  readonly flags: SessionFlags;
  /** What makes it a session line: `a prompt`, or the name of a flag. */
  readonly because: string;
  /** The first word of a prompt, in case it is a misspelled command. */
  readonly firstWord?: string | undefined;
}

/** What the words after the program's name ask for. */
export type ParsedLine =
  | CommandCall
  | SessionLine
  /** No words: a short help with the state of the folder. */
  | { readonly kind: "overview" }
  /** `topic`: the words of a command or of a family of commands. Absent: everything. */
  | { readonly kind: "help"; readonly topic?: string }
  | { readonly kind: "version" }
  | ({ readonly kind: "usage" } & UsageProblem);
