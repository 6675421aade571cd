import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { requirements } from "./requirements/index.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folders = ["packages/indusagi/test", "packages/induscode/test", "test"];

/** The ids that tests cite, read from the source: a test that never ran still cites, one that was deleted does not. */
async function citedIds(): Promise<Set<string>> {
  const cited = new Set<string>();
  for (const folder of folders) {
    for (const entry of await readdir(join(root, folder), { recursive: true })) {
      if (!entry.endsWith(".test.ts")) continue;
      const source = await readFile(join(root, folder, entry), "utf8");
      for (const match of source.matchAll(/\bverifies\(\s*"([^"]+)"/g)) cited.add(match[1] ?? "");
    }
  }
  return cited;
}

test("every requirement has a test that cites it, and every cited id is a requirement", async () => {
  const cited = await citedIds();
  const known = Object.keys(requirements);
  expect(known.length).toBeGreaterThan(0);
  expect({ untested: known.filter((id) => !cited.has(id)) }).toEqual({ untested: [] });
  expect({ unknown: [...cited].filter((id) => !(id in requirements)) }).toEqual({ unknown: [] });
});

test("every requirement is one sentence that says what holds", () => {
  for (const [id, message] of Object.entries(requirements)) {
    expect(id).toMatch(/^[a-z0-9-]+:[a-z0-9-]+$/);
    expect(message.length, id).toBeGreaterThan(15);
  }
});
