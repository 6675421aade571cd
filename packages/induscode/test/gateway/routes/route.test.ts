import { verifies } from "@indus/testkit";
import * as fc from "fast-check";
import { expect } from "vitest";
import { parseRoutePath, type Route, routePath } from "../../../src/gateway/index.ts";

const name = fc.oneof(
  fc.string({ minLength: 1, unit: "grapheme" }),
  fc.constantFrom("p", "..", "a/b", "%", "mcp"),
);
const route: fc.Arbitrary<Route> = fc.oneof(
  fc.constant<Route>({ kind: "all" }),
  name.map((id): Route => ({ kind: "server", id })),
  name.map((profile): Route => ({ kind: "profile", name: profile })),
);

verifies("routes:path-law", "a route is found again by its path", () => {
  fc.assert(
    fc.property(route, (given) => {
      expect(parseRoutePath(routePath(given))).toEqual(given);
    }),
  );
});

verifies("routes:path-law", "what does not have the form of a route names none", () => {
  for (const path of [
    "/",
    "/mcpx",
    "/mcp/",
    "/mcp//",
    "/mcp/a/",
    "/mcp/a/b",
    "/mcp/p/",
    "/mcp/p/a/b",
    "/mcp/%",
    "/mcp/p/%zz",
  ])
    expect(parseRoutePath(path), path).toBeUndefined();
  expect(parseRoutePath("/mcp/p")).toEqual({ kind: "server", id: "p" });
});
