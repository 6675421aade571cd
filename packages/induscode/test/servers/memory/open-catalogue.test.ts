import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs/promises";
import { chmod, copyFile, readdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { buildProgram, type TempDir, tempDir, verifies } from "@indus/testkit";
import fc from "fast-check";
import type { FileDisk } from "indusagi/core";
import type { ServerListing } from "indusagi/interop";
import { expect } from "vitest";
import type { CatalogueEntry } from "../../../src/servers/memory/catalogue-entry.ts";
import {
  catalogueEntryText,
  MAX_ENTRIES,
  MAX_ENTRY_BYTES,
  parseCatalogueEntry,
  parseCatalogueHead,
} from "../../../src/servers/memory/entry-file.ts";
import { EntryWrites } from "../../../src/servers/memory/entry-writes.ts";
import { type Catalogue, type CatalogueOptions, openCatalogue } from "../../../src/servers/memory/index.ts";

const POSIX = ["linux", "darwin"] as const;
const A = "a".repeat(32);
const B = "b".repeat(32);

const LISTING: ServerListing = {
  tools: [{ name: "echo", inputSchema: { type: "object" }, _meta: { x: 1 } }],
  prompts: [{ name: "greet" }],
  resources: [{ uri: "file:///a", name: "a" }],
  templates: [{ uriTemplate: "file:///{path}", name: "files" }],
  instructions: "Use echo.",
  capabilities: { tools: { listChanged: true } },
};

/** A catalogue in a temporary folder, and what it reported. */
function openIn(
  dir: TempDir,
  options: Pick<CatalogueOptions, "disk"> = {},
): { readonly catalogue: Catalogue; readonly reports: readonly string[] } {
  const reports: string[] = [];
  const report = (message: string): void => void reports.push(message);
  return { catalogue: openCatalogue(dir.at("c"), { report, ...options }), reports };
}

/** A disk on which each rename waits until it is released. */
function heldDisk(): { readonly disk: FileDisk; readonly held: () => number; readonly release: () => void } {
  const held: (() => void)[] = [];
  const disk: FileDisk = {
    open: (path, flags, mode) => fs.open(path, flags, mode),
    lstat: (path) => fs.lstat(path),
    readdir: (path) => fs.readdir(path, { withFileTypes: true }),
    rename: async (from, to) => {
      await new Promise<void>((resolve) => void held.push(resolve));
      await fs.rename(from, to);
    },
    link: (existing, added) => fs.link(existing, added),
    unlink: (path) => fs.unlink(path),
  };
  return { disk, held: () => held.length, release: () => held.shift()?.() };
}

verifies(
  "starts:in-vain",
  "a start that begins is remembered, and what is known of a server stays",
  async () => {
    await using dir = await tempDir();
    {
      await using catalogue = openIn(dir).catalogue;
      catalogue.tried(A, "mute");
      catalogue.ready(B, "good", 40);
      catalogue.listed(B, "good", LISTING);
      catalogue.tried(B, "good");
    }
    const other = openIn(dir).catalogue;
    expect(other.head(A)).toEqual({ server: "mute", failures: 0 });
    other.tried(B, "good");
    await other.flush();
    expect(openIn(dir).catalogue.entry(B)).toMatchObject({ readyMs: 40, listing: { tools: LISTING.tools } });
  },
);

const versionOf = (name: string): ServerListing => ({
  ...LISTING,
  tools: [{ name, inputSchema: { type: "object" } }],
});
const storedTools = (dir: TempDir): unknown =>
  openIn(dir)
    .catalogue.entry(A)
    ?.listing?.tools.map(({ name }) => name);

verifies("catalogue:round-trip", "what one process remembers the next one knows", async () => {
  await using dir = await tempDir();
  const first = openIn(dir);
  expect(first.catalogue.entry(A)).toBeUndefined();
  first.catalogue.ready(A, "s", 120.4);
  first.catalogue.listed(A, "s", LISTING);
  const entry = { server: "s", failures: 0, readyMs: 120, listing: LISTING };
  expect(first.catalogue.entry(A)).toEqual(entry);
  await first.catalogue[Symbol.asyncDispose]();
  const second = openIn(dir);
  expect(second.catalogue.entry(A)).toEqual(entry);
  expect(second.catalogue.entry(B)).toBeUndefined();
  expect([...first.reports, ...second.reports]).toEqual([]);
});

verifies("catalogue:round-trip", "a start that brings nothing new writes no file", async () => {
  await using dir = await tempDir();
  const start = async (readyMs: number, listing: ServerListing): Promise<number> => {
    const { catalogue } = openIn(dir);
    catalogue.ready(A, "s", readyMs);
    catalogue.listed(A, "s", listing);
    await catalogue[Symbol.asyncDispose]();
    return (await stat(dir.at("c", `${A}.json`))).ino;
  };
  const first = await start(100, LISTING);
  // The file is used again tomorrow, and must not be removed as the oldest meanwhile.
  await utimes(dir.at("c", `${A}.json`), 1, 1);
  expect(await start(110, { ...LISTING })).toBe(first);
  expect((await stat(dir.at("c", `${A}.json`))).mtimeMs).toBeGreaterThan(Date.now() - 60_000);
  expect(await start(300, LISTING)).not.toBe(first);
  expect(openIn(dir).catalogue.entry(A)?.readyMs).toBe(300);
  await start(300, { ...LISTING, instructions: "Use it." });
  expect(openIn(dir).catalogue.entry(A)?.listing?.instructions).toBe("Use it.");
});

const UI = "io.modelcontextprotocol/ui";

verifies(
  "extensions:lists-kept",
  "lists for clients with extensions are kept beside the plain ones, whose format does not change",
  () => {
    const entry: CatalogueEntry = { server: "s", failures: 0, listing: LISTING };
    const classes = { [UI]: { tools: [{ name: "zoom", inputSchema: { type: "object" } }], prompts: [] } };
    const earlier = catalogueEntryText(A, entry);
    expect(earlier).not.toContain("classes");
    expect(parseCatalogueEntry(A, earlier)).toEqual(entry);
    const varied = { ...entry, listing: { ...LISTING, classes } };
    const text = catalogueEntryText(A, varied);
    expect(parseCatalogueEntry(A, text)).toEqual(varied);
    // Without them, the file is that of an earlier version.
    expect(text.replace(/,"classes":.*(?=\}\n)/, "")).toBe(earlier);
    // Others are ignored, and a damaged one counts as absent: only the server itself is asked again.
    const damaged = {
      ...classes,
      "com.example/x": {},
      [`${UI} io.modelcontextprotocol/skills`]: { tools: 1 },
    };
    const read = parseCatalogueEntry(A, text.replace(JSON.stringify(classes), JSON.stringify(damaged)));
    expect(read).toEqual(varied);
  },
);

verifies("catalogue:round-trip", "a write follows by itself soon after a listing", async () => {
  await using dir = await tempDir();
  const { catalogue } = openIn(dir);
  catalogue.listed(A, "s", LISTING);
  await expect.poll(() => openIn(dir).catalogue.entry(A)?.listing, { timeout: 5_000 }).toEqual(LISTING);
});

verifies("catalogue:in-order", "the last writes wait for an older one that is on its way", async () => {
  await using dir = await tempDir();
  const { disk, held, release } = heldDisk();
  const { catalogue, reports } = openIn(dir, { disk });
  catalogue.listed(A, "s", versionOf("old"));
  await expect.poll(held, { timeout: 5_000 }).toBe(1);
  catalogue.listed(A, "s", versionOf("new"));
  catalogue.listed(B, "t", LISTING);
  const closing = catalogue[Symbol.asyncDispose]();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(storedTools(dir)).toBeUndefined();
  release();
  await closing;
  expect(storedTools(dir)).toEqual(["new"]);
  expect((await readdir(dir.at("c"))).toSorted()).toEqual([`${A}.json`, `${B}.json`]);
  expect(reports).toEqual([]);
});

verifies(
  "catalogue:in-order",
  "what is on its way to the disk is known, and what follows it wins",
  async () => {
    await using dir = await tempDir();
    const { disk, held, release } = heldDisk();
    const { catalogue } = openIn(dir, { disk });
    catalogue.listed(A, "s", versionOf("old"));
    await expect.poll(held, { timeout: 5_000 }).toBe(1);
    catalogue.ready(A, "s", 7); // It must not forget the listing that is not in its file yet.
    expect(catalogue.entry(A)).toMatchObject({ readyMs: 7, listing: { tools: [{ name: "old" }] } });
    catalogue.listed(A, "s", versionOf("new"));
    release();
    await expect.poll(held, { timeout: 5_000 }).toBe(1);
    expect(storedTools(dir)).toEqual(["old"]);
    release();
    await expect.poll(() => storedTools(dir), { timeout: 5_000 }).toEqual(["new"]);
    expect(openIn(dir).catalogue.entry(A)?.readyMs).toBe(7);
  },
);

verifies(
  "catalogue:in-order",
  "a disk that does not answer is reported, and the end does not wait for it",
  async () => {
    const reports: string[] = [];
    const nothing = (): void => {};
    const writes = new EntryWrites({
      write: () => new Promise(() => {}),
      writeNow: () => reports.push("written at once"),
      report: (message) => void reports.push(message),
      onWritten: nothing,
      flushMs: 20,
    });
    writes.add(A, { server: "s", failures: 0 });
    await new Promise((resolve) => setTimeout(resolve, 100)); // The write is on its way.
    writes.add(A, { server: "s", failures: 1 });
    await writes.flush();
    expect(reports).toEqual(["the last known catalogue cannot be written: the disk does not respond"]);
  },
);

verifies("catalogue:head", "the introduction of a server is known without its lists", async () => {
  await using dir = await tempDir();
  const first = openIn(dir).catalogue;
  const long = "Use echo. ".repeat(5_000); // More than is read at once.
  first.listed(A, "s", LISTING);
  first.listed(B, "t", { ...LISTING, instructions: long });
  first.ready(A, "s", 9);
  await first.flush();
  // Damage in the lists shows that they are not even read.
  for (const launch of [A, B]) {
    const text = await readFile(dir.at("c", `${launch}.json`), "utf8");
    await writeFile(dir.at("c", `${launch}.json`), text.replace('\n{"tools":', '\n{"tools",'));
  }
  const { catalogue, reports } = openIn(dir);
  const { instructions, capabilities } = LISTING;
  const head = { server: "s", failures: 0, readyMs: 9, listing: { instructions, capabilities } };
  expect(catalogue.head(A)).toEqual(head);
  expect(catalogue.head(A)).toBe(catalogue.head(A));
  expect(catalogue.head(B)?.listing?.instructions).toBe(long);
  expect(catalogue.head("c".repeat(32))).toBeUndefined();
  expect(reports).toEqual([]);
  catalogue.failed(A, "s");
  expect(catalogue.head(A)?.failures).toBe(1);
  await catalogue.flush(); // Before the folder is removed.
});

verifies("catalogue:round-trip", "a file of the first format, which is one line, is read too", async () => {
  await using dir = await tempDir();
  openIn(dir);
  const entry = { server: "s", failures: 0, readyMs: 120, listing: LISTING };
  await writeFile(dir.at("c", `${A}.json`), `${JSON.stringify({ format: 1, launch: A, ...entry })}\n`, {
    mode: 0o600,
  });
  const { catalogue, reports } = openIn(dir);
  expect(catalogue.head(A)).toMatchObject({ readyMs: 120, listing: { instructions: "Use echo." } });
  expect(catalogue.entry(A)).toEqual(entry);
  expect(reports).toEqual([]);
  catalogue.listed(A, "s", LISTING); // Nothing new, but from now on its head can be read alone.
  await catalogue.flush();
  expect(await readFile(dir.at("c", `${A}.json`), "utf8")).toMatch(/^\{"format":2,/);
});

const definitions = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 2 });
const entries = fc.record(
  {
    server: fc.string(),
    failures: fc.nat(),
    readyMs: fc.nat(),
    listing: fc.record(
      {
        tools: definitions,
        prompts: definitions,
        resources: definitions,
        templates: definitions,
        instructions: fc.string(),
        capabilities: fc.dictionary(fc.string(), fc.jsonValue()),
      },
      { requiredKeys: ["tools", "capabilities"] },
    ),
  },
  { requiredKeys: ["server", "failures"] },
) as unknown as fc.Arbitrary<CatalogueEntry>;

verifies("catalogue:round-trip", "every entry is read again as it was written", () => {
  fc.assert(
    fc.property(entries, (entry) => {
      const text = catalogueEntryText(A, entry);
      expect(JSON.stringify(parseCatalogueEntry(A, text))).toBe(
        JSON.stringify(JSON.parse(JSON.stringify(order(entry)))),
      );
      expect(parseCatalogueEntry(B, text)).toBeUndefined();
      const { tools: _t, prompts: _p, resources: _r, templates: _s, ...listing } = entry.listing ?? {};
      const head = { ...entry, ...(entry.listing && { listing }) };
      const [line = ""] = text.split("\n", 1);
      expect(parseCatalogueHead(A, line)).toEqual(JSON.parse(JSON.stringify(head)));
      expect(parseCatalogueHead(B, line)).toBeUndefined();
    }),
  );
});

/** The members in the order in which they are read. */
function order({ server, failures, listing, readyMs }: CatalogueEntry): object {
  const ordered = listing && {
    tools: listing.tools,
    prompts: listing.prompts,
    resources: listing.resources,
    templates: listing.templates,
    instructions: listing.instructions,
    capabilities: listing.capabilities,
  };
  return { server, failures, listing: ordered, readyMs };
}

verifies("catalogue:damaged", "a cut or changed text is never taken for an entry with other content", () => {
  const text = catalogueEntryText(A, { server: "s", failures: 0, listing: LISTING });
  fc.assert(
    fc.property(fc.nat({ max: text.length - 2 }), (end) => {
      expect(parseCatalogueEntry(A, text.slice(0, end))).toBeUndefined();
    }),
  );
  for (const wrong of ["", "null", "[]", "{}", text.replace('"format":2', '"format":3')])
    expect(parseCatalogueEntry(A, wrong)).toBeUndefined();
});

verifies("catalogue:launch-changed", "a file under the name of another launch is not used", async () => {
  await using dir = await tempDir();
  const { catalogue } = openIn(dir);
  catalogue.listed(A, "s", LISTING);
  await catalogue.flush();
  await copyFile(dir.at("c", `${A}.json`), dir.at("c", `${B}.json`));
  const later = openIn(dir);
  expect(later.catalogue.entry(B)).toBeUndefined();
  expect(later.reports).toHaveLength(1);
});

verifies("catalogue:damaged", "damage is one line, and the next listing repairs it", async () => {
  await using dir = await tempDir();
  openIn(dir);
  await writeFile(dir.at("c", `${A}.json`), '{"format":1,', { mode: 0o600 });
  const { catalogue, reports } = openIn(dir);
  for (let time = 0; time < 3; time++) expect(catalogue.entry(A)).toBeUndefined();
  catalogue.failed(A, "s");
  catalogue.listed(A, "s", LISTING);
  await catalogue.flush();
  expect(reports).toHaveLength(1);
  expect(reports[0]).toContain(`${A}.json is not used: it is damaged`);
  const later = openIn(dir);
  expect(later.catalogue.entry(A)?.listing).toEqual(LISTING);
  expect(later.reports).toEqual([]);
});

verifies(
  "catalogue:damaged",
  "a link is not followed",
  async () => {
    await using dir = await tempDir();
    const { catalogue, reports } = openIn(dir);
    await writeFile(dir.at("target"), catalogueEntryText(A, { server: "s", failures: 0 }));
    await symlink(dir.at("target"), dir.at("c", `${A}.json`));
    expect(catalogue.entry(A)).toBeUndefined();
    expect(reports[0]).toContain("it is a symbolic link; it is replaced");
  },
  { only: POSIX },
);

verifies(
  "catalogue:private",
  "files are readable by their owner only",
  async () => {
    await using dir = await tempDir();
    const { catalogue } = openIn(dir);
    catalogue.listed(A, "s", LISTING);
    await catalogue.flush();
    const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);
    expect(await modeOf(dir.at("c"))).toBe("700");
    expect(await modeOf(dir.at("c", `${A}.json`))).toBe("600");
    await chmod(dir.at("c", `${A}.json`), 0o644);
    catalogue.listed(A, "s", LISTING);
    await catalogue.flush();
    expect(await modeOf(dir.at("c", `${A}.json`))).toBe("600");
    expect(await readdir(dir.at("c"))).toEqual([`${A}.json`]);
  },
  { only: POSIX },
);

verifies(
  "extensions:lists-kept",
  "a file that would be too large drops the lists for clients with extensions first",
  async () => {
    await using dir = await tempDir();
    const { catalogue, reports } = openIn(dir);
    const large = [{ name: "x".repeat(MAX_ENTRY_BYTES), inputSchema: { type: "object" } }];
    catalogue.listed(A, "s", { ...LISTING, classes: { [UI]: { tools: large } } });
    await catalogue[Symbol.asyncDispose]();
    expect(openIn(dir).catalogue.entry(A)?.listing).toEqual(LISTING);
    expect(reports).toEqual([]);
  },
);

verifies("catalogue:bounded", "a listing that is too large is remembered in part", async () => {
  await using dir = await tempDir();
  const { catalogue, reports } = openIn(dir);
  const huge = { name: "x", uri: "y".repeat(MAX_ENTRY_BYTES) };
  catalogue.listed(A, "s", { ...LISTING, resources: [huge] });
  catalogue.listed(B, "t", { ...LISTING, tools: [{ ...huge, inputSchema: {} }] });
  catalogue.ready(B, "t", 5);
  await catalogue.flush();
  const later = openIn(dir).catalogue;
  const { resources: _resources, templates: _templates, ...rest } = LISTING;
  expect(later.entry(A)?.listing).toEqual(rest); // What was left out is not known, rather than empty.
  expect(later.entry(B)).toEqual({ server: "t", failures: 0, readyMs: 5 });
  expect(reports).toEqual(['the tools of server "t" are too large to be remembered']);
  await writeFile(dir.at("c", `${A}.json`), Buffer.alloc(MAX_ENTRY_BYTES + 1, " "), { mode: 0o600 });
  expect(openIn(dir).catalogue.entry(A)).toBeUndefined();
});

verifies(
  "catalogue:bounded",
  "the entries that were not written for the longest time are removed",
  async () => {
    await using dir = await tempDir();
    const { catalogue } = openIn(dir);
    const launchOf = (at: number): string => at.toString(16).padStart(32, "0");
    for (let at = 0; at < MAX_ENTRIES; at++) {
      const path = dir.at("c", `${launchOf(at)}.json`);
      await writeFile(path, "");
      await utimes(path, at + 1, at + 1);
    }
    await writeFile(dir.at("c", "notes.txt"), "");
    catalogue.failed(A, "s");
    await catalogue.flush();
    const names = await readdir(dir.at("c"));
    expect(names).toHaveLength(MAX_ENTRIES + 1);
    expect(names).not.toContain(`${launchOf(0)}.json`);
    expect(names).toContain(`${launchOf(1)}.json`);
    expect(names).toContain("notes.txt");
  },
);

verifies("catalogue:failures", "failures count up to the next good start; the listing stays", async () => {
  await using dir = await tempDir();
  const { catalogue } = openIn(dir);
  catalogue.listed(A, "s", LISTING);
  for (let time = 0; time < 3; time++) catalogue.failed(A, "s");
  await catalogue.flush();
  // Another process counts on from what is in the file, not from what it read earlier.
  const other = openIn(dir).catalogue;
  expect(other.entry(A)).toMatchObject({ failures: 3, listing: LISTING });
  catalogue.failed(A, "s");
  await catalogue.flush();
  other.failed(A, "s");
  expect(other.entry(A)?.failures).toBe(5);
  other.ready(A, "s", 10);
  expect(other.entry(A)).toMatchObject({ failures: 0, listing: LISTING });
  await other.flush();
});

verifies(
  "catalogue:failures",
  "interrupted starts are counted apart from failures, in the same way",
  async () => {
    await using dir = await tempDir();
    const { catalogue } = openIn(dir);
    catalogue.tried(A, "s");
    catalogue.interrupted(A, "s");
    catalogue.failed(A, "s");
    catalogue.listed(A, "s", LISTING);
    await catalogue.flush();
    const other = openIn(dir).catalogue;
    expect(other.head(A)).toMatchObject({ failures: 1, interrupted: 1 });
    other.interrupted(A, "s");
    expect(other.entry(A)).toMatchObject({ failures: 1, interrupted: 2, listing: LISTING });
    other.ready(A, "s", 10);
    await other.flush();
    expect(openIn(dir).catalogue.entry(A)).toEqual({
      server: "s",
      failures: 0,
      readyMs: 10,
      listing: LISTING,
    });
  },
);

verifies(
  "catalogue:concurrent",
  "three processes write the same entries; every read is a whole one",
  async () => {
    await using dir = await tempDir();
    using program = await buildProgram(new URL("catalogue-writer.ts", import.meta.url));
    const writers = ["1", "2", "3"].map((name) =>
      spawn(process.execPath, [program.path, dir.at("c"), name], { stdio: ["ignore", "ignore", "inherit"] }),
    );
    const ended = Promise.all(writers.map((child) => once(child, "exit")));
    const seen = new Set<string>();
    while (writers.some(({ exitCode }) => exitCode === null)) {
      const { catalogue, reports } = openIn(dir);
      for (const launch of [A, B]) {
        const names = catalogue.entry(launch)?.listing?.tools.map(({ name }) => name) ?? [];
        expect(new Set(names).size).toBeLessThanOrEqual(1); // All of one writer.
        for (const name of names) seen.add(name);
      }
      expect(reports).toEqual([]);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect((await ended).map(([code]) => code as number)).toEqual([0, 0, 0]);
    expect(seen.size).toBeGreaterThan(0);
    expect((await readdir(dir.at("c"))).toSorted()).toEqual([`${A}.json`, `${B}.json`]);
    expect(await readFile(dir.at("c", `${A}.json`), "utf8")).toContain('"format":2');
  },
);
