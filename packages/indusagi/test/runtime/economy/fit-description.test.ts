import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { economize } from "indusagi/runtime";
import { expect } from "vitest";
import { fitDescription } from "../../../src/runtime/economy/fit-description.ts";
import { boxOf, tool } from "./catalogue.ts";

const NOTE = " […] tool_describe gives the rest.";

verifies("economy:descriptions", "any text fits afterwards, and what is kept is its beginning", () => {
  const sentence = fc.string({ minLength: 1, maxLength: 300 }).map((text) => `${text}. `);
  fc.assert(
    fc.property(fc.array(sentence, { maxLength: 60 }), (sentences) => {
      const text = sentences.join("");
      const fitted = fitDescription(text);
      if (text.length <= 2_048) return fitted === text;
      const kept = fitted.slice(0, -NOTE.length);
      return fitted.length <= 2_048 && fitted.endsWith(NOTE) && text.startsWith(kept) && kept.length > 900;
    }),
  );
});

verifies(
  "economy:descriptions",
  "the cut is after a sentence, else after a word, never inside a character",
  () => {
    const sentences = "Takes e.g. a text. Returns more of it! ".repeat(100);
    expect(fitDescription(sentences).slice(0, -NOTE.length)).toMatch(/(?:a text\.|of it!)$/);
    expect(fitDescription("word ".repeat(1_000)).slice(0, -NOTE.length)).toMatch(/ word$/);
    expect(fitDescription("😀".repeat(2_000)).slice(0, -NOTE.length)).toMatch(/^😀+$/u);
  },
);

verifies(
  "economy:descriptions",
  "listed short, described whole, and the server's own definition is untouched",
  async () => {
    const description = "One sentence of many. ".repeat(200);
    const definition = { name: "long", description, inputSchema: { type: "object" } };
    const long = tool("s", "long", { description, definition });
    const { box: inner } = boxOf([long]);
    const box = economize(inner, { pinned: ["s__long"] });
    const [listed] = box.descriptors().filter(({ name }) => name === "s__long");
    for (const shown of [listed?.description, listed?.definition?.["description"]])
      expect(shown).toMatch(/^One sentence of many\. [\s\S]*many\. \[…\] tool_describe gives the rest\.$/);
    const { output } = await box.runner.run({
      id: "1",
      name: "tool_describe",
      input: { names: ["s__long"] },
    });
    expect(JSON.parse(String(output))).toMatchObject({ description });
    expect(inner.descriptors()[0]).toBe(long);
    expect(long.definition?.["description"]).toBe(description);
  },
);
