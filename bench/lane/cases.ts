import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BenchCase } from "../case.ts";
import type { Figure } from "../measure.ts";
import type { Revision } from "../serve/http-caller.ts";
import { servedFolder, startServing } from "../serve/running.ts";
import {
  besideLargeResults,
  type ClientSide,
  clientCalls,
  clientLargeResult,
  clientList,
  clientMedianCall,
  clientMount,
  gatewayMemory,
  type HttpSide,
  httpGatewayCalls,
  httpGatewayLargeResult,
  httpGatewayList,
  type StdioSide,
  stdioGatewayCalls,
  stdioGatewayLargeResult,
  stdioGatewayList,
} from "./comparisons.ts";

/** Relative to the script that runs, which is in the folder above. */
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The three ways to use a build. */
export interface BuildSides {
  readonly client: ClientSide;
  readonly stdio: StdioSide;
  readonly http: HttpSide;
}

/** The build in this folder, which is a clone of the repository. */
export function sidesOf(folder: string): BuildSides {
  const indus = join(folder, "packages/induscode/bin/indus.js");
  const stdio: StdioSide = {
    name: "indus serve --stdio",
    open: (server) => {
      const place = mkdtempSync(join(tmpdir(), "indus-bench-"));
      const file = join(place, "servers.json");
      writeFileSync(file, JSON.stringify({ mcpServers: { s: server } }));
      return {
        target: {
          command: process.execPath,
          args: [indus, "serve", "--stdio", "--profile", "none", "--mcp", file],
          cwd: place,
          env: { ...process.env, XDG_STATE_HOME: join(place, "state") },
          prefix: "s__",
        },
        remove: () => rmSync(place, { recursive: true, force: true, maxRetries: 3 }),
      };
    },
  };
  const http: HttpSide = {
    name: "indus serve --port",
    start: async (servers) => {
      const rows = Object.fromEntries(servers.map((row, at) => [at === 0 ? "s" : `s${at}`, row]));
      const served = servedFolder(rows, indus);
      return { running: await served.start(), prefix: "s__", remove: () => served.remove() };
    },
  };
  // Node finds the library from the place of this file.
  const client = { name: "indus", client: join(folder, "bench/lane/clients/indus.mjs") };
  return { client, stdio, http };
}

export const { client: OUR_CLIENT, stdio: OUR_STDIO, http: OUR_HTTP } = sidesOf(here(".."));

const PLAIN = here("lane/plain-gateway.mjs");

/** A gateway that does nothing but pass requests on, written by hand: what every gateway costs. */
export const PLAIN_GATEWAY: Omit<BuildSides, "client"> = {
  stdio: {
    name: "hand-written",
    open: ({ command, args }) => ({
      target: { command: process.execPath, args: [PLAIN, "stdio", command, ...args] },
      remove: () => {},
    }),
  },
  http: {
    name: "hand-written",
    start: async ([server]) => {
      if (!server) throw new Error("it cannot run without a server");
      const running = await startServing({ args: [PLAIN, "http", server.command, ...server.args] });
      return { running, prefix: "", remove: () => {} };
    },
  },
};

const LARGE = 50_000_000;
const REVISIONS: readonly Revision[] = ["2025-06-18", "2025-11-25", "2026-07-28"];

/** The figure of the only side. */
const only = async (figures: Promise<readonly Figure[]>): Promise<Figure> => (await figures)[0] as Figure;

function lane(id: string, summary: string, measure: () => Promise<readonly Figure[]>): BenchCase {
  return { id: `lane-${id}`, summary, measure: () => only(measure()) };
}

/** The goals of the fast lane: each base is a program written by hand on Node alone, at the same server. */
export const laneCases: readonly BenchCase[] = [
  lane("call", "calls one after another through a mounted box / hand-written JSON-RPC over a pipe", () =>
    clientCalls([OUR_CLIENT], 1),
  ),
  lane("call-median", "the same, the median call", () => clientMedianCall([OUR_CLIENT])),
  lane("call-64", "the same with 64 in flight", () => clientCalls([OUR_CLIENT], 64)),
  ...REVISIONS.flatMap((revision) => [
    lane(
      `http-${revision}`,
      `median call of an HTTP client of ${revision} → \`indus serve\` → stdio server / the server over HTTP, directly`,
      () => httpGatewayCalls([OUR_HTTP], revision, 1),
    ),
    lane(`http-${revision}-64`, "the same with 64 in flight, time of all calls", () =>
      httpGatewayCalls([OUR_HTTP], revision, 64),
    ),
  ]),
  lane(
    "stdio-64",
    "64 calls in flight of a stdio client → `indus serve --stdio` → stdio server / the server, directly",
    () => stdioGatewayCalls([OUR_STDIO], 64),
  ),
  ...[10, 50].map((count) =>
    lane(
      `mount-${count}`,
      `mounting ${count} stdio servers, tools listed, the first mount of a process / starting ${count} bare nodes`,
      () => clientMount([OUR_CLIENT], count),
    ),
  ),
  ...[1_000, 10_000].map((tools) =>
    lane(
      `list-${tools}`,
      `starting a server and listing its ${tools} tools, processor time of a mounted box / of a hand-written client`,
      () => clientList([OUR_CLIENT], tools),
    ),
  ),
  ...[1_000, 10_000].flatMap((tools) => [
    lane(
      `gateway-list-${tools}`,
      `listing ${tools} tools, processor time of \`indus serve --stdio\` / of the server itself, asked directly`,
      () => stdioGatewayList([OUR_STDIO], tools),
    ),
    lane(`gateway-list-${tools}-http`, "the same over HTTP", () => httpGatewayList([OUR_HTTP], tools)),
  ]),
  lane("50-mb", "a text of 50 MB through a mounted box / through a hand-written client", () =>
    clientLargeResult([OUR_CLIENT], LARGE),
  ),
  lane("stdio-50-mb", "the same through `indus serve --stdio`, by the hand-written client", () =>
    stdioGatewayLargeResult([OUR_STDIO], LARGE),
  ),
  lane("http-50-mb", "the same through `indus serve --port` / over a pipe without a gateway", () =>
    httpGatewayLargeResult([OUR_HTTP], LARGE),
  ),
  {
    id: "lane-neighbour",
    summary:
      "p99 of small calls through `indus serve --port` while another client gets results of 60 MB from another server / without it",
    measure: () => besideLargeResults(OUR_HTTP, 60_000_000),
  },
  ...[0, 1, 10].map((servers) => ({
    id: `lane-rest-${servers}`,
    summary: `memory (PSS) of \`indus serve --port\` itself at rest after about a thousand calls, with ${servers} servers, in MB`,
    measure: () => gatewayMemory(OUR_HTTP, servers),
  })),
];
