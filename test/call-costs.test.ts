import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { tempDir, verifiesTogether } from "@indus/testkit";
import { expect } from "vitest";
import { Driven } from "../bench/lane/driven.ts";
import { HttpCaller, type Revision } from "../bench/serve/http-caller.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const INDUS = here("../packages/induscode/bin/indus.js");
const ECHO = { command: process.execPath, args: [here("../bench/lane/echo.mjs"), "stdio"] };
const DRIVER = here("../bench/lane/drive.mjs");
/** Compiled by the main thread: beside other work, its own thread for that comes late, and code that is not compiled makes more objects. */
const COUNTED = [
  ...[
    "--no-concurrent-recompilation",
    "--expose-gc",
    "--min-semi-space-size=64",
    "--max-semi-space-size=64",
    "--import",
  ],
  pathToFileURL(here("../bench/lane/counted.mjs")).href,
];

/** Of one call. */
interface Costs {
  readonly promises: number;
  readonly bytes: number;
}

/** They only go down. A change that makes a call dearer is visible here before it is in a time. */
const LIMITS = JSON.parse(readFileSync(here("call-costs.json"), "utf8")) as {
  readonly [path: string]: Costs;
};

type Counter = "startPromises" | "stopPromises" | "startBytes" | "stopBytes";

async function ask(child: ChildProcess, count: Counter): Promise<number | null> {
  const answered = once(child, "message");
  child.send({ count });
  const [{ counted }] = (await answered) as [{ readonly counted: number | null }];
  return counted;
}

/** The calls before counting, so that everything is loaded and compiled, and the calls of one window. */
const CALLS = { warm: 300, window: 50 };

/** A machine under load compiles late, and a window may contain a timer or a collection. That only adds; a cheap window is true. */
const WINDOWS = 100;

/** Counts windows until one is within the limit. Returns the least of them. */
async function costsOf(
  path: string,
  child: ChildProcess,
  run: (calls: number) => Promise<unknown>,
): Promise<Costs> {
  const counted = async (what: "Promises" | "Bytes", limit: number): Promise<number> => {
    let least = Number.POSITIVE_INFINITY;
    for (let window = 0; window < WINDOWS && least > limit; window++) {
      await ask(child, `start${what}`);
      await run(CALLS.window);
      // Null: there was a collection.
      const found = (await ask(child, `stop${what}`)) ?? Number.POSITIVE_INFINITY;
      least = Math.min(least, found / CALLS.window);
    }
    return Math.round(least * 10) / 10;
  };
  const { promises = 0, bytes = 0 } = LIMITS[path] ?? {};
  await run(CALLS.warm);
  return { promises: await counted("Promises", promises), bytes: await counted("Bytes", bytes) };
}

function expectWithin(path: string, costs: Costs): void {
  const limit = LIMITS[path];
  const hint = `the limits are in test/call-costs.json; one call cost ${JSON.stringify(costs)}`;
  expect(costs.promises, hint).toBeLessThanOrEqual(limit?.promises ?? 0);
  expect(costs.bytes, hint).toBeLessThanOrEqual(limit?.bytes ?? 0);
}

verifiesTogether(
  "house:call-costs",
  "a call through a mounted box stays within its promises and bytes",
  async () => {
    const client = here("../bench/lane/clients/indus.mjs");
    const driven = await Driven.start({ client, driver: DRIVER, nodeArgs: COUNTED });
    try {
      await driven.do({ action: "connect", target: ECHO });
      const run = (calls: number): Promise<unknown> => driven.do({ action: "call", calls, inFlight: 1 });
      expectWithin("client", await costsOf("client", driven.child, run));
    } finally {
      await driven.close();
    }
  },
);

/** The limits of a gateway are those of the inbound lane. */
const ON_LANE = { when: process.env["INDUS_INBOUND"] !== "sdk" };

/** `indus serve` that counts what it allocates. */
async function withGateway(
  flags: readonly string[],
  work: (gateway: ChildProcess) => Promise<void>,
): Promise<void> {
  await using dir = await tempDir();
  const file = join(dir.path, "servers.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { s: ECHO } }));
  const gateway = spawn(
    process.execPath,
    [...COUNTED, INDUS, "serve", ...flags, "--profile", "none", "--mcp", file],
    { cwd: dir.path, stdio: ["pipe", "pipe", "ignore", "ipc"] },
  );
  const exited = once(gateway, "exit");
  try {
    await work(gateway);
  } finally {
    gateway.kill();
    await exited;
  }
}

verifiesTogether(
  "house:call-costs",
  "a call through the gateway over HTTP does, with each revision",
  () =>
    withGateway(["--port", "0", "--with-parent"], async (gateway) => {
      const [line] = (await once(gateway.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
      const url = line.toString().split("\n")[0] ?? "";
      for (const revision of ["2025-06-18", "2025-11-25", "2026-07-28"] as const satisfies Revision[]) {
        const caller = await new HttpCaller(url, 1, { revision }).open();
        try {
          await caller.request("tools/list");
          const call = { name: "s__echo", arguments: { text: "x".repeat(64) } };
          const run = async (calls: number): Promise<void> => {
            for (let left = calls; left > 0; left--) await caller.request("tools/call", call);
          };
          const path = `gateway-http-${revision}`;
          expectWithin(path, await costsOf(path, gateway, run));
        } finally {
          caller.close();
        }
      }
    }),
  ON_LANE,
);

verifiesTogether(
  "house:call-costs",
  "a call through the gateway over stdio does",
  () =>
    withGateway(["--stdio"], async (gateway) => {
      const request = lineCaller(gateway);
      const clientInfo = { name: "counting", version: "1.0.0" };
      await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
      await request("tools/list", {});
      const call = { name: "s__echo", arguments: { text: "x".repeat(64) } };
      const run = async (calls: number): Promise<void> => {
        for (let left = calls; left > 0; left--) await request("tools/call", call);
      };
      expectWithin("gateway-stdio", await costsOf("gateway-stdio", gateway, run));
    }),
  ON_LANE,
);

/** One request at a time over the pipes of a process. */
function lineCaller({ stdin, stdout }: ChildProcess): (method: string, params: object) => Promise<unknown> {
  let id = 0;
  let rest = "";
  let answered = (_message: { readonly id?: number; readonly result?: unknown }): void => {};
  stdout?.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) answered(JSON.parse(line) as { readonly id?: number });
  });
  return (method, params) =>
    new Promise((resolve, reject) => {
      id += 1;
      answered = (message) => {
        if (message.id !== id) return;
        if (message.result) resolve(message.result);
        else reject(new Error(`${method} failed: ${JSON.stringify(message)}`));
      };
      stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
}
