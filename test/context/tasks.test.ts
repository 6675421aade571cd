import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { isKeptApart, parseTasks } from "../../context/tasks.ts";
import { parseFleetList } from "../../fleet/server-list.ts";

const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8");
const tasks = parseTasks(read("../../context/tasks.json"));
const { servers } = parseFleetList(read("../../fleet/servers.json"));

verifies(
  "economy:tasks",
  "at least 200 sentences and two more languages, each sentence once, of servers in the fleet",
  () => {
    expect(tasks["en"]?.length).toBeGreaterThanOrEqual(200);
    expect(Object.keys(tasks)).toHaveLength(3);
    const all = Object.values(tasks).flat();
    expect(new Set(all.map(({ task }) => task)).size).toBe(all.length);
    const known = new Set(servers.map(({ name }) => name));
    const strangers = all
      .flatMap(({ tools }) => tools)
      .filter((tool) => !known.has(tool.split("/")[0] ?? ""));
    expect(strangers).toEqual([]);
  },
);

verifies(
  "economy:tasks",
  "at least 100 other sentences are kept apart, each with a tool of the fleet",
  () => {
    const { en: apart = [], ...others } = parseTasks(read("../../context/kept-apart.json"));
    expect(others).toEqual({});
    expect(apart.length).toBeGreaterThanOrEqual(100);
    const known = new Set(servers.map(({ name }) => name));
    expect(
      apart.flatMap(({ tools }) => tools).filter((tool) => !known.has(tool.split("/")[0] ?? "")),
    ).toEqual([]);
    const sentences = [...Object.values(tasks).flat(), ...apart].map(({ task }) => task);
    expect(new Set(sentences).size).toBe(sentences.length);
  },
);

verifies("economy:tasks", "about a tenth is kept apart, by the sentence alone", () => {
  const english = tasks["en"] ?? [];
  const apart = english.filter(isKeptApart);
  expect(apart.length / english.length).toBeGreaterThan(0.08);
  expect(apart.length / english.length).toBeLessThan(0.12);
  // Two fixed cases: a change of the rule would move sentences that were used for tuning.
  expect(isKeptApart({ task: "Draw a pie of our spending by department", tools: [] })).toBe(false);
  expect(english.filter(isKeptApart).map(({ task }) => isKeptApart({ task, tools: ["a/b"] }))).not.toContain(
    false,
  );
});

verifies("economy:tasks", "a mistake in the file is named by its place", () => {
  expect(() => parseTasks('{"en":[{"task":"x","tools":["a/b"]},{"task":"","tools":["a/b"]}]}')).toThrow(
    "en[1].task",
  );
  expect(() => parseTasks('{"en":[{"task":"x","tools":[]}]}')).toThrow("en[0].tools");
  expect(() => parseTasks('{"en":[{"task":"x","tools":["ab"]}]}')).toThrow("en[0].tools");
});
