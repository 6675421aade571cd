import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const page = fileURLToPath(new URL("../../packages/induscode/page", import.meta.url));
const cache = fileURLToPath(new URL("../../node_modules/.cache/indus/page.json", import.meta.url));

/** The budget of all files together, as they are sent. */
const MAX_GZIP_BYTES = 150 * 1024;

/**
 * The page of the console as files of `dist/console`, and the files of libraries in them. Vite is loaded only if something changed since
 * the last build.
 */
export async function pageFiles() {
  const last = lastBuild();
  const { files, read } = last && last.digest === digestOf(last.read) ? last : await buildAnew();
  return { files, inputs: read.filter((path) => path.includes("/node_modules/")) };
}

async function buildAnew() {
  const { files, read } = await buildPage();
  mkdirSync(join(cache, ".."), { recursive: true });
  writeFileSync(cache, JSON.stringify({ digest: digestOf(read), files, read }));
  return { files, read };
}

function lastBuild() {
  try {
    return JSON.parse(readFileSync(cache, "utf8"));
  } catch {
    return undefined;
  }
}

/** A digest of the folder's files and of all others that the last build read. */
function digestOf(read) {
  const own = readdirSync(page, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const hash = createHash("sha256");
  for (const path of [...new Set([...own, ...read, fileURLToPath(import.meta.url)])].sort()) {
    try {
      hash.update(`${path}\0`).update(readFileSync(path)).update("\0");
    } catch {
      hash.update(`${path} is gone\0`);
    }
  }
  return hash.digest("hex");
}

async function buildPage() {
  const { build } = await import("vite");
  const { gzipSync } = await import("node:zlib");
  const read = new Set();
  const { output } = await build({
    root: page,
    base: "/console/",
    configFile: false,
    logLevel: "warn",
    resolve: { conditions: ["@indus/source", "module", "browser", "production"] },
    build: {
      write: false,
      target: "es2022",
      // An inlined file would be a `data:` address.
      assetsInlineLimit: 0,
      cssCodeSplit: false,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
    plugins: [{ name: "files-read", load: (id) => void (id.startsWith("\0") || read.add(id.split("?")[0])) }],
  });
  const files = output.map((file) => ({
    name: `console/${file.fileName}`,
    text: (file.type === "chunk" ? file.code : String(file.source)).toString(),
  }));
  const bytes = files.reduce((sum, { text }) => sum + gzipSync(text).length, 0);
  if (bytes > MAX_GZIP_BYTES)
    throw new Error(`the page of the console has ${bytes} bytes with gzip, more than ${MAX_GZIP_BYTES}`);
  return {
    files,
    read: [...read].map((path) => path.replaceAll("\\", "/")).filter((path) => existsSync(path)),
  };
}
