import { basename, dirname } from "node:path";
import { build, transform } from "esbuild";
import { bundleLibrary, inputsOf, LIBRARY_OPTIONS, nodeModules } from "./bundle-library.mjs";

/** The file with all of a library, which a worker thread can load too. */
export function wholeFile(name) {
  return `${partName(name)}-whole.cjs`;
}

function partName(name) {
  return `lib-${name.replace(/^@/, "").replaceAll("/", "-")}`;
}

/** The program of the library's own file: it passes on only the names that we use. */
function passedOn(name, names, asFile) {
  if (!asFile) return `export { ${names.join(", ")} } from "${name}";`;
  const named = names.filter((member) => member !== "default");
  const members = named.length > 0 ? `export const { ${named.join(", ")} } = library;` : "";
  const whole = names.includes("default") ? "export { library as default };" : "";
  return `import library from "./${wholeFile(name)}"; ${members} ${whole}`;
}

/**
 * The SDK makes a validator for every client and server, and its default one loads a large library. Few connections
 * validate anything, so here the library is loaded with the first schema.
 */
const lateValidator = {
  name: "late-validator",
  setup: (bundler) => {
    bundler.onResolve(
      { filter: /^@modelcontextprotocol\/(client|server)\/_shims$/ },
      ({ path, resolveDir }) => ({
        path,
        namespace: "late-validator",
        pluginData: resolveDir,
      }),
    );
    bundler.onLoad({ filter: /.*/, namespace: "late-validator" }, ({ pluginData: resolveDir }) => ({
      resolveDir,
      contents: `
        export { default as process } from "node:process";
        export const CORS_IS_POSSIBLE = false;
        let Validator;
        export class DefaultJsonSchemaValidator {
          #real;
          getValidator(schema) {
            Validator ??= require("./${wholeFile(VALIDATOR)}").AjvJsonSchemaValidator;
            this.#real ??= new Validator();
            return this.#real.getValidator(schema);
          }
        }`,
    }));
  },
};
const VALIDATOR = "@modelcontextprotocol/client/validators/ajv";

/**
 * The files of all libraries of the command, and a function that returns the file of a library. `used` has, for each
 * library, the names that we use of it and one of the files that import it. `asFiles` has the libraries that a worker thread
 * loads too, from a file that `require` can read.
 */
export async function libraryFiles(used, asFiles) {
  const { outputFiles, metafile } = await build({
    ...LIBRARY_OPTIONS,
    entryPoints: [...used.keys()].map((name) => ({ in: `library:${name}`, out: partName(name) })),
    outdir: "/",
    splitting: true,
    format: "esm",
    entryNames: "[name].[hash]",
    chunkNames: "lib-[name].[hash]",
    outExtension: { ".js": ".cjs" },
    // Only our own files: the files of a library may have this ending too.
    external: ["./lib-*.cjs"],
    plugins: [programs(used, asFiles), lateValidator, nodeModules],
  });
  const { importer: host } = used.get("@modelcontextprotocol/client");
  const whole = await Promise.all(
    [...asFiles, [VALIDATOR, host]].map(async ([name, importer]) => {
      const program = `module.exports = require("${name}");`;
      const { text, inputs } = await bundleLibrary(program, dirname(importer), "cjs");
      return { name: wholeFile(name), text, inputs };
    }),
  );
  const parts = await Promise.all(
    outputFiles.map(async ({ path, text }) => ({ name: basename(path), text: await asCommonJs(text) })),
  );
  const entries = new Map(
    Object.entries(metafile.outputs).map(([path, { entryPoint }]) => [entryPoint, basename(path)]),
  );
  return {
    fileOf: (name) => entries.get(`program:${name}`),
    files: [...parts, ...whole],
    inputs: [...inputsOf(metafile), ...whole.flatMap(({ inputs }) => inputs)],
  };
}

/** esbuild splits only ES modules. To prepare for these takes Node longer than to load a file of this form. */
async function asCommonJs(text) {
  const { format, platform, target, minifyWhitespace, minifySyntax } = { ...LIBRARY_OPTIONS, format: "cjs" };
  const { code } = await transform(text, {
    format,
    platform,
    target,
    minifyWhitespace,
    minifySyntax,
    supported: { "dynamic-import": false },
    // Such a library would not find its own files.
    logOverride: { "empty-import-meta": "error" },
  });
  return code;
}

/** Makes `library:NAME` the program of that library's file. It finds the library where our code would find it. */
function programs(used, asFiles) {
  return {
    name: "programs",
    setup: (bundler) => {
      bundler.onResolve({ filter: /^library:/ }, ({ path }) => ({
        path: path.slice("library:".length),
        namespace: "program",
      }));
      bundler.onLoad({ filter: /.*/, namespace: "program" }, ({ path }) => {
        const { names, importer } = used.get(path);
        return { contents: passedOn(path, names, asFiles.has(path)), resolveDir: dirname(importer) };
      });
    },
  };
}
