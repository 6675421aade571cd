import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { readDocument as read, root } from "./kit/documents.ts";
import { FRAMEWORK, PRODUCT } from "./rooms/tables.ts";

const pages = [
  "CONTEXT.md",
  "CONTRIBUTING.md",
  "docs/why.md",
  "docs/architecture.md",
  "docs/flow.md",
  ...readdirSync(join(root, "docs/decisions")).map((name) => `docs/decisions/${name}`),
];
const architecture = read("docs/architecture.md");

/** The texts in backticks of a page, without its code blocks. */
function quoted(page: string): string[] {
  const prose = read(page).replaceAll(/^```[\s\S]*?^```$/gm, "");
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, text]) => text ?? "");
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (!entry.isDirectory()) return [path];
    return ["node_modules", "dist", ".git"].includes(entry.name) ? [] : filesBelow(path);
  });
}

const files = filesBelow("");

function sourceFolders(packageName: string): string[] {
  const prefix = `packages/${packageName}/src/`;
  const folders = files
    .filter((file) => file.startsWith(prefix) && file.slice(prefix.length).includes("/"))
    .map((file) => file.slice(prefix.length, file.lastIndexOf("/")));
  return [...new Set(folders)];
}

const FILE_NAME = /^[\w./-]*\w\.(ts|mjs|js|json|md|svg)$/;
/** Files that users have, not this repository. */
const FILES_OF_USERS = new Set([".indusvx/mcp.json"]);

for (const page of pages) {
  verifies("docs:paths", `${page} names only files that exist`, () => {
    const named = quoted(page).filter((text) => FILE_NAME.test(text) && !FILES_OF_USERS.has(text));
    const missing = named.filter((name) => !files.some((file) => file === name || file.endsWith(`/${name}`)));
    expect(missing).toEqual([]);
  });
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): Set<string> {
  const headings = [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

/** What is wrong with the link of a page to a file of this repository; `undefined` if nothing is. */
function deadLink(page: string, link: string): string | undefined {
  const [target = "", anchor] = link.split("#");
  const file = target === "" ? page : join(dirname(page), target);
  if (!existsSync(join(root, file))) return `${page}: ${link}`;
  return anchor === undefined || anchorsOf(file).has(anchor) ? undefined : `${page}: ${link}`;
}

verifies("docs:links", "every link between the documents leads to a file and a heading that exist", () => {
  const documents = files.filter((file) =>
    /^(?:[A-Z]+\.md|docs\/.*\.md|packages\/\w+\/README\.md)$/.test(file),
  );
  const links = documents.flatMap((page) =>
    [
      ...read(page)
        .replaceAll(/^```[\s\S]*?^```$/gm, "")
        .matchAll(/\]\(([^()\s]+)\)/g),
    ]
      .map(([, link = ""]) => [page, link] as const)
      .filter(([, link]) => !/^[a-z]+:/.test(link)),
  );
  expect(links.length).toBeGreaterThan(100);
  expect(links.flatMap(([page, link]) => deadLink(page, link) ?? [])).toEqual([]);
});

verifies("docs:paths", "the glossary names only identifiers that exist", () => {
  const sources = files.filter((file) => /^packages\/\w+\/src\/.*\.ts$/.test(file)).map(read);
  const identifiers = quoted("CONTEXT.md").filter((text) => /^[A-Z][a-z]\w*$/.test(text));
  expect(identifiers.length).toBeGreaterThan(10);
  const missing = identifiers.filter((name) => !sources.some((text) => text.includes(name)));
  expect(missing).toEqual([]);
});

/** The rows of a table below a heading: the texts in backticks of the first and of the last cell. */
function tableBelow(heading: string): { rooms: string[]; imports: string[] }[] {
  const section = architecture.split(`### ${heading}\n`)[1]?.split("\n## ")[0]?.split("\n### ")[0] ?? "";
  const names = (cell: string): string[] => [...cell.matchAll(/`([\w/-]+)`/g)].map(([, name = ""]) => name);
  return [...section.matchAll(/^\| (`[^|]*) \|.*\|([^|]*)\|$/gm)].map(([, first = "", last = ""]) => ({
    rooms: names(first),
    imports: names(last),
  }));
}

verifies("docs:paths", "the tables of rooms equal those that the imports are checked with", () => {
  expect(tableBelow("Rooms of the framework")).toEqual(FRAMEWORK);
  expect(tableBelow("Rooms of the product")).toEqual(PRODUCT);
});

/** The folders of the tree in a code block, from its indentation. */
function foldersInTree(): string[] {
  const tree = architecture.split("## Where to look\n")[1]?.split("```")[1] ?? "";
  const path: string[] = [];
  return [...tree.matchAll(/^( *)([\w-]+)(?: {2,}\S.*)?$/gm)].map(([, indent = "", name = ""]) => {
    path.splice(indent.length / 2, Infinity, name);
    return path.join("/");
  });
}

verifies("docs:paths", "the architecture page lists every source folder, and no other", () => {
  const folders = [...sourceFolders("indusagi"), ...sourceFolders("induscode")];
  const withParents = folders.flatMap((folder) =>
    folder.split("/").map((_, at, parts) => parts.slice(0, at + 1).join("/")),
  );
  expect(folders.length).toBeGreaterThan(50);
  expect(foldersInTree().sort()).toEqual([...new Set(withParents)].sort());
});
