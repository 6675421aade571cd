import type { CallEffect } from "../decide/call-effect.ts";

const MAX_PATTERN = 1_000;

/**
 * An allow rule for calls like this one: the same command, the same file, or the tool of a server. Undefined if the pattern
 * would be too long to read.
 */
export function suggestRule({ tool, command, paths, origin }: CallEffect): string | undefined {
  if (origin) return tool;
  const [first, second] = paths ?? [];
  const subject = command?.text.trim() ?? (second === undefined ? first?.real : undefined);
  if (subject === undefined) return tool;
  if (subject === "" || subject.length > MAX_PATTERN || /[\0-\x08\x0b-\x1f\x7f]/.test(subject))
    return undefined;
  return `${tool}(${subject.replaceAll(/[\\*?]/g, String.raw`\$&`)})`;
}
