import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { rollup } from "rollup";
import { chunkChooser } from "./choose-chunk.mjs";
import { importedNames } from "./imported-names.mjs";
import { inlinedLibraries } from "./inlined-libraries.mjs";
import { libraryFiles, wholeFile } from "./library-files.mjs";
import {
  asciiOnly,
  entriesOf,
  loadedAtOnce,
  onwarn,
  textsOf,
  treeshake,
  typescript,
} from "./rollup-parts.mjs";
import { wordsApart } from "./words-apart.mjs";

/** Where the bundle is, below `dist`. One folder deep, like every entry of the package. */
const FOLDER = "command/";
/** Has a program inside, so it cannot be bundled. The command also works without it. */
const OUTSIDE = ["@vscode/ripgrep"];
const REQUIRED_FILE = /(createRequire\(import\.meta\.url\)\.resolve)\("([^"]+)"\)/g;

/** The command with the framework and all libraries, in parts that are loaded when they are needed. */
export async function commandFiles(packages) {
  const framework = join(packages, "indusagi");
  const main = join(packages, "induscode/src/bin/main.ts");
  const inputs = [];
  const used = new Map();
  const asFiles = new Map();
  const bundle = await rollup({
    input: { main },
    external: (id) => !/^[./\0]|^indusagi\//.test(id),
    treeshake,
    plugins: [
      wordsApart,
      frameworkSources(framework),
      librariesOf({ used, asFiles }),
      inlinedLibraries(framework, inputs),
      filesOfUsers,
      typescript,
      asciiOnly,
    ],
    onwarn,
  });
  const libraries = await libraryFiles(used, asFiles);
  const options = {
    format: "cjs",
    sourcemap: true,
    sourcemapExcludeSources: true,
    hoistTransitiveImports: false,
    dynamicImportInCjs: false,
    interop: (id) => (used.has(id) ? "esModule" : "default"),
    entryFileNames: "[name].[hash].cjs",
    chunkFileNames: "[name].[hash].cjs",
    paths: (id) => (used.has(id) ? `./${libraries.fileOf(id)}` : id),
  };
  // The first output shows what imports what after everything unused is left out.
  const { output: natural } = await bundle.generate({ ...options, sourcemap: false });
  let rooms;
  let chunkOf;
  const { output } = await bundle.generate({
    ...options,
    manualChunks: (id, { getModuleInfo }) => {
      rooms ??= loadedAtOnce(entriesOf(framework), getModuleInfo);
      chunkOf ??= chunkChooser(natural, (module) => rooms.has(module));
      return chunkOf(id);
    },
  });
  await bundle.close();
  const entry = output.find(({ isEntry }) => isEntry).fileName;
  const shim = await shimFile(packages);
  return {
    files: [
      { name: `${FOLDER}${shim.name}`, text: shim.text },
      {
        name: `${FOLDER}shim.cjs`,
        text: `require("./${shim.name}").runShim({ folder: __dirname, runPrivately: () => require("./main.cjs") });\n`,
      },
      // Every other name contains a hash of the text, so that no file is taken for a file of another build.
      { name: `${FOLDER}main.cjs`, text: `require("./${entry}");\n` },
      ...textsOf(output, FOLDER),
      ...libraries.files.map(({ name, text }) => ({ name: `${FOLDER}${name}`, text })),
    ],
    inputs: [...inputs, ...libraries.inputs],
  };
}

/** The thin client of a background gateway: one file that loads nothing of the rest. */
async function shimFile(packages) {
  const { outputFiles } = await build({
    entryPoints: [join(packages, "induscode/src/background/shim/run-shim.ts")],
    ...{ bundle: true, write: false, platform: "node", target: "node20", format: "cjs", logLevel: "error" },
    ...{ minifyWhitespace: true, charset: "ascii" },
    // `import` does not work in code from a cache.
    supported: { "dynamic-import": false },
  });
  const { text } = outputFiles[0];
  const hash = createHash("sha256").update(text).digest("base64url").slice(0, 8);
  return { name: `shim.${hash}.cjs`, text };
}

/** `indusagi/…` is the source of that subpath. */
function frameworkSources(folder) {
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return {
    name: "framework-sources",
    resolveId: (id) =>
      id.startsWith("indusagi/")
        ? join(folder, exports[id.replace("indusagi", ".")]["@indus/source"])
        : undefined,
  };
}

/** Collects which libraries the sources use and how. */
function librariesOf({ used, asFiles }) {
  const isLibrary = (name) => !/^(\.|node:|indusagi\/)/.test(name) && !OUTSIDE.includes(name);
  return {
    name: "libraries",
    transform(code, id) {
      for (const [name, names] of importedNames(code)) {
        if (!isLibrary(name)) continue;
        if (!names) throw new Error(`${id}: take the library apart: const { … } = await import("${name}")`);
        const { names: known = [] } = used.get(name) ?? {};
        used.set(name, { names: [...new Set([...known, ...names])], importer: id });
      }
      if (code.search(REQUIRED_FILE) === -1) return undefined;
      const text = code.replaceAll(REQUIRED_FILE, (_, resolve, name) => {
        asFiles.set(name, id);
        return `${resolve}("./${wholeFile(name)}")`;
      });
      return { code: text, map: null };
    },
  };
}

/**
 * A file that is named at run time, such as an addon, is an ES module that only `import` can load. Code from our own cache has no
 * `import`, so `bin/code-cache.js` gives it one.
 */
const filesOfUsers = {
  name: "files-of-users",
  renderDynamicImport: ({ targetModuleId }) =>
    targetModuleId === null ? { left: "(require.importFile ?? ((url) => import(url)))(", right: ")" } : null,
};
