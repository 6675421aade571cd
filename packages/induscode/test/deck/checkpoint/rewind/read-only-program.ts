import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openCheckpointStore } from "induscode/deck";
import { watchedDisk } from "../rewind-site.ts";

/** A command that removes and makes read-only folders, in a folder of the user who runs this. Prints what a rewind left. */
const site = process.argv[2] ?? "";
const at = (...parts: string[]): string => join(site, "work", ...parts);
const { signal } = new AbortController();

function makeReadOnly(name: string): void {
  mkdirSync(at(name));
  writeFileSync(at(name, "file"), name);
  chmodSync(at(name), 0o555);
}

function look(): object {
  const names = readdirSync(at(), { recursive: true })
    .map(String)
    .filter((name) => !name.startsWith(".git"));
  const folders = names.filter((name) => statSync(at(name)).isDirectory());
  const modes = folders.map((name) => [name, (statSync(at(name)).mode & 0o777).toString(8)]);
  return { modes: Object.fromEntries(modes), files: names.sort() };
}

mkdirSync(at(".git"), { recursive: true });
writeFileSync(at(".git", "HEAD"), "ref: refs/heads/main");
for (const name of ["old", "stays"]) makeReadOnly(name);
let fails = false;
const disk = watchedDisk((operation) => {
  if (fails && operation === "mkdir") {
    fails = false;
    throw Object.assign(new Error("EIO: injected"), { code: "EIO" });
  }
});
await using store = await openCheckpointStore(join(site, "store"), { roots: [at()], disk });
await store.beginNode("n");
await store.beginCommands({ signal });
chmodSync(at("old"), 0o755);
rmSync(at("old"), { recursive: true });
makeReadOnly("made");
chmodSync(at("stays"), 0o755);
writeFileSync(at("stays", "file"), "changed");
chmodSync(at("stays"), 0o555);
await store.endCommands({ signal });
fails = true;
await store.rewind("n").catch(() => {});
const failed = look();
const { done } = await store.rewind("n");
process.stdout.write(JSON.stringify({ done, ...look(), failed }));
