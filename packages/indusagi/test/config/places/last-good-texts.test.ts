import { verifies } from "@indus/testkit";
import { type ConfigDiagnostic, lastGoodTexts, type TextReading } from "indusagi/config";
import { expect } from "vitest";

verifies("config:last-good", "a broken file has its last good text, and a removed one has none", () => {
  let reading: TextReading = { text: "{" };
  const broken: ConfigDiagnostic[] = [];
  const read = lastGoodTexts({ readText: () => reading, onBroken: (problem) => void broken.push(problem) });
  const readNow = (next: TextReading): TextReading => {
    reading = next;
    return read("/c/mcp.json");
  };
  const good = { text: '{ "servers": {} }' };
  const absent = { problem: "does not exist", isAbsent: true };
  // Nothing good is known yet: whoever reads it reports what is wrong.
  expect(readNow({ text: "{" })).toEqual({ text: "{" });
  expect(broken).toEqual([]);
  expect(readNow(good)).toBe(good);
  for (const bad of [
    { text: "" },
    { text: "{\n  oops" },
    { text: "[]" },
    { problem: "cannot be read (EIO)" },
  ])
    expect(readNow(bad)).toBe(good);
  expect(broken.map(({ line, message }) => [line, message])).toEqual([
    [1, "the file is empty; its last good content stays in use"],
    [2, "the file is not valid JSON: an unknown word; its last good content stays in use"],
    [1, "the file does not contain an object; its last good content stays in use"],
    [1, "the file cannot be read (EIO); its last good content stays in use"],
  ]);
  expect(readNow(absent)).toBe(absent);
  expect(readNow({ text: "{" })).toEqual({ text: "{" });
});
