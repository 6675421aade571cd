import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

export interface TransparencyOptions {
  /** Only servers whose name contains one of these; then no page is written. */
  readonly only: readonly string[];
  /** Only gateways whose name contains one of these; then no page is written. */
  readonly gateways: readonly string[];
  /** Only doors with one of these names; then no page is written. */
  readonly doors: readonly string[];
  /** A running gateway in front of one server. */
  readonly url?: string;
  /** What that gateway puts before the names of the server. */
  readonly prefix: string;
  readonly cache: string;
  readonly atOnce: number;
  /** Shows each difference with its values. */
  readonly isVerbose: boolean;
}

export const USAGE = `npm run transparency -- [OPTION …]
  --only NAME,…      use only servers whose name contains one of these, e.g. "features stdio", modern
  --gateway NAME,…   only gateways whose name contains one of these: indus, mcp-proxy, supergateway, mcporter
  --door NAME,…      only these doors, e.g. stdio, shim, /mcp, /mcp/s; cluster: two gateways and two workers, which needs nats-server and is left out of whole runs without it
  --url URL          another gateway that runs already, in front of the one server that --only names; see --servers
  --prefix TEXT      what that gateway puts before the names of tools and prompts (default: nothing)
  --servers          print the servers and how to start them
  --cache DIR        install the other gateways there (default: indus-transparency in the folder for temporary files)
  --at-once N        cells that run at the same time (default 3)
  --verbose          print each difference with both values
With --only, --gateway, --door or --url the result is printed and no page is written.
`;

const DEFAULT_AT_ONCE = 3;

/** Throws if an option is unknown or has no usable value. */
export function parseOptions(args: readonly string[]): TransparencyOptions | "servers" {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string", multiple: true, default: [] },
      gateway: { type: "string", multiple: true, default: [] },
      door: { type: "string", multiple: true, default: [] },
      url: { type: "string" },
      prefix: { type: "string", default: "" },
      servers: { type: "boolean", default: false },
      cache: { type: "string", default: join(tmpdir(), "indus-transparency") },
      "at-once": { type: "string", default: String(DEFAULT_AT_ONCE) },
      verbose: { type: "boolean", default: false },
    },
  });
  if (values.servers) return "servers";
  const atOnce = Number(values["at-once"]);
  if (!Number.isSafeInteger(atOnce) || atOnce < 1)
    throw new Error(`--at-once: ${values["at-once"]} is not a number of cells; use 1 or more`);
  if (values.url !== undefined && !URL.canParse(values.url))
    throw new Error(`--url: ${values.url} is not a URL`);
  if (values.url !== undefined && values.only.length === 0)
    throw new Error("--url: name the server behind that gateway with --only; --servers lists them");
  return {
    only: words(values.only),
    gateways: words(values.gateway),
    doors: words(values.door),
    prefix: values.prefix,
    cache: resolve(values.cache),
    atOnce,
    isVerbose: values.verbose,
    ...(values.url === undefined ? {} : { url: values.url }),
  };
}

function words(given: readonly string[]): readonly string[] {
  return given.flatMap((text) => text.split(",")).filter((word) => word !== "");
}

/** Whether this run covers everything that the page shows. */
export function isWholeRun({ only, gateways, doors, url }: TransparencyOptions): boolean {
  return only.length + gateways.length + doors.length === 0 && url === undefined;
}
