import { mkdirSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

// Inside the repository, so that Node finds the libraries that are not bundled.
const CACHE = fileURLToPath(new URL("../../node_modules/.cache/indus/", import.meta.url));

export interface BuiltProgram extends Disposable {
  readonly path: string;
}

/** Bundles a TypeScript program of the tests into one file for Node: our packages from source, libraries not bundled. */
export async function buildProgram(source: URL, cache: string = CACHE): Promise<BuiltProgram> {
  // Loaded here because every test loads this kit and few of them build a program.
  const { build } = await import("esbuild");
  mkdirSync(cache, { recursive: true });
  const path = `${cache}${basename(source.pathname, ".ts")}-${process.pid}-${Date.now()}.mjs`;
  await build({
    entryPoints: [fileURLToPath(source)],
    outfile: path,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@indus/source"],
    logLevel: "error",
    plugins: [
      {
        name: "libraries-stay-outside",
        setup: (bundler) => {
          bundler.onResolve({ filter: /^[^./]/ }, ({ path: library }) =>
            /^indus(agi|code)\//.test(library) ? undefined : { path: library, external: true },
          );
        },
      },
    ],
  });
  return { path, [Symbol.dispose]: () => rmSync(path, { force: true }) };
}
