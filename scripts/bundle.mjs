// Writes the JavaScript of both packages into their dist folders, beside the types that tsc wrote.
// The static imports of an entry become one file per room: Node takes about 0.4 ms to load a module of any size, and
// a room has many small files (docs/decisions/0007). Dynamic imports stay separate files.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { rollup } from "rollup";

const root = fileURLToPath(new URL("..", import.meta.url));

const typescript = {
  name: "typescript",
  async transform(code, id) {
    const options = { loader: "ts", target: "node20", sourcefile: id, sourcemap: "external" };
    return await transform(code, options);
  },
};

/** The sources of a package's public entries, as its manifest names them, and of its command if it has one. */
function entriesOf(folder) {
  const { bin, exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const sources = Object.values(exports).flatMap((entry) => entry["@indus/source"] ?? []);
  return (bin ? [...sources, "src/bin/main.ts"] : sources).map((source) => join(folder, source));
}

/** All modules that the entries import statically, directly or through others. */
function loadedAtOnce(entries, getModuleInfo) {
  const found = new Set(entries);
  for (const id of found) for (const next of getModuleInfo(id)?.importedIds ?? []) found.add(next);
  return found;
}

/** The room of a module. The tools check their arguments with one part of `llm` and must not load its dialects. */
function chunkOf([room, part]) {
  return room === "llm" && part === "arguments" ? "arguments" : room;
}

async function filesOf(folder) {
  const entries = entriesOf(folder);
  const src = join(folder, "src");
  const within = (id) => relative(src, id).split(sep);
  const bundle = await rollup({
    input: Object.fromEntries(entries.map((entry) => [within(entry).join("/").replace(/\.ts$/, ""), entry])),
    external: (id) => !id.startsWith(".") && !id.startsWith(folder),
    // No module does anything when it is loaded, so an import that is used for nothing is left out of a chunk.
    treeshake: { moduleSideEffects: false },
    plugins: [typescript],
    onwarn: (warning) => {
      throw new Error(warning.message);
    },
  });
  let atOnce;
  const { output } = await bundle.generate({
    format: "es",
    sourcemap: true,
    sourcemapExcludeSources: true,
    hoistTransitiveImports: false,
    // One folder deep, like every entry, so that paths relative to a file are the same in a chunk.
    chunkFileNames: "chunks/[name]-[hash].js",
    manualChunks: (id, { getModuleInfo }) => {
      atOnce ??= loadedAtOnce(entries, getModuleInfo);
      return atOnce.has(id) && id.startsWith(src) ? chunkOf(within(id)) : undefined;
    },
  });
  await bundle.close();
  return output.map((file) => ({ name: file.fileName, text: file.code ?? file.source }));
}

/** Writes only files that changed, because a process may be running from this folder. */
function writeChanged(path, text) {
  try {
    if (readFileSync(path, "utf8") === text) return;
  } catch {
    mkdirSync(dirname(path), { recursive: true });
  }
  writeFileSync(path, text);
}

async function bundlePackage(name) {
  const folder = join(root, "packages", name);
  const dist = join(folder, "dist");
  const files = await filesOf(folder);
  for (const file of files) writeChanged(join(dist, file.name), file.text);
  const names = new Set(files.map((file) => join(file.name)));
  for (const file of readdirSync(dist, { recursive: true }))
    if (/\.js(\.map)?$/.test(file) && !names.has(file)) rmSync(join(dist, file));
}

await Promise.all(["indusagi", "induscode"].map(bundlePackage));
