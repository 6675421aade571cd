import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { bridgeFingerprint, toolDifference } from "induscode/deck";
import { expect } from "vitest";
import { sampleDescriptor } from "./sample-tools.ts";

const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 8 }).map((lines) => lines.join("\n"));

verifies(
  "ledger:diff",
  "the lines without those added are the old text's, and are empty only without a change",
  () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const [old, young] = [before, after].map((description) =>
          sampleDescriptor("s", "t", { description }),
        );
        const difference = toolDifference(old!, young!);
        expect(difference === "").toBe(bridgeFingerprint(old!) === bridgeFingerprint(young!));
        const lines = difference.split("\n").slice(1);
        const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
        expect(before.split("\n").length - count("- ") + count("+ ")).toBe(after.split("\n").length);
      }),
    );
  },
);

verifies(
  "ledger:diff",
  "another order of members is not a change, and a very long text is still shown",
  () => {
    const of = (inputSchema: object) => sampleDescriptor("s", "t", { inputSchema });
    expect(toolDifference(of({ a: 1, b: { c: 2, d: 3 } }), of({ b: { d: 3, c: 2 }, a: 1 }))).toBe("");
    const long = (word: string) =>
      sampleDescriptor("s", "t", {
        description: Array.from({ length: 3000 }, (_, n) => `${word}${n}`).join("\n"),
      });
    expect(toolDifference(long("a"), long("b")).split("\n")).toHaveLength(6001);
  },
);
