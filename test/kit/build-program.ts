import { mkdirSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

// Inside the repository, so that the libraries it leaves outside are found from there.
const cache = fileURLToPath(new URL("../../node_modules/.cache/indus/", import.meta.url));

export interface BuiltProgram extends Disposable {
  readonly path: string;
}

/** A TypeScript program of the tests as one file that node can run: our packages from source, libraries left outside. */
export async function buildProgram(source: URL): Promise<BuiltProgram> {
  // Loaded here, because every test loads this kit and few build anything.
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
            library.startsWith("indusagi/") ? undefined : { path: library, external: true },
          );
        },
      },
    ],
  });
  return { path, [Symbol.dispose]: () => rmSync(path, { force: true }) };
}
