import type { Environment } from "indusagi/core";
import { ModelError } from "./model-error.ts";
import { parseModelName } from "./model-name.ts";

/** Overrides the window of every model, for servers with unknown models. */
const WINDOW_VARIABLE = "INDUS_CONTEXT_TOKENS";

/** The published windows of known models. The first match wins. */
const WINDOWS: readonly (readonly [provider: string, model: RegExp, tokens: number])[] = [
  ["anthropic", /./, 200_000],
  ["openai", /^gpt-4\.1/, 1_047_576],
  ["openai", /^gpt-5/, 400_000],
  ["openai", /^o\d/, 200_000],
  ["openai", /./, 128_000],
  ["google", /./, 1_048_576],
];

/** What most local servers support. */
const UNKNOWN_TOKENS = 32_768;
/** A smaller window has no room for a system prompt. */
const MIN_TOKENS = 1_000;

/**
 * The context window of a model, in tokens. `INDUS_CONTEXT_TOKENS` overrides it, and must be a number. An unknown model is
 * assumed to have a small one.
 */
export function contextWindow(name: string, { env }: { readonly env: Environment }): number {
  const given = givenWindow(env[WINDOW_VARIABLE] ?? "");
  if (given !== undefined) return given;
  const { provider, model } = parseModelName(name);
  const found = WINDOWS.find(([id, pattern]) => id === provider.id && pattern.test(model));
  return found?.[2] ?? UNKNOWN_TOKENS;
}

function givenWindow(text: string): number | undefined {
  if (text === "") return undefined;
  const tokens = Number(text);
  if (Number.isInteger(tokens) && tokens >= MIN_TOKENS) return tokens;
  throw new ModelError(
    "bad_name",
    `${WINDOW_VARIABLE} takes a whole number of tokens from ${MIN_TOKENS}, not ${JSON.stringify(text)}; an example is 32768`,
  );
}
