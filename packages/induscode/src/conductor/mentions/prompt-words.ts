import type { PromptArgument } from "./prompt-names.ts";

/** The arguments of a prompt as typed, or why they do not fit. */
export type PromptWords =
  | { readonly args: { readonly [name: string]: string } }
  | { readonly problem: string };

/**
 * Words become arguments in the declared order; `name=value` sets one by name. Quotes join words. The last argument takes all
 * remaining words, so a prompt with one argument takes a sentence.
 */
export function parsePromptWords(text: string, declared: readonly PromptArgument[]): PromptWords {
  const args: { [name: string]: string } = {};
  const positional: string[] = [];
  for (const word of splitWords(text)) {
    const [, name = "", value = ""] = /^([^=\s]+)=([\s\S]*)$/.exec(word) ?? [];
    if (declared.some((each) => each.name === name)) args[name] = value;
    else positional.push(word);
  }
  const open = declared.filter(({ name }) => !Object.hasOwn(args, name));
  const last = open.at(-1);
  if (positional.length > 0 && !last)
    return { problem: `takes no argument ${JSON.stringify(positional[0])}` };
  for (const { name } of open.slice(0, -1)) {
    const word = positional.shift();
    if (word !== undefined) args[name] = word;
  }
  if (last && positional.length > 0) args[last.name] = positional.join(" ");
  const missing = declared.find(({ name, isRequired }) => isRequired && !Object.hasOwn(args, name));
  return missing ? { problem: `"${missing.name}" is missing` } : { args };
}

/** Splits at spaces. Quotes join words, and a backslash escapes the next character. */
export function splitWords(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === "\\" && quote !== "'" && at + 1 < text.length) word = (word ?? "") + text.charAt(++at);
    else if (quote !== "") {
      if (char === quote) quote = "";
      else word = (word ?? "") + char;
    } else if (char === '"' || (char === "'" && (word === undefined || word.endsWith("=")))) {
      // Within a word it is an apostrophe.
      quote = char;
      word ??= "";
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + char;
  }
  return word === undefined ? words : [...words, word];
}
