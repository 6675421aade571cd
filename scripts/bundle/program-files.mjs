import { join } from "node:path";
import { build } from "esbuild";
import { inputsOf, LIBRARY_OPTIONS } from "./bundle-library.mjs";

const SOURCE = "indusagi/src/runtime/economy/code/child/program.ts";

/**
 * The process that runs programs of models, as one file with its libraries and with QuickJS: in a sandbox it can read nothing else. Both
 * packages have it, at the same place from each of their files.
 */
export async function programFiles(packages) {
  const { outputFiles, metafile } = await build({
    ...LIBRARY_OPTIONS,
    entryPoints: [join(packages, SOURCE)],
    format: "cjs",
    // The library finds its own file only where we do not give it one. Any path will do that has a drive, for Windows.
    define: { "import.meta.url": '"file:///C:/program.cjs"' },
    loader: { ".wasm": "binary" },
  });
  return { files: [{ name: "program/program.cjs", text: outputFiles[0].text }], inputs: inputsOf(metafile) };
}
