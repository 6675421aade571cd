import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import {
  renameInContents,
  renameInItem,
  renameInPrompt,
  renameInQuestions,
  renameInResult,
  renameTexts,
} from "../../../../src/interop/relay/names/rename-uris.ts";

const same = (text: string): string => text;
const UNCHANGED = { uri: same, meta: same };
/** Renames one URI only, as after a clash. */
const one = (text: string): string => (text === "x://1" ? "indus://resource/s/x://1" : text);
const RENAMED = { uri: one, meta: one };
const NEW = "indus://resource/s/x://1";

const RESULT = {
  content: [
    { type: "text", text: "x://1", _meta: { "ui/resourceUri": "x://1", list: ["x://1", "x://2"] } },
    { type: "resource_link", uri: "x://1", name: "one", annotations: { priority: 1 } },
    { type: "resource", resource: { uri: "x://1", text: "x://1", _meta: { self: "x://1" } } },
    { type: "resource", resource: { uri: "x://2", blob: "" } },
    { type: "tool_result", content: [{ type: "resource_link", uri: "x://1" }] },
  ],
  structuredContent: { uri: "x://1" },
  _meta: { deep: { er: "x://1" }, count: 1, none: null },
};

verifies(
  "relay:rewritten",
  "links, embedded resources and _meta of results are renamed, and nothing else",
  () => {
    const result = renameInResult(RESULT, RENAMED);
    expect(result).toEqual({
      content: [
        { type: "text", text: "x://1", _meta: { "ui/resourceUri": NEW, list: [NEW, "x://2"] } },
        { type: "resource_link", uri: NEW, name: "one", annotations: { priority: 1 } },
        { type: "resource", resource: { uri: NEW, text: "x://1", _meta: { self: NEW } } },
        { type: "resource", resource: { uri: "x://2", blob: "" } },
        { type: "tool_result", content: [{ type: "resource_link", uri: NEW }] },
      ],
      structuredContent: { uri: "x://1" },
      _meta: { deep: { er: NEW }, count: 1, none: null },
    });
    expect(result["structuredContent"]).toBe(RESULT.structuredContent);
  },
);

verifies("relay:rewritten", "prompts, contents and items of lists too", () => {
  const link = { type: "resource_link", uri: "x://1" };
  const messages = [
    { role: "user", content: link },
    { role: "user", content: [link, { type: "text", text: "x://1" }] },
    "no message",
  ];
  expect(renameInPrompt({ messages }, RENAMED)).toEqual({
    messages: [
      { role: "user", content: { ...link, uri: NEW } },
      {
        role: "user",
        content: [
          { ...link, uri: NEW },
          { type: "text", text: "x://1" },
        ],
      },
      "no message",
    ],
  });
  expect(renameInContents({ contents: [{ uri: "x://1", text: "" }, null] }, RENAMED)).toEqual({
    contents: [{ uri: NEW, text: "" }, null],
  });
  expect(renameInItem({ uriTemplate: "x://1", name: "n", _meta: { a: "x://1" } }, RENAMED)).toEqual({
    uriTemplate: NEW,
    name: "n",
    _meta: { a: NEW },
  });
});

verifies("relay:rewritten", "messages for a model in questions too, and no other question", () => {
  const message = (uri: string) => ({ role: "user", content: { type: "resource_link", uri } });
  const sampling = (uri: string) =>
    ({ method: "sampling/createMessage", params: { messages: [message(uri)], maxTokens: 1 } }) as const;
  const form = { method: "elicitation/create", params: { messages: [message("x://1")] } } as const;
  const roots = { method: "roots/list" } as const;
  const questions = { a: sampling("x://1"), b: sampling("x://2"), form, roots };
  const renamed = renameInQuestions(questions, RENAMED);
  expect(renamed).toEqual({ ...questions, a: sampling(NEW) });
  expect(renamed["b"]).toBe(questions.b);
  expect(renameInQuestions(questions, UNCHANGED)).toBe(questions);
});

verifies("relay:rewritten", "what has no renamed URI is passed on as the same object", () => {
  expect(renameInResult(RESULT, UNCHANGED)).toBe(RESULT);
  const broken = { content: "no list", _meta: 7 };
  expect(renameInResult(broken, RENAMED)).toBe(broken);
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(renameTexts(value, same)).toBe(value);
      const marked = renameTexts(value, (text) => `${text}!`);
      expect(renameTexts(marked, (text) => text.slice(0, -1))).toEqual(value);
    }),
  );
  const hostile = JSON.parse('{"__proto__":{"a":"x://1"}}') as object;
  expect(JSON.stringify(renameTexts(hostile, one))).toBe(`{"__proto__":{"a":"${NEW}"}}`);
});
