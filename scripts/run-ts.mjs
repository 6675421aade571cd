// Runs a TypeScript file of this repository on any supported Node. esbuild bundles it, without libraries.
// Our own packages resolve to their build, as they do for a user.
//   node scripts/run-ts.mjs FILE [ARGUMENT …]
import { mkdirSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const [file, ...rest] = process.argv.slice(2);
const entry = resolve(file);
const cache = fileURLToPath(new URL("../node_modules/.cache/indus/", import.meta.url));
mkdirSync(cache, { recursive: true });
const outfile = join(cache, `${basename(entry, ".ts")}-${process.pid}.mjs`);
await build({
  entryPoints: [entry],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  packages: "external",
  sourcemap: "inline",
  // Paths are relative to the source file, not to the bundle.
  define: { "import.meta.url": JSON.stringify(pathToFileURL(entry).href) },
});
process.argv = [process.argv[0], entry, ...rest];
process.once("exit", () => rmSync(outfile, { force: true }));
await import(pathToFileURL(outfile).href);
