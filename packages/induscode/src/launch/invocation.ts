import type { THINKING_LEVELS } from "./flag-table.ts";

/** The values of the main table, and the prompt. */
export interface Invocation {
  readonly print: boolean;
  readonly json: boolean;
  readonly interactive: boolean;
  readonly model?: string;
  readonly fallbackModel?: string;
  readonly account?: string;
  readonly thinking?: (typeof THINKING_LEVELS)[number];
  readonly listModels: boolean;
  readonly cwd?: string;
  readonly system?: string;
  readonly appendSystem?: string;
  readonly resume?: string;
  readonly continue: boolean;
  /** Empty: no filter. */
  readonly tools: readonly string[];
  readonly noTools: boolean;
  /** Files, folders and URLs that name servers. Empty: those configured for the folder. */
  readonly mcp: readonly string[];
  readonly help: boolean;
  readonly version: boolean;
  /** The words that are not flags, joined by spaces. */
  readonly prompt?: string;
  /** The paths of words such as `@notes.md`. */
  readonly attachments: readonly string[];
}
