import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../test/kit/free-port.ts";
import { OUR_CLIENT, OUR_HTTP, OUR_STDIO, PLAIN_GATEWAY } from "../lane/cases.ts";
import {
  type ClientSide,
  clientCalls,
  clientLargeResult,
  clientList,
  clientMedianCall,
  clientMount,
  echoServer,
  gatewayMemory,
  type HttpSide,
  httpGatewayCalls,
  httpGatewayLargeResult,
  httpGatewayList,
  type StdioSide,
  stdioGatewayCalls,
  stdioGatewayLargeResult,
  stdioGatewayList,
} from "../lane/comparisons.ts";
import { type Figure, ratiosTo, type Variant } from "../measure.ts";
import { nodeOfMajor } from "../node-version.ts";
import type { Revision } from "../serve/http-caller.ts";
import { type Row, startServing } from "../serve/running.ts";
import type { Compared } from "./install.ts";
import { type ComparedPart, LIMIT, type WorkRow } from "./page.ts";

/** Relative to the script that runs, which is in the folder above. */
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export type Measured = Omit<ComparedPart, "where">;

/** Some peers need a newer Node than we do. */
const NEWER = "24";
/** Most peers copy a message again with each chunk of it: our 50 MB take them about 20 seconds a call. */
const LARGE = 10_000_000;

function cellOf(figure: Figure | undefined): number | null {
  return figure === undefined || Number.isNaN(figure.median) ? null : figure.median;
}

/** Measures and tells, because a part takes minutes. */
async function row(work: string, base: string, measure: () => Promise<readonly (Figure | undefined)[]>) {
  const found: WorkRow = { work, base, cells: (await measure()).map(cellOf) };
  process.stderr.write(`${work}: ${found.cells.map((cell) => cell?.toFixed(2) ?? "–").join("  ")}\n`);
  return found;
}

/** Clients. The one of the AI SDK runs on a newer Node, beside a hand-written client on that Node. */
export async function clientPart({ copyOf }: Compared): Promise<Measured> {
  const sides: readonly ClientSide[] = [
    OUR_CLIENT,
    { name: "SDK 1.x", client: copyOf("client-v1") },
    { name: "SDK 2.x", client: copyOf("client-v2") },
  ];
  const newer: ClientSide = { name: "@ai-sdk/mcp", client: copyOf("client-ai"), node: nodeOfMajor(NEWER) };
  const each =
    (compare: (sides: readonly ClientSide[]) => Promise<Figure[]>) => async (): Promise<Figure[]> => [
      ...(await compare(sides)),
      ...(await compare([newer])),
    ];
  const raw = "hand-written JSON-RPC";
  const rows: WorkRow[] = [];
  rows.push(
    await row(
      "stdio calls one after another, wall",
      raw,
      each((all) => clientCalls(all, 1)),
    ),
  );
  rows.push(await row("the same, median call", raw, each(clientMedianCall)));
  rows.push(
    await row(
      "stdio calls, 64 in flight, wall",
      raw,
      each((all) => clientCalls(all, 64)),
    ),
  );
  for (const count of [10, 50])
    rows.push(
      await row(
        `mount ${count} servers, wall`,
        `${count} bare nodes`,
        each((all) => clientMount(all, count)),
      ),
    );
  for (const tools of [1_000, 10_000])
    rows.push(
      await row(
        `start and list ${tools} tools, client CPU`,
        raw,
        each((all) => clientList(all, tools)),
      ),
    );
  rows.push(
    await row(
      `a result of ${LARGE / 1e6} MB, wall`,
      raw,
      each((all) => clientLargeResult(all, LARGE)),
    ),
  );
  return {
    title: "Clients",
    notes: [
      `@ai-sdk/mcp needs a newer Node: it and its base run on Node ${NEWER}. The limit of the SDK clients for one message (10 MB) is`,
      "raised; their connection would end otherwise.",
    ],
    columns: ["Indus", "SDK 1.x", "SDK 2.x", "@ai-sdk/mcp"],
    rows,
  };
}

/** A gateway that takes its port and the command of one server. */
function httpPeer(name: string, argsOf: (port: number, server: Row) => Launch): HttpSide {
  return {
    name,
    start: async ([server]) => {
      if (!server) throw new Error("it cannot run without a server");
      const port = await freePort();
      const { remove = () => {}, prefix = "", ...launch } = argsOf(port, server);
      const running = await startServing({ ...launch, url: `http://127.0.0.1:${port}/mcp` });
      return { running, prefix, remove };
    },
  };
}

interface Launch {
  readonly args: readonly string[];
  readonly node?: string;
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
  readonly prefix?: string;
  readonly remove?: () => void;
}

function naiveStdio(name: string, program: string): StdioSide {
  return {
    name,
    open: ({ command, args }) => ({
      target: { command: process.execPath, args: [program, "stdio", command, ...args] },
      remove: () => {},
    }),
  };
}

/** A folder in which mcporter finds one server. It serves only those that it may keep running. */
function mcporterFolder(
  server: Row,
  lifecycle: "keep-alive" | "ephemeral" = "keep-alive",
): { folder: string; file: string; env: { [name: string]: string } } {
  const folder = mkdtempSync(join(tmpdir(), "indus-bench-"));
  const file = join(folder, "mcporter.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { s: { ...server, lifecycle } }, imports: [] }));
  return { folder, file, env: { HOME: folder, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder } };
}

/** It leaves a process that keeps the servers, unless it is told to stop it. */
function endMcporter(program: string, { folder, file, env }: ReturnType<typeof mcporterFolder>): void {
  const args = [program, "--config", file, "daemon", "stop"];
  spawnSync(nodeOfMajor(NEWER), args, { cwd: folder, env: { ...process.env, ...env }, timeout: 20_000 });
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

const REVISIONS: readonly Revision[] = ["2025-06-18", "2025-11-25", "2026-07-28"];

/** The gateways that are compared, ours first. The second is the limit: it only passes requests on. */
function gatewaySides({ programOf, copyOf }: Compared): {
  readonly http: readonly HttpSide[];
  readonly stdio: readonly StdioSide[];
} {
  const mcporter = programOf("mcporter");
  const http: readonly HttpSide[] = [
    OUR_HTTP,
    PLAIN_GATEWAY.http,
    httpPeer("naive, SDK 1.x", (port, { command, args }) => ({
      args: [copyOf("naive-v1"), String(port), command, ...args],
    })),
    httpPeer("naive, SDK 2.x", (port, { command, args }) => ({
      args: [copyOf("naive-v2"), String(port), command, ...args],
    })),
    httpPeer("mcp-proxy", (port, { command, args }) => ({
      args: [
        ...[programOf("mcp-proxy"), "--port", String(port), "--host", "127.0.0.1"],
        ...["--server", "stream", "--", command, ...args],
      ],
    })),
    httpPeer("supergateway", (port, { command, args }) => ({
      args: [
        programOf("supergateway"),
        ...["--stdio", [command, ...args].map((word) => JSON.stringify(word)).join(" ")],
        ...["--outputTransport", "streamableHttp", "--stateful", "--port", String(port)],
        ...["--logLevel", "none"],
      ],
    })),
    httpPeer("mcporter", (port, server) => {
      const place = mcporterFolder(server);
      return {
        node: nodeOfMajor(NEWER),
        args: [mcporter, "--config", place.file, "serve", "--http", String(port)],
        cwd: place.folder,
        env: place.env,
        prefix: "s__",
        remove: () => endMcporter(mcporter, place),
      };
    }),
  ];
  const stdio: readonly StdioSide[] = [
    OUR_STDIO,
    PLAIN_GATEWAY.stdio,
    naiveStdio("naive, SDK 1.x", copyOf("naive-v1")),
    naiveStdio("naive, SDK 2.x", copyOf("naive-v2")),
    {
      name: "mcporter",
      open: (server) => {
        const place = mcporterFolder(server);
        return {
          target: {
            command: nodeOfMajor(NEWER),
            args: [mcporter, "--config", place.file, "serve", "--stdio"],
            cwd: place.folder,
            env: { ...process.env, ...place.env },
            prefix: "s__",
          },
          remove: () => endMcporter(mcporter, place),
        };
      },
    },
  ];
  return { http, stdio };
}

const GATEWAYS = [
  ...["Indus", LIMIT, "naive, SDK 1.x", "naive, SDK 2.x"],
  ...["mcp-proxy", "supergateway", "mcporter"],
];

/** mcp-proxy and supergateway do not serve over stdio. */
async function onStdio(figures: Promise<readonly Figure[]>): Promise<(Figure | undefined)[]> {
  const [ours, plain, first, second, porter] = await figures;
  return [ours, plain, first, second, undefined, undefined, porter];
}

/** Calls through gateways. */
export async function gatewayPart(compared: Compared): Promise<Measured> {
  const { http, stdio } = gatewaySides(compared);
  const rows: WorkRow[] = [];
  for (const revision of REVISIONS) {
    const client = `HTTP client of ${revision} → stdio server`;
    rows.push(await row(`${client}, median call`, "direct HTTP", () => httpGatewayCalls(http, revision, 1)));
    rows.push(
      await row(`${client}, 64 in flight, wall`, "direct HTTP", () => httpGatewayCalls(http, revision, 64)),
    );
  }
  rows.push(
    await row("stdio client → stdio server, 64 in flight, wall", "direct stdio", () =>
      onStdio(stdioGatewayCalls(stdio, 64)),
    ),
  );
  const notes = [
    "The hand-written gateway (`bench/lane/plain-gateway.mjs`, 70 lines) passes requests on and does nothing else: no sessions, no",
    "checks, no cancellation, no limits. It shows what a gateway costs because it is one more process.",
    `mcporter runs on Node ${NEWER}, the others on the Node of the run. The first SDK does not know the revision 2026-07-28.`,
  ];
  return { title: "Gateways: calls", notes, columns: GATEWAYS, rows };
}

/** Lists, large results and memory of gateways. */
export async function gatewaySizePart(compared: Compared): Promise<Measured> {
  const { http, stdio } = gatewaySides(compared);
  const rows: WorkRow[] = [];
  for (const tools of [1_000, 10_000]) {
    const list = `list of ${tools} tools, gateway CPU`;
    const base = "CPU of the server";
    rows.push(await row(`${list}, stdio`, base, () => onStdio(stdioGatewayList(stdio, tools))));
    rows.push(await row(`${list}, HTTP`, base, () => httpGatewayList(http, tools)));
  }
  const large = `a result of ${LARGE / 1e6} MB, wall`;
  rows.push(
    await row(`${large}, stdio`, "direct stdio", () => onStdio(stdioGatewayLargeResult(stdio, LARGE))),
  );
  rows.push(await row(`${large}, HTTP`, "direct stdio", () => httpGatewayLargeResult(http, LARGE)));
  rows.push(await row("memory (PSS) at rest after about a thousand calls", "MB", () => memories(http)));
  const notes = [
    "mcporter keeps servers in a second process, whose processor time and memory are not in its figures.",
  ];
  return { title: "Gateways: lists, large results, memory", notes, columns: GATEWAYS, rows };
}

async function memories(sides: readonly HttpSide[]): Promise<(Figure | undefined)[]> {
  const found: (Figure | undefined)[] = [];
  for (const side of sides) {
    try {
      found.push(await gatewayMemory(side, 1));
    } catch (thrown) {
      process.stderr.write(`${side.name}: ${String(thrown).split("\n")[0]}\n`);
      found.push(undefined);
    }
  }
  return found;
}

/** Programs of the command line, all on the Node that the newest needs. */
export async function programPart({ programOf }: Compared): Promise<Measured> {
  const node = nodeOfMajor(NEWER);
  const place = mcporterFolder(echoServer(), "ephemeral");
  const env = { ...process.env, ...place.env };
  const started = (...args: readonly string[]): Variant => ({
    name: args.join(" "),
    run: () => {
      const { status, stderr } = spawnSync(node, args, { cwd: place.folder, env, encoding: "utf8" });
      if (status !== 0) throw new Error(`${args.join(" ")} failed: ${stderr}`);
    },
  });
  const ours = here("../packages/induscode/bin/indus.js");
  const mcporter = programOf("mcporter");
  const helps = [ours, mcporter, programOf("mcp-proxy"), programOf("supergateway")];
  const empty = started("-e", "0");
  try {
    const rows = [
      await row("--help, wall", "node -e 0", () =>
        ratiosTo(
          empty,
          helps.map((program) => started(program, "--help")),
          { rounds: 15 },
        ),
      ),
      await row("list the tools of one server, wall", "node -e 0", async () => [
        ...(await ratiosTo(
          empty,
          [
            started(ours, "mcp", "list", "--mcp", place.file),
            started(mcporter, "--config", place.file, "list", "s"),
          ],
          { rounds: 15 },
        )),
        undefined,
        undefined,
      ]),
    ];
    const notes = [`All on Node ${NEWER}, which mcporter needs.`];
    return { title: "Commands", notes, columns: ["Indus", "mcporter", "mcp-proxy", "supergateway"], rows };
  } finally {
    endMcporter(mcporter, place);
  }
}
