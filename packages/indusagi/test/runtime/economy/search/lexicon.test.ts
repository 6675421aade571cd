import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { LEXICON } from "../../../../src/runtime/economy/search/lexicon.ts";
import { loadLexicon, parseLexicon, phrasesIn } from "../../../../src/runtime/economy/search/phrases.ts";
import { stemsOf } from "../../../../src/runtime/economy/search/words.ts";

const lines = LEXICON.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

/** The meanings of the phrases in a text, the longest phrase first. */
function meaningsIn(text: string, lexicon: string): readonly (readonly string[])[] {
  return phrasesIn(stemsOf(text), parseLexicon(lexicon)).map(({ meaning }) => meaning);
}

verifies("economy:lexicon", "it is under 40 KB, and no line says a phrase or a word twice", () => {
  expect(Buffer.byteLength(LEXICON)).toBeLessThan(40_000);
  const keyOf = (phrase: string): string =>
    /^[.<]/.test(phrase) ? phrase : phrase.split("~").map(stemsOf).join("~");
  const repeated = lines.filter((line) => {
    const [phrases = "", words = ""] = line.split(": ");
    const keys = phrases.split(", ").map(keyOf);
    const stems = stemsOf(words);
    return new Set(keys).size < keys.length || new Set(stems).size < stems.length || keys.includes("");
  });
  expect(repeated).toEqual([]);
});

verifies("economy:lexicon", "each of its phrases is found", async () => {
  const lexicon = await loadLexicon();
  const phrases = lines
    .flatMap((line) => line.split(": ")[0]?.split(", ") ?? [])
    .filter((phrase) => !/^[.<]/.test(phrase));
  const lost = phrases.filter((phrase) => {
    const words = stemsOf(phrase.replace("~", "")).length;
    return phrasesIn(stemsOf(phrase.replace("~", "zzz")), lexicon)[0]?.at.length !== words;
  });
  expect(phrases.length).toBeGreaterThan(1_000);
  expect(lost).toEqual([]);
});

verifies("economy:lexicon", "the longest phrase counts, and a gap has one to four words", () => {
  const lexicon = "rid: horse\nget rid of: delete\nput ~ in charge: assign\nput: add";
  expect(meaningsIn("get rid of it", lexicon)).toEqual([["delet"]]);
  expect(meaningsIn("put Ann in charge", lexicon)).toEqual([["assign"]]);
  expect(meaningsIn("put one two three four in charge", lexicon)).toEqual([["assign"]]);
  expect(meaningsIn("put one two three four five in charge", lexicon)).toEqual([["add"]]);
  expect(meaningsIn("put in charge", lexicon)).toEqual([["add"]]);
});

verifies("economy:lexicon", "a line that is no entry is named", () => {
  expect(() => parseLexicon("# a comment\n\nget rid of delete")).toThrow("get rid of delete");
  expect(() => parseLexicon("get rid of: ")).toThrow("get rid of: ");
});

verifies("economy:lexicon", "a word belongs to at most one phrase, for any text", async () => {
  const lexicon = await loadLexicon();
  const word = fc.constantFrom(...new Set(lines.flatMap((line) => stemsOf(line.split(": ")[0] ?? ""))));
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), (stems) => {
      const taken = phrasesIn(stems, lexicon).flatMap(({ at }) => at);
      expect(new Set(taken).size).toBe(taken.length);
      expect(taken.every((at) => at >= 0 && at < stems.length)).toBe(true);
    }),
  );
});
