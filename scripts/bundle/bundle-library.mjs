import { builtinModules } from "node:module";
import { resolve } from "node:path";
import { build } from "esbuild";

const BUILTIN = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));

/** Old libraries `require` Node's modules. An ES module has no `require`, and a builtin needs none. */
export const nodeModules = {
  name: "node-modules",
  setup: (bundler) => {
    bundler.onResolve({ filter: /^[a-z]/ }, ({ path, kind }) =>
      kind === "require-call" && BUILTIN.has(path) ? { path, namespace: "node-module" } : undefined,
    );
    bundler.onLoad({ filter: /.*/, namespace: "node-module" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule("${path}");`,
    }));
  },
};

/** What all libraries are bundled with. Their licences are in the notices, not in the code. */
export const LIBRARY_OPTIONS = {
  bundle: true,
  write: false,
  metafile: true,
  platform: "node",
  target: "node20",
  mainFields: ["module", "main"],
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  logLevel: "error",
};

/** One file with everything that a short program imports, and the paths of the files that it comes from. */
export async function bundleLibrary(contents, resolveDir, format) {
  // What Node finds for `require`; the other form may have other exports.
  const found = format === "esm" ? { plugins: [nodeModules] } : { mainFields: ["main"] };
  const options = { ...LIBRARY_OPTIONS, stdin: { contents, resolveDir }, format, ...found };
  const { outputFiles, metafile } = await build(options);
  return { text: outputFiles[0].text, inputs: inputsOf(metafile) };
}

/** The absolute paths of the files in a bundle. */
export function inputsOf({ inputs }) {
  return Object.keys(inputs)
    .filter((path) => path.includes("node_modules/"))
    .map((path) => resolve(path));
}
