import { mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const cache = fileURLToPath(new URL("../../../../../node_modules/.cache/indus/", import.meta.url));

/** `server-program.ts` as one file that node can run: our packages from source, libraries left where they are. */
export async function builtServerProgram(): Promise<{ readonly path: string } & Disposable> {
  mkdirSync(cache, { recursive: true });
  const path = `${cache}mcp-server-program-${process.pid}.mjs`;
  await build({
    entryPoints: [fileURLToPath(new URL("server-program.ts", import.meta.url))],
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
