import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { readDocument as read, root } from "./kit/documents.ts";
import { FRAMEWORK } from "./rooms/tables.ts";

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

/** The first and the last cell of each row below a heading, as the texts in backticks. */
function tableBelow(heading: string): Map<string, string[]> {
  const section = architecture.split(`## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const rows = [...section.matchAll(/^\| `([\w/-]+)` \|.*\| ([^|]*) \|$/gm)];
  return new Map(
    rows.map(([, room = "", last = ""]) => [
      room,
      [...last.matchAll(/`([\w/-]+)`/g)].map(([, name = ""]) => name),
    ]),
  );
}

verifies(
  "docs:paths",
  "the table of the framework's rooms equals the one that the imports are checked with",
  () => {
    const built = Object.entries(FRAMEWORK).filter(([room]) =>
      existsSync(join(root, "packages/indusagi/src", room)),
    );
    expect(built.length).toBeGreaterThan(10);
    expect(Object.fromEntries(tableBelow("Rooms of the framework"))).toEqual(Object.fromEntries(built));
  },
);

verifies("docs:paths", "the architecture page lists every source folder, and no other", () => {
  const listed = [...tableBelow("Where to look").keys()];
  const folders = [...sourceFolders("indusagi"), ...sourceFolders("induscode")];
  const isRoom = (folder: string): boolean => architecture.includes(`\n| \`${folder}\` |`);
  expect(folders.length).toBeGreaterThan(50);
  expect(listed.filter((folder) => !folders.includes(folder))).toEqual([]);
  expect(folders.filter((folder) => !listed.includes(folder) && !isRoom(folder))).toEqual([]);
});
