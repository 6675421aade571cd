import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { differences, isSamePlace } from "../../transparency/compare/difference.ts";
import { CLUSTER, reasonFor } from "../../transparency/compare/justified.ts";
import { neutral } from "../../transparency/compare/neutral.ts";
import { verdictsOf } from "../../transparency/compare/verdict.ts";
import type { Observed } from "../../transparency/observe.ts";
import { ask } from "../../transparency/plan/requests.ts";

const json = fc.jsonValue({ maxDepth: 4 });

verifies("transparency:compare", "two values differ in some place exactly if their JSON differs", () => {
  fc.assert(
    fc.property(json, json, (one, other) => {
      // -0 is 0 in JSON.
      const [a, b] = [JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other))] as [
        unknown,
        unknown,
      ];
      expect(differences(a, a)).toEqual([]);
      expect(differences(a, structuredClone(a))).toEqual([]);
      expect(differences(a, b).length === 0).toBe(isEqual(a, b));
    }),
  );
});

function isEqual(a: unknown, b: unknown): boolean {
  try {
    expect(a).toStrictEqual(b);
    return true;
  } catch {
    return false;
  }
}

verifies("transparency:compare", "each place is named, also in lists of different lengths", () => {
  expect(differences({ a: [1, { b: 2 }], c: 3 }, { a: [1, { b: 4 }, 5] })).toEqual([
    { path: "a[1].b", direct: 2, through: 4 },
    { path: "a[2]", direct: undefined, through: 5 },
    { path: "c", direct: 3, through: undefined },
  ]);
  expect(isSamePlace("a[1].b", "a[1]")).toBe(true);
  expect(isSamePlace("a[1]", "a[10]")).toBe(false);
});

verifies("transparency:compare", "the envelope of the modern era is not compared, everything else is", () => {
  const modern = {
    result: {
      resultType: "complete",
      ttlMs: 0,
      cacheScope: "private",
      content: [{ type: "text", text: "x", ttlMs: 5 }],
      _meta: { "io.modelcontextprotocol/serverInfo": {}, kept: 1 },
    },
  };
  expect(neutral(modern)).toEqual({
    result: { content: [{ type: "text", text: "x", ttlMs: 5 }], _meta: { kept: 1 } },
  });
  expect(neutral({ result: { resultType: "input_required" } })).toEqual({
    result: { resultType: "input_required" },
  });
  const long = "x".repeat(10_000);
  expect(neutral(long)).not.toBe(neutral(`${long}y`));
  fc.assert(
    fc.property(json, (value) => {
      expect(neutral(neutral(value))).toEqual(neutral(value));
    }),
  );
});

verifies(
  "transparency:compare",
  "what differs between two runs without a gateway is not held against one",
  () => {
    const plan = { steps: [ask("time", "tool", "x"), ask("same", "tool", "x")] };
    const seen = (time: number, same: number): Observed => ({
      steps: new Map<string, unknown>([
        ["time", { at: time, fixed: same }],
        ["same", same],
      ]),
    });
    const place = {
      gateway: "g",
      server: "s",
      isOwn: true,
      clientEra: "legacy",
      serverEra: "legacy",
    } as const;
    const direct = [seen(1, 7), seen(2, 7)] as const;
    const kinds = (through: Observed): string[] =>
      verdictsOf({ plan, direct, through, place }).map(({ kind }) => kind);
    expect(kinds(seen(3, 7))).toEqual(["identical", "identical"]);
    expect(kinds(seen(3, 8))).toEqual(["different", "different"]);
    expect(kinds({ failure: "no connection" })).toEqual(["different", "different"]);
  },
);

verifies("transparency:compare", "a reason covers what it describes, not the loss of the same thing", () => {
  const place = {
    gateway: "indus",
    server: "everything",
    isOwn: false,
    clientEra: "legacy",
    serverEra: "legacy",
  } as const;
  const isRight = (step: string, path: string, [direct, through]: readonly [unknown, unknown]): boolean =>
    reasonFor({ path, direct, through }, { ...place, step }) !== undefined;
  const text = "Be kind to this server, and read all of its documents before the first call.";
  expect(isRight("instructions", "instructions", [text, `Indus.\n> ${text}`])).toBe(true);
  expect(isRight("instructions", "instructions", [text, "Indus."])).toBe(false);
  expect(isRight("instructions", "instructions", [text, undefined])).toBe(false);
  const answer = { content: [] };
  const error = { code: -32_602, message: "no" };
  for (const step of ["call no-such-tool", "prompt no-such-prompt {}"]) {
    expect(isRight(step, "result", [answer, undefined])).toBe(true);
    expect(isRight(step, "error", [undefined, error])).toBe(true);
    expect(isRight(step, "error.message", ["no such", "no"])).toBe(true);
    expect(isRight(step, "result", [undefined, answer])).toBe(false);
    expect(isRight(step, "error", [error, undefined])).toBe(false);
  }
  const research = "plain call simulate-research-query";
  expect(isRight(research, "result.isError", [true, undefined])).toBe(true);
  expect(isRight(research, "result.content[0].text", ["a task is needed", "# Research Report: x"])).toBe(
    true,
  );
  expect(isRight(research, "result.content[0].text", ["a task is needed", "failed"])).toBe(false);
  expect(isRight(research, "result", [answer, undefined])).toBe(false);
});

verifies("transparency:compare", "in a cluster a link may name its server, in one spelling only", () => {
  const place = {
    gateway: CLUSTER,
    server: "features",
    isOwn: false,
    clientEra: "modern",
    serverEra: "legacy",
  } as const;
  const isRight = (step: string, path: string, values: readonly [unknown, unknown], more = {}): boolean =>
    reasonFor({ path, direct: values[0], through: values[1] }, { ...place, ...more, step }) !== undefined;
  const uri = "result.content[0].uri";
  const named = ["a://b", "indus://resource/s/a://b"] as const;
  expect(isRight("call content", uri, named)).toBe(true);
  expect(isRight("call chart", "result._meta.ui.resourceUri", ["ui://a", "ui://indus+s/a"])).toBe(true);
  expect(isRight("call content", uri, named, { gateway: "indus" })).toBe(false);
  expect(isRight("call content", uri, named, { clientEra: "legacy" })).toBe(false);
  expect(isRight("resources/list", "resources[0].uri", named)).toBe(false);
  expect(isRight("call content", "result.content[0].text", named)).toBe(false);
  expect(isRight("call content", uri, ["a://b", "indus://resource/other/a://b"])).toBe(false);
  expect(isRight("call content", uri, ["a://b", undefined])).toBe(false);
  expect(isRight("read feature://text", "result", [{ contents: [] }, undefined])).toBe(false);
  expect(isRight("link of content", "error", [undefined, { code: -32_602 }])).toBe(false);
});

verifies("transparency:extensions", "a reason about an extension does not cover the loss of it", () => {
  const place = {
    gateway: "indus",
    server: "extensions",
    isOwn: false,
    clientEra: "legacy",
    serverEra: "modern",
  } as const;
  const isRight = (
    step: string,
    path: string,
    [direct, through]: readonly [unknown, unknown],
    where: Partial<typeof place> | object = {},
  ): boolean => reasonFor({ path, direct, through }, { ...place, ...where, step }) !== undefined;
  const UI = "io.modelcontextprotocol/ui";
  const TASKS = "io.modelcontextprotocol/tasks";
  const across = { clientEra: "modern", serverEra: "legacy" };
  const same = { clientEra: "modern", serverEra: "modern" };
  // Apps and skills are never lost, an unknown extension only at a door to several servers.
  for (const where of [{}, across, same]) {
    expect(isRight("capabilities", `extensions.${UI}`, [{}, undefined], where)).toBe(false);
    expect(
      isRight("call declared", `result.structuredContent.extensions.${UI}`, [{}, undefined], where),
    ).toBe(false);
    expect(isRight("call chart", "result._meta", [{}, undefined], where)).toBe(false);
    expect(isRight("read ui://charts/view.html", "result", [{}, undefined], where)).toBe(false);
    expect(
      isRight("trace context of a call", "result.structuredContent.traceparent", ["00", null], where),
    ).toBe(false);
    expect(isRight("task job_asks", "questions", [[], undefined], where)).toBe(false);
    expect(isRight("skills/list", "skills[0]", [{}, undefined], where)).toBe(false);
  }
  expect(isRight("capabilities", "extensions.example.test/echo", [{}, undefined])).toBe(true);
  expect(isRight("capabilities", "extensions.example.test/echo", [{}, undefined], { isOwn: true })).toBe(
    false,
  );
  // Tasks become those of the client's era, and do not vanish where the era stays the same.
  expect(isRight("capabilities", "tasks", [undefined, { cancel: {} }], { isOwn: true })).toBe(true);
  expect(isRight("capabilities", `extensions.${TASKS}`, [{}, undefined])).toBe(true);
  expect(isRight("capabilities", `extensions.${TASKS}`, [undefined, {}], across)).toBe(true);
  expect(isRight("capabilities", "tasks", [{}, undefined], across)).toBe(true);
  expect(isRight("capabilities", `extensions.${TASKS}`, [{}, undefined], same)).toBe(false);
  // Hints vanish only for legacy clients, and are never more public than the server said.
  expect(isRight("hint of tools/list", "ttlMs", ["some", undefined])).toBe(true);
  expect(isRight("hint of tools/list", "ttlMs", ["some", undefined], same)).toBe(false);
  expect(isRight("hint of tools/list", "ttlMs", ["some", "none"], same)).toBe(false);
  expect(isRight("hint of tools/list", "cacheScope", [undefined, "public"], across)).toBe(false);
  expect(isRight("hint of server/discover", "cacheScope", ["private", "public"], same)).toBe(false);
  // The error that a modern client understands stays.
  const error = { code: -32_021 };
  expect(isRight("plain call job_required", "error", [error, undefined])).toBe(true);
  expect(isRight("plain call job_required", "error", [error, undefined], same)).toBe(false);
});
