import { createFileMemory } from "induscode/deck";

/** Appends notes to a file, and prints each when it is kept: `node program PATH NAME COUNT`. */
const [, , path = "", name = "", count = "0"] = process.argv;
// A machine with much other work may be slow.
const memory = createFileMemory(path, { waitMs: 60_000 });
for (let note = 1; note <= Number(count); note += 1) {
  await memory.append(`${name} ${note}`);
  process.stdout.write(`${name} ${note}\n`);
}
