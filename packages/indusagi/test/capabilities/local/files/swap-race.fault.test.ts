import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { atSize, recordFigure, type TempDir, tempDir, unflushedDisk, verifies } from "@indus/testkit";
import { localFs } from "indusagi/capabilities";
import { expect } from "vitest";
import { nodeDisk } from "../../../../src/capabilities/local/files/node-disk.ts";
import { sessionIn } from "../../session.ts";

/**
 * Swaps, as fast as it can, a link `d` between a folder inside and one outside, a folder `e` and a link to the folder
 * outside, and a file `x` and a link to the file outside.
 */
const SWAPPER = `
  const { workerData: { root, outside, swaps } } = require("node:worker_threads");
  const fs = require("node:fs");
  const at = (name) => root + "/" + name;
  const attempt = (act) => { try { act(); return true; } catch { return false; } };
  const relink = (target, name) => {
    attempt(() => fs.unlinkSync(at("link.tmp")));
    attempt(() => fs.symlinkSync(target, at("link.tmp")));
    return attempt(() => fs.renameSync(at("link.tmp"), at(name)));
  };
  const repair = () => {
    for (const name of ["e", "e.real", "e.link", "x", "x.real"]) fs.rmSync(at(name), { recursive: true, force: true });
    fs.mkdirSync(at("e"));
    fs.writeFileSync(at("e/f"), "inside");
    fs.symlinkSync(outside, at("e.link"));
    fs.writeFileSync(at("x"), "inside");
  };
  attempt(repair);
  for (;;) {
    relink(outside, "d");
    relink("inside", "d");
    attempt(() => fs.renameSync(at("x"), at("x.real")));
    relink(outside + "/f", "x");
    attempt(() => fs.renameSync(at("x.real"), at("x")));
    const swapped = attempt(() => {
      fs.renameSync(at("e"), at("e.real"));
      fs.renameSync(at("e.link"), at("e"));
      fs.renameSync(at("e"), at("e.link"));
      fs.renameSync(at("e.real"), at("e"));
    });
    if (!swapped) attempt(repair);
    Atomics.add(swaps, 0, 1);
  }
`;

/** The disk without flushes, which would only slow the race down. */
const quickDisk = unflushedDisk(nodeDisk);

const TRIES: readonly ((n: number) => { readonly name: string; readonly input: object })[] = [
  () => ({ name: "read", input: { path: "d/f" } }),
  () => ({ name: "read", input: { path: "e/f" } }),
  () => ({ name: "read", input: { path: "x" } }),
  (n) => ({ name: "write", input: { path: "d/f", content: `inside ${n}` } }),
  (n) => ({ name: "write", input: { path: "e/f", content: `inside ${n}` } }),
  (n) => ({ name: "write", input: { path: "x", content: `inside ${n}` } }),
  (n) => ({ name: "edit", input: { path: "d/f", oldText: "inside", newText: `inside ${n % 10}` } }),
  (n) => ({ name: "edit", input: { path: "x", oldText: "inside", newText: `inside ${n % 10}` } }),
  (n) => ({ name: "write", input: { path: `d/new-${n % 50}`, content: "new" } }),
  (n) => ({ name: "write", input: { path: `e/new-${n}`, content: "new" } }),
  (n) => ({ name: "write", input: { path: `e/sub-${n % 50}/f`, content: "new" } }),
  () => ({ name: "ls", input: { path: "d" } }),
  () => ({ name: "ls", input: { path: "e" } }),
];

async function prepare(root: TempDir, outside: TempDir): Promise<void> {
  await mkdir(root.at("inside"));
  await writeFile(root.at("inside", "f"), "inside");
  await symlink("inside", root.at("d"));
  await writeFile(outside.at("f"), "SECRET, inside the other folder");
  await writeFile(outside.at("SECRET-name"), "");
}

verifies(
  "faults:d3-swap",
  "while folders and links are swapped, nothing outside is read, listed or written",
  async () => {
    await using root = await tempDir();
    await using outside = await tempDir();
    await prepare(root, outside);
    const swaps = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(SWAPPER, {
      eval: true,
      workerData: { root: root.path, outside: outside.path, swaps },
    });
    const at = sessionIn(root, { fs: localFs({ disk: quickDisk, read: [root.path], write: [root.path] }) });
    const tries = atSize({ quick: 390, full: 100_000 });
    let refused = 0;
    try {
      for (let n = 0; n < tries; n++) {
        const { name, input } = TRIES[n % TRIES.length]?.(n) ?? { name: "", input: {} };
        const outcome = await at.call(name, input);
        if (outcome.isError) refused++;
        const said = JSON.stringify(outcome.output);
        expect(said.includes("SECRET"), `${name} ${JSON.stringify(input)}: ${said}`).toBe(false);
      }
    } finally {
      await worker.terminate();
    }
    expect((await readdir(outside.path)).sort()).toEqual(["SECRET-name", "f"]);
    expect(await readFile(outside.at("f"), "utf8")).toBe("SECRET, inside the other folder");
    expect(swaps[0]).toBeGreaterThan(0);
    const found = `0 escapes (${refused} refused, ${swaps[0]} swaps meanwhile)`;
    recordFigure({
      what: "D3 folder and link swapped during read, write, edit, ls",
      size: `${tries} tries`,
      found,
    });
  },
  { timeoutMs: 45 * 60_000, only: ["linux"] },
);
