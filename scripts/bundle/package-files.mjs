import { join, relative, sep } from "node:path";
import { rollup } from "rollup";
import { inlinedLibraries } from "./inlined-libraries.mjs";
import { entriesOf, loadedAtOnce, onwarn, textsOf, treeshake, typescript } from "./rollup-parts.mjs";

/** Parts of `llm` that other rooms use without its dialects, which are large. */
const APART = new Set(["llm/arguments", "llm/outline"]);

/** What the deck has among its public names. */
const OF_DECK = new Set(["servers/pins", "servers/trust"]);

/** The room of a module, or the part of it that is apart. */
function chunkOf([room, part]) {
  if (OF_DECK.has(`${room}/${part}`)) return "deck";
  return APART.has(`${room}/${part}`) ? part : room;
}

/**
 * The files of a package for programs that import it. The static imports of an entry become one file per room: Node
 * takes about 0.4 ms to load a module of any size, and a room has many small files. Dynamic imports stay separate files.
 */
export async function packageFiles(folder) {
  const entries = entriesOf(folder);
  const src = join(folder, "src");
  const within = (id) => relative(src, id).split(sep);
  const inputs = [];
  const bundle = await rollup({
    input: Object.fromEntries(entries.map((entry) => [within(entry).join("/").replace(/\.ts$/, ""), entry])),
    external: (id) => !id.startsWith(".") && !id.startsWith(folder) && !id.startsWith("\0"),
    treeshake,
    plugins: [inlinedLibraries(folder, inputs), typescript],
    onwarn,
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
  return { files: textsOf(output), inputs };
}
