/** Stop words: they say nothing about a tool. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  (
    "a an the and or of to in on at for from by with as is are was were be been do does did done have has had i me my we " +
    "our us you your it its this that these those there what which who whom whose when where why how can could should would " +
    "will may might must not no if then than so just only some any all every each please about into out up over under again"
  ).split(" "),
);

/** Scripts without spaces between words. */
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+$/u;

/**
 * The words of a text as they are compared: lower case, stemmed, without stop words. A word such as `createIssue` counts as
 * itself and as its parts.
 */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  // `match` returns plain strings; `matchAll` makes an object for each.
  for (const written of text.match(WRITTEN_WORD) ?? [])
    for (const stem of readWord(written).stems) words.push(stem);
  return words;
}

/** All words of a text as they are compared, stop words too. */
export function stemsOf(text: string): string[] {
  return writtenWords(withoutContractions(text)).flatMap(({ parts }) => parts.map(stemOf));
}

/** The different words of a name, or of a text that may be one, without their order. */
export function nameKey(text: string): string {
  return [...new Set(writtenWords(text).flatMap(({ parts }) => parts))].sort().join(" ");
}

export function isEmptyWord(text: string): boolean {
  return EMPTY_WORDS.has(text);
}

/** `don't` is `do not`; of `what's` and `Anna's` the first word stays. */
export function withoutContractions(text: string): string {
  if (!/['\u2019]/.test(text)) return text;
  return text.replaceAll(/n['\u2019]t\b/g, " not").replaceAll(/(\p{L})['\u2019](?:s|m|d|re|ve|ll)\b/gu, "$1");
}

/** The words of a text in lower case, each with its parts. */
export function writtenWords(text: string): readonly WrittenWord[] {
  return (text.match(WRITTEN_WORD) ?? []).map(readWord);
}

const WRITTEN_WORD = /[\p{L}\p{N}]+/gu;

interface WrittenWord {
  /** The word itself, if it has several parts. */
  readonly whole?: string;
  readonly parts: readonly string[];
  /** Such as `createIssue`, not `GitHub`. */
  readonly isIdentifier: boolean;
  /** The stems of all of them that are not stop words. */
  readonly stems: readonly string[];
}

/** Cached: words repeat, and splitting them is slow. */
const known = new Map<string, WrittenWord>();
const MAX_KNOWN = 20_000;

function readWord(written: string): WrittenWord {
  const found = known.get(written);
  if (found) return found;
  if (known.size >= MAX_KNOWN) known.clear();
  const parts = partsOf(written);
  const stems = parts.filter((part) => !EMPTY_WORDS.has(part)).map(stemOf);
  const whole = written.toLowerCase();
  const isSeveral = parts.length > 1;
  const word = {
    parts,
    stems: isSeveral ? [stemOf(whole), ...stems] : stems,
    isIdentifier: isSeveral && /^\p{Ll}/u.test(written),
    ...(isSeveral && { whole }),
  };
  known.set(written, word);
  return word;
}

/** `create`, `issue` of `createIssue`; pairs of characters where words are not separated. */
function partsOf(written: string): string[] {
  // Most words are plain, and the expressions below are slow.
  if (/^[A-Z]?[a-z]+$/.test(written)) return [written.toLowerCase()];
  if (UNSPACED.test(written)) return pairsIn(written);
  return (
    written
      .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
      // `URLs` stays, `URLShown` has two parts.
      .replaceAll(/(\p{Lu}+)(\p{Lu}(?!s(?!\p{Ll}))\p{Ll})/gu, "$1 $2")
      .toLowerCase()
      .split(" ")
  );
}

function pairsIn(text: string): string[] {
  const characters = Array.from(text);
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

export function stemOf(word: string): string {
  return word.length < 4 || /\d/.test(word) ? word : withoutEndings(word);
}

/** Removes plural and verb endings, so `copies`, `copied` and `copying` are one word. */
function withoutEndings(word: string): string {
  const singular = withoutPlural(inOneSpelling(word));
  const base = withoutVerbEnding(singular);
  return base.length > 4 && base.endsWith("e") ? base.slice(0, -1) : base;
}

/** `organise` and `colour` are `organize` and `color`. */
function inOneSpelling(word: string): string {
  return word.replace(/is(e|ed|es|ing|ation|ations)$/, "iz$1").replace(/([^f])our(s|ed|ing|ite)?$/, "$1or$2");
}

function withoutPlural(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (/(?:ss|us|is)$/.test(word)) return word;
  if (/(?:sh|ch|x|z|ss)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith("s") ? word.slice(0, -1) : word;
}

function withoutVerbEnding(word: string): string {
  if (word.length > 5 && word.endsWith("ing")) return undoubled(word.slice(0, -3));
  if (word.length > 4 && word.endsWith("ied")) return `${word.slice(0, -3)}y`;
  return word.length > 4 && word.endsWith("ed") ? undoubled(word.slice(0, -2)) : word;
}

/** `stop` for `stopp`. */
function undoubled(word: string): string {
  return /([bdfgmnprt])\1$/.test(word) ? word.slice(0, -1) : word;
}
