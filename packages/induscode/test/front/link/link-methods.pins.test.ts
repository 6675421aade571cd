import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { LINK_METHODS, LINK_NOTIFICATIONS } from "../../../src/front/link/link-methods.ts";

const page = readFileSync(
  fileURLToPath(new URL("../../../../../docs/guide/driving.md", import.meta.url)),
  "utf8",
);

/** The cells of the table whose first heading is given. */
function tableOf(heading: string): string[][] {
  const table = page.split(`\n| ${heading} |`)[1]?.split("\n\n")[0] ?? "";
  return table
    .split("\n")
    .slice(2)
    .map((row) =>
      row
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );
}

verifies("link:methods", "the page lists every method with its parameters, and every notification", () => {
  const methods = Object.entries(LINK_METHODS).map(([name, { params, summary }]) => {
    const required = params["required"] as readonly string[];
    const names = Object.keys(params["properties"] as object).map(
      (each) => `\`${each}${required.includes(each) ? "" : "?"}\``,
    );
    return [`\`${name}\``, names.join(", "), summary];
  });
  expect(tableOf("method")).toEqual(methods);
  expect(tableOf("notification")).toEqual(
    Object.entries(LINK_NOTIFICATIONS).map(([name, meaning]) => [`\`${name}\``, meaning]),
  );
});

verifies("link:methods", "these are the names that programs rely on", () => {
  expect(Object.keys(LINK_METHODS)).toEqual([
    "prompt",
    "abort",
    "approve",
    "approvePlan",
    "answer",
    "mode",
    "model",
    "turns",
    "rewind",
    "compact",
    "context",
    "tools",
    "servers",
    "transcript",
    "exit",
  ]);
});
