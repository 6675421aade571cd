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

/** The SDK of the protocol. Nearly every command loads it. */
const PROTOCOL = /^@modelcontextprotocol\//;

/**
 * The files of all libraries of the command, and a function that returns the file of a library. `used` has, for each
 * library, the names that we use of it and one of the files that import it. `asFiles` has the libraries that a worker thread
 * loads too, from a file that `require` can read.
 */
export async function libraryFiles(used, asFiles) {
  // Apart, because libraries that are bundled together load the same file of what they share: the libraries of the models use
  // all of zod, with the messages of forty languages, and the SDK a quarter of it.
  const names = [...used.keys()];
  const groups = await Promise.all([
    partsOf(
      names.filter((name) => PROTOCOL.test(name)),
      used,
      asFiles,
    ),
    partsOf(
      names.filter((name) => !PROTOCOL.test(name)),
      used,
      asFiles,
    ),
  ]);
  const { importer: host } = used.get("@modelcontextprotocol/client");
  const whole = await Promise.all(
    [...asFiles, [VALIDATOR, host]].map(async ([name, importer]) => {
      const program = `module.exports = require("${name}");`;
      const { text, inputs } = await bundleLibrary(program, dirname(importer), "cjs");
      return { name: wholeFile(name), text, inputs };
    }),
  );
  const entries = new Map(groups.flatMap((group) => group.entries));
  return {
    fileOf: (name) => entries.get(`program:${name}`),
    files: [...groups.flatMap(({ files }) => files), ...whole],
    inputs: [...groups, ...whole].flatMap(({ inputs }) => inputs),
  };
}

/** The files of some libraries, with what they share in files of their own. */
async function partsOf(names, used, asFiles) {
  const { outputFiles, metafile } = await build({
    ...LIBRARY_OPTIONS,
    entryPoints: names.map((name) => ({ in: `library:${name}`, out: partName(name) })),
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
  return {
    entries: Object.entries(metafile.outputs).map(([path, { entryPoint }]) => [entryPoint, basename(path)]),
    files: await Promise.all(
      outputFiles.map(async ({ path, text }) => ({ name: basename(path), text: await asCommonJs(text) })),
    ),
    inputs: inputsOf(metafile),
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
