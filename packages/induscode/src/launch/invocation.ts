import type { THINKING_LEVELS } from "./flag-table.ts";
import type { ParsedFlags } from "./parse-flags.ts";

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

/** The values of the main table. Words after `--` are never attachments. */
export function readInvocation(flags: ParsedFlags): Invocation {
  const isAttachment = (word: string): boolean => word.startsWith("@") && word.length > 1;
  const words = [...flags.operands.filter((word) => !isAttachment(word)), ...flags.afterEnd];
  const texts = {
    model: flags.value("--model"),
    fallbackModel: flags.value("--fallback-model"),
    account: flags.value("--account"),
    thinking: flags.value("--thinking"),
    cwd: flags.value("--cwd"),
    system: flags.value("--system"),
    appendSystem: flags.value("--append-system"),
    resume: flags.value("--resume"),
    prompt: words.length > 0 ? words.join(" ") : undefined,
  };
  const given = Object.entries(texts).filter(([, text]) => text !== undefined);
  return {
    print: flags.has("--print"),
    json: flags.has("--json"),
    interactive: flags.has("--interactive"),
    listModels: flags.has("--list-models"),
    continue: flags.has("--continue"),
    tools: flags.list("--tools"),
    noTools: flags.has("--no-tools"),
    mcp: flags.list("--mcp"),
    help: flags.has("--help"),
    version: flags.has("--version"),
    attachments: flags.operands.filter(isAttachment).map((word) => word.slice(1)),
    // The parser has checked the level against the table.
    ...(Object.fromEntries(given) as Pick<Invocation, keyof typeof texts>),
  };
}
