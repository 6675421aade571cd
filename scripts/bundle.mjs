// Writes the JavaScript of both packages into their dist folders; tsc has written the types beside it.
// What an entry loads at once is one file per room: node takes about 0.4 ms to load a module, however small, and
// a room is many small files (docs/decisions/0007). What is imported on first use stays apart.
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

/** The sources behind a package's public entries, as its manifest names them; and its command, when it has one. */
function entriesOf(folder) {
  const { bin, exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const sources = Object.values(exports).flatMap((entry) => entry["@indus/source"] ?? []);
  return (bin ? [...sources, "src/bin/main.ts"] : sources).map((source) => join(folder, source));
}

/** Everything the entries load at once. */
function loadedAtOnce(entries, getModuleInfo) {
  const found = new Set(entries);
  for (const id of found) for (const next of getModuleInfo(id)?.importedIds ?? []) found.add(next);
  return found;
}

async function filesOf(folder) {
  const entries = entriesOf(folder);
  const src = join(folder, "src");
  const within = (id) => relative(src, id).split(sep);
  const bundle = await rollup({
    input: Object.fromEntries(entries.map((entry) => [within(entry).join("/").replace(/\.ts$/, ""), entry])),
    external: (id) => !id.startsWith(".") && !id.startsWith(folder),
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
    // One folder deep, as every entry is: what a file finds relative to itself it finds from a shared part too.
    chunkFileNames: "chunks/[name]-[hash].js",
    manualChunks: (id, { getModuleInfo }) => {
      atOnce ??= loadedAtOnce(entries, getModuleInfo);
      return atOnce.has(id) && id.startsWith(src) ? within(id)[0] : undefined;
    },
  });
  await bundle.close();
  return output.map((file) => ({ name: file.fileName, text: file.code ?? file.source }));
}

/** Only what changed is written: a process that runs from this folder keeps its files. */
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
