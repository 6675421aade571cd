import { spawnSync } from "node:child_process";
import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { shellWord } from "indusagi/core";
import { expect } from "vitest";

verifies("core:shell-word", "any words come back from a shell as they were", () => {
  const word = fc.string({ unit: fc.constantFrom("'", '"', "\\", "$", "`", " ", "\n", "*", "~", "é", "a") });
  const words = ["", "-", "it's", "$(date)", "a=b", ...fc.sample(word, { numRuns: 200, seed: 1 })];
  const line = `printf '%s\\0' ${words.map(shellWord).join(" ")}`;
  expect(spawnSync("sh", ["-c", line], { encoding: "utf8" }).stdout.split("\0").slice(0, -1)).toEqual(words);
});

verifies("core:shell-word", "a plain word stays as it is", () => {
  expect(["a-b_c.d/e:f@g%h+i=j,k", "two words", "it's"].map(shellWord)).toEqual([
    "a-b_c.d/e:f@g%h+i=j,k",
    "'two words'",
    "'it'\\''s'",
  ]);
});
