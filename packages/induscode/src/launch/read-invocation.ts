import type { Invocation } from "./invocation.ts";
import type { ParsedFlags } from "./parse-flags.ts";

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
