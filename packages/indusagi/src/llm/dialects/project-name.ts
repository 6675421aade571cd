import { contentHash } from "../../core/index.ts";
import type { DialectName } from "./dialect.ts";

interface NameGrammar {
  readonly legal: RegExp;
  readonly maxLength: number;
  /** Matches each character that is not allowed at its position. */
  readonly illegal: RegExp;
}

const PLAIN = { legal: /^[a-zA-Z0-9_-]+$/, illegal: /[^a-zA-Z0-9_-]/g };

const GRAMMARS: { readonly [dialect in DialectName]: NameGrammar } = {
  portable: { ...PLAIN, maxLength: 64 },
  anthropic: { ...PLAIN, maxLength: 128 },
  openai: { ...PLAIN, maxLength: 64 },
  gemini: { legal: /^[a-zA-Z_][a-zA-Z0-9_.:-]*$/, illegal: /^[^a-zA-Z_]|[^a-zA-Z0-9_.:-]/g, maxLength: 64 },
};

const HASH_LENGTH = 8;

/**
 * A tool's name in a provider's grammar. A legal name is unchanged. Any other is cleaned and cut, and `_` with eight hex
 * digits of the original's hash is appended, so names that differ only in replaced characters stay different.
 */
export function projectName(name: string, dialect: DialectName): string {
  const { legal, illegal, maxLength } = GRAMMARS[dialect];
  if (name.length <= maxLength && legal.test(name)) return name;
  const cleaned = name.slice(0, maxLength - HASH_LENGTH - 1).replaceAll(illegal, "_");
  return `${cleaned === "" ? "_" : cleaned}_${contentHash(name).slice(0, HASH_LENGTH)}`;
}
