import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { splitWords } from "../../../src/conductor/mentions/index.ts";
import { parsePromptWords } from "../../../src/conductor/mentions/prompt-words.ts";

const declared = [
  { name: "language", isRequired: true },
  { name: "code", isRequired: false },
];

verifies(
  "mentions:prompt-words",
  "words become arguments in order or by name, and the last takes the rest",
  () => {
    const read = (text: string): unknown => parsePromptWords(text, declared);
    expect(read("python print the sum")).toEqual({ args: { language: "python", code: "print the sum" } });
    expect(read("code='a b' language=go")).toEqual({ args: { language: "go", code: "a b" } });
    expect(read('"two words" x=1')).toEqual({ args: { language: "two words", code: "x=1" } });
    expect(read("")).toEqual({ problem: '"language" is missing' });
    expect(parsePromptWords("one", [])).toEqual({ problem: 'takes no argument "one"' });
    expect(splitWords("it's a dog's life")).toEqual(["it's", "a", "dog's", "life"]);
  },
);

verifies("mentions:prompt-words", "quoted words are read back as they are", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (words) => {
      const line = words.map((word) => `"${word.replaceAll(/["\\]/g, "\\$&")}"`).join(" ");
      expect(splitWords(line)).toEqual(words);
    }),
  );
});
