// Compares us with other clients and gateways and writes docs/benchmarks.md.
//   npm run bench:peers                    everything
//   npm run bench:peers -- clients growth  only these parts; the others keep their last figures
//   npm run bench:peers -- --trial         one round of each, to see whether they run; writes nothing
import { setMaxListeners } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TRIAL } from "./measure.ts";
import { growthParts } from "./peers/growth.ts";
import { installCompared } from "./peers/install.ts";
import { COMPARED_PACKAGES } from "./peers/packages.ts";
import { benchmarksPage, type ComparedPart } from "./peers/page.ts";
import { clientPart, gatewayPart, gatewaySizePart, type Measured, programPart } from "./peers/parts.ts";

// It makes every start of Node slower, and so improves the ratio to a base that starts Node.
delete process.env["NODE_EXTRA_CA_CERTS"];
setMaxListeners(1_000); // Not 0: undici could not read the limit of a signal then.

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const compared = installCompared();
const PARTS: { readonly [name: string]: () => Promise<readonly Measured[]> } = {
  clients: async () => [await clientPart(compared)],
  gateways: async () => [await gatewayPart(compared)],
  sizes: async () => [await gatewaySizePart(compared)],
  programs: async () => [await programPart(compared)],
  growth: growthParts,
};

const asked = process.argv.slice(2).filter((word) => word !== "--trial");
const unknown = asked.filter((name) => !PARTS[name]);
if (unknown.length > 0)
  throw new Error(
    `bench:peers: there is no part ${unknown.join(" ")}. Parts: ${Object.keys(PARTS).join(" ")}`,
  );

/** The figures of a part stay in the folder of the peers, so that parts can be measured one at a time. */
const fileOf = (name: string): string => join(compared.folder, `part-${name}.json`);
const where = `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${process.platform}`;
for (const name of asked.length > 0 ? asked : Object.keys(PARTS)) {
  const startMs = performance.now();
  const measured = (await PARTS[name]?.()) ?? [];
  console.error(`${name}: ${((performance.now() - startMs) / 1000).toFixed(0)} s`);
  if (!TRIAL) writeFileSync(fileOf(name), JSON.stringify(measured.map((part) => ({ ...part, where }))));
}

const missing = Object.keys(PARTS).filter((name) => !existsSync(fileOf(name)));
if (TRIAL) console.error("a trial writes no page");
else if (missing.length > 0)
  console.error(`no page was written: these parts were never measured: ${missing.join(" ")}`);
else {
  const saved = (name: string): readonly ComparedPart[] =>
    JSON.parse(readFileSync(fileOf(name), "utf8")) as readonly ComparedPart[];
  const parts = ["clients", "gateways", "sizes", "programs"].flatMap(saved);
  const page = benchmarksPage({ parts, growth: saved("growth"), versions: COMPARED_PACKAGES });
  writeFileSync(here("../docs/benchmarks.md"), page);
}
