import { verifies } from "@indus/testkit";
import { parseServerConfig } from "indusagi/config";
import { expect } from "vitest";
import { ROW_MEMBERS } from "../packages/indusagi/src/config/parse/row-members.ts";
import { readDocument } from "./kit/documents.ts";

const page = readDocument("docs/guide/configuration.md");

interface PageRow {
  readonly members: readonly string[];
  readonly cells: readonly string[];
}

/** The rows of the tables whose header begins with `member`. */
const rows: readonly PageRow[] = [...page.matchAll(/^\| member \|.*\n\|[-|]+\|\n((?:\|.*\n)+)/gm)].flatMap(
  ([, body = ""]) =>
    body
      .trimEnd()
      .split("\n")
      .map((line) => {
        const cells = line
          .slice(1, -1)
          .split(/(?<!\\)\|/)
          .map((cell) => cell.trim().replaceAll("\\|", "|"));
        return { members: [...(cells[0] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name), cells };
      }),
);

verifies("docs:configuration", "the page has every member of the parser's table, once", () => {
  expect(rows.flatMap(({ members }) => members).toSorted()).toEqual([...ROW_MEMBERS].toSorted());
});

verifies("docs:configuration", "every member has a meaning, a default and an example that parses", () => {
  for (const { members, cells } of rows) {
    expect(cells, cells[0]).toHaveLength(4);
    expect(cells.every((cell) => cell !== "")).toBe(true);
    const example = /^`(\{.*\})`$/.exec(cells[3] ?? "")?.[1] ?? "";
    for (const member of members) expect(example, member).toContain(`"${members[0]}"`);
    const named = example.includes('"name"') ? example : example.replace("{", '{ "name": "x",');
    const parsed = parseServerConfig(`{ "servers": [${named}] }`, {
      file: "/home/me/servers.json",
      env: { TOKEN: "t" },
      readText: () => ({ text: "TOKEN=t" }),
    });
    expect(parsed.diagnostics, example).toEqual([]);
    expect(parsed.servers, example).toHaveLength(1);
  }
});
