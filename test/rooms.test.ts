import { readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { expect, test } from "vitest";
import { cyclesIn, type Edge, edgesOf, roomOf, root, sourceFiles } from "./rooms/imports.ts";
import { FRAMEWORK, LIBRARIES, PRODUCT, PURE_ROOMS } from "./rooms/tables.ts";

const packages = [
  { folder: "packages/indusagi", table: FRAMEWORK },
  { folder: "packages/induscode", table: PRODUCT },
] as const;

for (const { folder, table } of packages) {
  const rooms = table.flatMap((row) => row.rooms);
  const edges = edgesOf(folder, rooms);
  const isRelative = (edge: Edge): boolean => edge.to.endsWith(".ts");

  test(`${folder}: every import between rooms is in the table`, () => {
    expect(edges.length).toBeGreaterThan(0);
    const forbidden = edges.filter(isRelative).filter((edge) => {
      const row = table.find((one) => one.rooms.includes(edge.fromRoom));
      if (row?.rooms.includes(roomOf(edge.to, rooms))) return false;
      const path = edge.to.split(sep).join("/");
      return !row?.imports.some((folder) => path.startsWith(`${folder}/`));
    });
    expect(forbidden).toEqual([]);
  });

  test(`${folder}: no file imports itself through others, not even by a type-only or dynamic import`, () => {
    expect(cyclesIn(edges.filter(isRelative))).toEqual([]);
    expect(
      cyclesIn([
        { from: "a.ts", to: "b.ts", fromRoom: "" },
        { from: "b.ts", to: "a.ts", fromRoom: "" },
      ]),
    ).not.toEqual([]);
  });

  test(`${folder}: another room is entered through its index`, () => {
    const sideDoors = edges.filter(isRelative).filter((edge) => {
      const toRoom = roomOf(edge.to, rooms);
      return toRoom !== edge.fromRoom && !/(^|\/)(index|internal)\.ts$/.test(edge.to);
    });
    expect(sideDoors).toEqual([]);
  });

  test(`${folder}: a room imports only its own libraries`, () => {
    const foreign = edges
      .filter((edge) => !isRelative(edge) && !edge.to.startsWith("node:"))
      .filter((edge) => !(folder === "packages/induscode" && edge.to.startsWith("indusagi/")))
      .filter(
        (edge) =>
          !LIBRARIES[edge.fromRoom]?.some((name) => edge.to === name || edge.to.startsWith(`${name}/`)),
      );
    expect(foreign).toEqual([]);
  });

  test(`${folder}: a contract imports no library, no Node module, and only contracts and the framework`, () => {
    const forbidden = edges.filter((edge) => {
      const path = edge.from.split(sep).join("/");
      const isContract =
        PURE_ROOMS.some((room) => path.startsWith(`${room}/`)) || path.includes("/contract/");
      if (!isContract) return false;
      const isSibling = roomOf(edge.to, rooms) === edge.fromRoom && edge.fromRoom.startsWith("interop/");
      const allowed =
        /(^|\/)(contract\/|(?:core|llm)\/(?:index|internal)|llm\/arguments\/index|runtime\/index)/;
      if (/^indusagi\/(core|llm|runtime|capabilities)$/.test(edge.to)) return false;
      return !isRelative(edge) || (!isSibling && !allowed.test(edge.to.split(sep).join("/")));
    });
    expect(forbidden).toEqual([]);
  });
}

test("an index holds named re-exports only", () => {
  const indexes = packages
    .flatMap(({ folder }) => sourceFiles(join(root, folder, "src")))
    .filter((file) => file.endsWith(`${sep}index.ts`));
  expect(indexes.length).toBeGreaterThan(0);
  for (const file of indexes) {
    const text = readFileSync(file, "utf8");
    expect(text, file).not.toMatch(/export \*/);
    expect(
      text
        .replaceAll(/export (type )?\{[^}]*\} from "[^"]+";/g, "")
        .replaceAll(/\/\*\*[\s\S]*?\*\/|\/\/.*$/gm, "")
        .trim(),
      file,
    ).toBe("");
  }
});
