import { verifies } from "@indus/testkit";
import { answeredOutcome, textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { ArtifactStore } from "../../../src/gateway/previews/artifact-store.ts";

const outcome = answeredOutcome("1", textResult("x"));

verifies("previews:bounded", "results expire, the oldest go first, and only the owner finds them", () => {
  let nowMs = 0;
  const store = new ArtifactStore({ count: 3, bytes: 100, keptMs: 1_000 }, () => nowMs);
  const keep = (owner: string, bytes: number): string => store.keep(owner, outcome, bytes)?.id ?? "";
  const has = (owner: string, ids: readonly string[]): boolean[] =>
    ids.map((id) => store.find(owner, id) !== undefined);
  expect(keep("alice", 101)).toBe("");
  const ids = [keep("alice", 10), keep("alice", 10), keep("alice", 10), keep("alice", 10)];
  expect(new Set(ids).size).toBe(4);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(has("alice", ids)).toEqual([false, true, true, true]);
  expect(has("bob", ids)).toEqual([false, false, false, false]);
  expect(has("", ids)).toEqual([false, false, false, false]);
  nowMs = 500;
  const large = keep("bob", 90);
  expect(has("alice", ids)).toEqual([false, false, false, true]);
  nowMs = 1_000;
  expect(has("alice", ids)).toEqual([false, false, false, false]);
  expect(has("bob", [large])).toEqual([true]);
  nowMs = 1_500;
  expect(has("bob", [large])).toEqual([false]);
  // What is gone leaves its space.
  expect(has("bob", [keep("bob", 100)])).toEqual([true]);
});

verifies("previews:bounded", "many results of one owner do not push out those of another", () => {
  const store = new ArtifactStore({ count: 10, bytes: 100, keptMs: 1_000 }, () => 0);
  const kept = store.keep("alice", outcome, 20)?.id ?? "";
  const many = Array.from({ length: 30 }, () => store.keep("mallory", outcome, 10)?.id ?? "");
  expect(store.find("alice", kept)).toBeDefined();
  expect(many.filter((id) => store.find("mallory", id))).toEqual(many.slice(-8));
  // A single large one takes what it needs.
  expect(store.find("mallory", store.keep("mallory", outcome, 95)?.id ?? "")).toBeDefined();
  expect(store.find("alice", kept)).toBeUndefined();
});
