import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

/** One file of the page, as it is sent. */
export interface Asset {
  readonly type: string;
  readonly body: Buffer;
  readonly gzip: Buffer;
  /** Its name changes with its content. */
  readonly isImmutable: boolean;
}

/** The files of the page, as they were built. */
const PAGE = new URL("../../dist/console/", import.meta.url);

const TYPES: { readonly [extension: string]: string } = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/** One plain name: no separators, so nothing outside of the folder can be meant. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const HASHED = /[-.][A-Za-z0-9_-]{8,}\.[a-z0-9]+$/;
const sent = new Map<string, Asset>();

/** The page itself; undefined if it was not built. */
export function pageAsset(folder: URL = PAGE): Asset | undefined {
  return read(new URL("index.html", folder), false);
}

/** A file next to the page by its name; undefined if there is none. */
export function namedAsset(name: string, folder: URL = PAGE): Asset | undefined {
  if (!NAME.test(name) || TYPES[extname(name)] === undefined) return undefined;
  return read(new URL(`assets/${name}`, folder), HASHED.test(name));
}

function read(url: URL, isImmutable: boolean): Asset | undefined {
  const known = sent.get(url.href);
  if (known) return known;
  let body: Buffer;
  try {
    body = readFileSync(fileURLToPath(url));
  } catch {
    return undefined;
  }
  const type = TYPES[extname(url.pathname)] ?? "application/octet-stream";
  const asset = { type, body, gzip: gzipSync(body), isImmutable };
  // A file with a fixed name may be built again while we serve.
  if (isImmutable) sent.set(url.href, asset);
  return asset;
}
