// Lets Node run our sources file by file, as the bundle of the command does not: one function there is one function here.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";

export async function load(url, context, next) {
  if (!url.endsWith(".ts")) return next(url, context);
  const source = await readFile(fileURLToPath(url), "utf8");
  const { code } = await transform(source, { loader: "ts", target: "node20", sourcemap: false });
  return { format: "module", source: code, shortCircuit: true };
}
