import { spentMs, verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { matchesUriTemplate } from "../../../src/interop/relay/index.ts";

verifies("relay:templates", "each operator of RFC 6570 takes its own characters", () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ["test://{id}", "test://7", true],
    ["test://{id}", "test://", false],
    ["test://{id}", "test://a/b", false],
    ["test://{id}/x", "test://a/x", true],
    ["file:///{+path}", "file:///a/b?c#d", true],
    ["a{/b,c}", "a", true],
    ["a{/b,c}", "a/1/2", true],
    ["a{?q,r}", "a?q=1&r=2", true],
    ["a{?q}", "a", true],
    ["a{?q}", "a/b", false],
    ["a{?q}{#f}", "a#here", true],
    ["a{.ext}", "a.json", true],
    ["a{;x}", "a;x=1", true],
    ["a{&more}", "a&x=1", true],
    ["x{id}y{id}z", "x1yyz", true],
    ["plain", "plain", true],
    ["plain", "plainer", false],
    ["broken{id", "broken{id", false],
    ["broken}", "broken}", false],
    ["é{x}", "é😀", true],
  ];
  for (const [template, uri, expected] of cases)
    expect(matchesUriTemplate(template, uri), `${template} ${uri}`).toBe(expected);
  expect(matchesUriTemplate(undefined, "a")).toBe(false);
});

/** How RFC 6570 begins and joins the values of each operator; with names or without. */
const EXPANSIONS = {
  "": ["", ",", false],
  "+": ["", ",", false],
  "#": ["#", ",", false],
  ".": [".", ".", false],
  "/": ["/", "/", false],
  ";": [";", ";", true],
  "?": ["?", "&", true],
  "&": ["&", "&", true],
} as const;

verifies("relay:templates", "every expansion matches its template", () => {
  const value = fc.stringMatching(/^[a-z0-9]{1,6}$/);
  const values = fc.dictionary(fc.constantFrom("a", "b", "c"), value, { minKeys: 1, noNullPrototype: true });
  const operator = fc.constantFrom(...(Object.keys(EXPANSIONS) as (keyof typeof EXPANSIONS)[]));
  const expression = fc.tuple(operator, values).map(([sign, given]) => {
    const [first, between, isNamed] = EXPANSIONS[sign];
    const shown = Object.entries(given).map(([name, text]) => (isNamed ? `${name}=${text}` : text));
    return [`{${sign}${Object.keys(given).join(",")}}`, `${first}${shown.join(between)}`] as const;
  });
  const literal = fc.constantFrom("test://", "x", "/", "-").map((text) => [text, text] as const);
  fc.assert(
    fc.property(fc.array(fc.oneof(literal, expression), { maxLength: 6 }), (parts) => {
      const [template, uri] = [0, 1].map((side) => parts.map((part) => part[side]).join(""));
      expect(matchesUriTemplate(template, uri ?? "")).toBe(true);
    }),
  );
});

verifies("relay:templates", "a hostile template costs little", async () => {
  const template = "{+a}".repeat(490);
  expect(await spentMs(() => matchesUriTemplate(`${template}!`, "a".repeat(2_000)))).toBeLessThan(5_000);
  expect(matchesUriTemplate("{a}".repeat(2_000), "a")).toBe(false);
});
