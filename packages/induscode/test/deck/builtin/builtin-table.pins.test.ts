import { verifies } from "@indus/testkit";
import { MUTATING_NAMES, READ_ONLY_NAMES } from "indusagi/capabilities";
import {
  buildBuiltin,
  buildBuiltinsForProfile,
  builtinBridge,
  builtinCards,
  builtinDescriptors,
  builtinIds,
  builtinProfiles,
  type Profile,
} from "induscode/deck";
import { expect } from "vitest";

const ctx = { cwd: process.cwd(), framework: {} };
const READ_ONLY = ["authoring", "survey"];
const MUTATING = ["survey"];
const TABLE = [
  ["read", "Read file", READ_ONLY],
  ["ls", "List directory", READ_ONLY],
  ["grep", "Search file contents", READ_ONLY],
  ["find", "Find files by name", READ_ONLY],
  ["websearch", "Web search", READ_ONLY],
  ["webfetch", "Fetch URL", READ_ONLY],
  ["todo_read", "Read checklist", READ_ONLY],
  ["write", "Write file", MUTATING],
  ["edit", "Edit file", MUTATING],
  ["bash", "Run shell command", MUTATING],
  ["process", "Manage background processes", MUTATING],
  ["todo_set", "Update checklist", MUTATING],
] as const;
const ids = TABLE.map(([id]) => id);

verifies("deck:builtin-table", "the rows are these, in this order, and cannot be changed", () => {
  const rows = builtinDescriptors();
  expect(rows.map(({ id, title, profiles }) => [id, title, profiles])).toEqual(TABLE);
  expect(rows.every(({ summary }) => summary.length > 10)).toBe(true);
  expect(builtinDescriptors()).toBe(rows);
  expect([rows, ...rows, ...rows.map(({ profiles }) => profiles)].every(Object.isFrozen)).toBe(true);
});

verifies("deck:builtin-table", "every view has the same rows", () => {
  expect(builtinIds()).toEqual(ids);
  expect([...builtinBridge().values()]).toEqual(builtinDescriptors());
  expect([...builtinBridge().keys()]).toEqual(ids);
  expect([...builtinProfiles()]).toEqual(TABLE.map(([id, , profiles]) => [id, profiles]));
  expect(builtinCards()).toEqual(builtinDescriptors());
});

verifies("deck:builtin-parity", "the kernel's names, each built under its own", () => {
  expect(builtinIds().toSorted()).toEqual([...READ_ONLY_NAMES, ...MUTATING_NAMES].toSorted());
  const built = builtinIds().map((id) => buildBuiltin(id, ctx));
  expect(built.map(({ name }) => name)).toEqual(ids);
  expect(built.filter(({ readOnly }) => readOnly).map(({ name }) => name)).toEqual(READ_ONLY_NAMES);
  for (const { readOnly, descriptor } of built) expect(descriptor.annotations?.readOnlyHint).toBe(readOnly);
});

for (const [profile, names] of [
  ["authoring", ids.slice(0, 7)],
  ["survey", ids],
  ["all", ids],
] as const satisfies (readonly [Profile, readonly string[]])[])
  verifies("deck:builtin-table", `profile ${profile} has ${names.length} built-in tools`, () => {
    expect(buildBuiltinsForProfile(profile, ctx).map(({ name }) => name)).toEqual(names);
  });

verifies("deck:builtin-table", "an unknown id is a fault that lists the known ones", () => {
  expect(() => buildBuiltin("reed", ctx)).toThrow(
    expect.objectContaining({
      kind: "unknown_capability",
      message: `there is no built-in tool named "reed"; known: ${ids.join(", ")}`,
    }),
  );
});
