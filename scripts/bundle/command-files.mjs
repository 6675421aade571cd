import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rollup } from "rollup";
import { importedNames } from "./imported-names.mjs";
import { inlinedLibraries } from "./inlined-libraries.mjs";
import { libraryFile, libraryFiles } from "./library-files.mjs";
import { entriesOf, loadedAtOnce, onwarn, textsOf, treeshake, typescript } from "./rollup-parts.mjs";

/** Where the bundle is, below `dist`. One folder deep, like every entry of the package. */
const FOLDER = "command/";
/** Has a program inside, so it cannot be bundled. The command also works without it. */
const OUTSIDE = ["@vscode/ripgrep"];
const REQUIRED_FILE = /(createRequire\(import\.meta\.url\)\.resolve)\("([^"]+)"\)/g;

/**
 * The chunk of a module of ours. Node takes about 0.4 ms to load a module of any size, so what is used together is one
 * file; what only some commands use is another.
 */
function chunkOf(path) {
  const [, name, room, part] = /packages\/(\w+)\/src\/([\w-]+)\/(?:([\w-]+)\/)?/.exec(
    path.replaceAll("\\", "/"),
  );
  if (name === "induscode") return PRODUCT_CHUNKS[`${room}/${part}`] ?? PRODUCT_CHUNKS[room];
  if (room === "interop" && part === "host") return "host";
  return room === "runtime" || (room === "llm" && part === "arguments") ? "core" : room;
}

/** A command is a file of its own. */
const PRODUCT_CHUNKS = {
  boot: "boot",
  // Only commands that change files use these.
  "boot/edits": "clients",
  clients: "clients",
  // The policy imports it too, and boot imports the policy.
  state: "state",
  catalogue: "boot",
  deck: "deck",
  gateway: "gateway",
  launch: "launch",
  "launch/completion": "completion",
  policy: "policy",
  screen: "screen",
};

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
      frameworkSources(framework),
      librariesOf({ used, asFiles }),
      inlinedLibraries(framework, inputs),
      typescript,
    ],
    onwarn,
  });
  const options = {
    format: "cjs",
    sourcemap: true,
    sourcemapExcludeSources: true,
    hoistTransitiveImports: false,
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
    paths: (id) => (used.has(id) ? `./${libraryFile(id)}` : id),
  };
  const start = loadedAtStart(await bundle.generate(options));
  let rooms;
  const { output } = await bundle.generate({
    ...options,
    manualChunks: (id, { getModuleInfo }) => {
      rooms ??= loadedAtOnce(entriesOf(framework), getModuleInfo);
      if (start.has(id)) return "main";
      const isRoom = rooms.has(id) || id.startsWith(join(packages, "induscode"));
      return isRoom && id.startsWith(packages) ? chunkOf(id) : undefined;
    },
  });
  await bundle.close();
  const libraries = await libraryFiles(used, asFiles);
  return {
    files: [
      ...textsOf(output, FOLDER),
      ...libraries.files.map(({ name, text }) => ({ name: `${FOLDER}${name}`, text })),
    ],
    inputs: [...inputs, ...libraries.inputs],
  };
}

/** The modules that are loaded whatever the command is: those of the entry's chunk and of all chunks it imports. */
function loadedAtStart({ output }) {
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]));
  const found = new Set(output.filter((chunk) => chunk.isEntry).map((chunk) => chunk.fileName));
  for (const name of found)
    for (const next of chunks.get(name).imports) if (chunks.has(next)) found.add(next);
  return new Set([...found].flatMap((name) => Object.keys(chunks.get(name).modules)));
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
        return `${resolve}("./${libraryFile(name, "cjs")}")`;
      });
      return { code: text, map: null };
    },
  };
}
