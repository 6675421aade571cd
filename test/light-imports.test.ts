import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { verifies } from "@indus/testkit";
import { build } from "esbuild";
import { expect } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const manifest = JSON.parse(readFileSync(`${root}/packages/indusagi/package.json`, "utf8")) as {
  readonly exports: { readonly [subpath: string]: unknown };
};
const subpaths = Object.keys(manifest.exports)
  .filter((subpath) => subpath !== "./package.json")
  .map((subpath) => subpath.replace(".", "indusagi"));

/** The libraries that an import of a subpath loads: those its static imports reach. Dynamic imports are not followed. */
async function librariesLoadedBy(subpath: string): Promise<string[]> {
  const { metafile } = await build({
    stdin: { contents: `import "${subpath}"; export * from "${subpath}";`, resolveDir: root },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    outdir: "out",
    write: false,
    metafile: true,
    // Node has no tree shaking: it loads whatever is imported.
    treeShaking: false,
    ignoreAnnotations: true,
    logLevel: "silent",
    conditions: ["@indus/source"],
    plugins: [
      {
        name: "libraries-stay-outside",
        setup: (bundler) => {
          bundler.onResolve({ filter: /^[^.]/ }, ({ path, kind }) => {
            if (kind === "entry-point" || path.startsWith("indusagi/")) return undefined;
            return path.startsWith("/") ? undefined : { path, external: true };
          });
        },
      },
    ],
  });
  const loaded = new Set<string>();
  const seen = new Set<string>();
  const visit = (output: string): void => {
    if (seen.has(output)) return;
    seen.add(output);
    for (const { path, kind, external } of metafile.outputs[output]?.imports ?? []) {
      if (kind !== "import-statement") continue;
      if (external) loaded.add(path);
      else visit(path);
    }
  };
  const entry = Object.entries(metafile.outputs).find(([, output]) => output.entryPoint === "<stdin>")?.[0];
  visit(entry ?? "");
  return [...loaded].filter((name) => !name.startsWith("node:")).sort();
}

const LIGHT: { readonly [subpath: string]: readonly string[] } = {
  "indusagi/core": [],
  "indusagi/llm": [],
  "indusagi/runtime": [],
  "indusagi/capabilities": [],
  "indusagi/interop": [],
  "indusagi/config": [],
  "indusagi/mcp": [],
};

for (const subpath of subpaths) {
  verifies("kernel:light-import", `${subpath} loads no library when it is imported`, async () => {
    expect(await librariesLoadedBy(subpath)).toEqual(LIGHT[subpath]);
  });
}

/** Node's own modules that take milliseconds to load. Using the global `Request` outside a function loads all of them. */
const HEAVY = [
  "child_process",
  "crypto",
  "http",
  "http2",
  "https",
  "net",
  "tls",
  "zlib",
  "internal/deps/undici/undici",
];

/** The heavy Node modules that an import of a built subpath loads. */
function heavyModulesLoadedBy(subpath: string): string[] {
  const script = `await import("${subpath}"); console.log(process.moduleLoadList.join("\\n"))`;
  const list = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: root,
    encoding: "utf8",
    // With extra certificates Node loads its network modules at every start.
    env: { ...process.env, NODE_EXTRA_CA_CERTS: "" },
  });
  const loaded = new Set(list.split("\n").map((line) => line.replace("NativeModule ", "")));
  return HEAVY.filter((name) => loaded.has(name));
}

for (const subpath of subpaths) {
  verifies("kernel:light-import", `${subpath} loads none of Node's network modules`, () => {
    expect(heavyModulesLoadedBy(subpath)).toEqual([]);
  });
}

verifies(
  "interop:lazy-sdk",
  "no MCP package is loaded by the import, and one is loaded by the first server behind HTTP",
  async () => {
    expect(
      (await librariesLoadedBy("indusagi/interop")).filter((name) =>
        name.startsWith("@modelcontextprotocol/"),
      ),
    ).toEqual([]);
    const source = readFileSync(
      `${root}/packages/indusagi/src/interop/endpoint/connect/sdk-handshake.ts`,
      "utf8",
    );
    expect(source).toMatch(/await import\("@modelcontextprotocol\/client"\)/);
  },
);
