import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

interface ParityRow {
  readonly here: string;
  readonly subpath: string;
  readonly status: string;
}

/** The rows that have a status: sister names, the name here, the subpath, the status. */
function parityRows(page: string): ParityRow[] {
  return page
    .split("\n")
    .map((line) => line.split(" | "))
    .filter((cells) => cells.length === 4 && /^(done|not yet) \|$/.test(cells[3] ?? ""))
    .map(([, here = "", place = "", status = ""]) => ({
      here,
      subpath: /`([^`]+)`/.exec(place)?.[1] ?? "",
      status: status.replace(" |", ""),
    }));
}

/** Values and types that a subpath exports. A type leaves no trace at run time, so this reads the source. */
function exportsOf(subpath: string): Set<string> {
  const [name = "", room = ""] = subpath.split("/");
  const index = readFileSync(`${root}packages/${name}/src/${room}/index.ts`, "utf8");
  const names = [...index.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list = ""]) =>
    list.split(",").map((each) =>
      each
        .trim()
        .replace(/^type /, "")
        .replace(/^.* as /, ""),
    ),
  );
  return new Set(names);
}

/** The exported name of a row, `BridgeLedger` for `BridgeLedger.empty`; none for a row of vocabulary. */
function exportOf({ here }: ParityRow): string | undefined {
  return /^`(\w+)/.exec(here)?.[1];
}

const rows = parityRows(readFileSync(`${root}docs/parity.md`, "utf8"));

verifies("docs:parity", "the subpath of each row marked done exports its name", () => {
  const done = rows.filter(({ status }) => status === "done");
  expect(done.length).toBeGreaterThan(150);
  const missing = done.filter((row) => {
    const name = exportOf(row);
    return name !== undefined && !exportsOf(row.subpath).has(name);
  });
  expect(missing).toEqual([]);
});
