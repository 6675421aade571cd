import { mkdirSync, writeFileSync } from "node:fs";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import type { TempDir } from "@indus/testkit";
import { openRun, type Run } from "../../src/boot/internal.ts";
import { COMMANDS } from "../../src/commands/command-table.ts";
import { serve } from "../../src/commands/serve/serve.ts";
import type { ServeRequest } from "../../src/commands/serve/serve-words.ts";
import { makeLink, runningConsoles } from "../../src/console/internal.ts";
import { parseArguments } from "../../src/launch/internal.ts";
import { eventually, scriptedRow } from "../bin/run-indus.ts";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- the tests know what they asked for
  readonly body: any;
}

/** A gateway in this process, with the user's file of rows. */
export interface OpenedConsole extends AsyncDisposable {
  readonly run: Run;
  readonly state: string;
  readonly base: URL;
  /** The user's file. */
  readonly file: string;
  readonly reports: readonly string[];
  /** The code of a new link. */
  link(): string;
  /** A session from a local link; asks as a browser's page does. */
  enter(): Promise<ConsoleUser>;
  ask(method: string, path: string, options?: AskOptions): Promise<Answer>;
  /** The same without waiting for the end of the answer. */
  open(method: string, path: string, options?: AskOptions): Promise<IncomingMessage>;
}

interface AskOptions {
  readonly headers?: { readonly [name: string]: string };
  readonly body?: unknown;
}

export interface ConsoleUser {
  readonly key: string;
  ask(method: string, path: string, body?: unknown, headers?: AskOptions["headers"]): Promise<Answer>;
  open(method: string, path: string, body?: unknown): Promise<IncomingMessage>;
}

/** `indus serve` in this process, with these rows in the user's file. */
export async function openedConsole(
  dir: TempDir,
  rows: object = { s: scriptedRow() },
  args: readonly string[] = [],
): Promise<OpenedConsole> {
  const file = dir.at("config/indusvx/mcp.json");
  mkdirSync(dir.at("config/indusvx"), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ mcpServers: rows }, undefined, 2)}\n`);
  mkdirSync(dir.at("ws"), { recursive: true });
  const stop = new AbortController();
  const reports: string[] = [];
  let out = "";
  const terminal = {
    out: (text: string | Uint8Array) => void (out += String(text)),
    err: (text: string) => void reports.push(text),
  };
  const env = {
    XDG_STATE_HOME: dir.at("state"),
    XDG_CONFIG_HOME: dir.at("config"),
    HOME: dir.at("home"),
    PATH: process.env["PATH"],
  };
  const run = await openRun({ terminal, signal: stop.signal, cwd: dir.at("ws"), env });
  const line = parseArguments(["serve", "--port", "0", "--profile", "none", ...args], COMMANDS);
  if (line.kind !== "command") throw new Error(JSON.stringify(line));
  const serving = serve(run, line.request as ServeRequest, COMMANDS);
  const url = await eventually(() => /^http:\S+/m.exec(out)?.[0], 90_000);
  const base = new URL("/", url);
  const { path: state } = await run.state.folder();
  const link = (): string => makeLink(state, runningConsoles(state)[0]?.id ?? "");
  const open: OpenedConsole["open"] = (method, path, options) => send(base, method, path, options);
  const ask: OpenedConsole["ask"] = async (...given) => readAnswer(await open(...given));
  return {
    ...{ run, state, base, file, reports, link, open, ask },
    enter: async () => {
      const opened = await ask("POST", "/console/session", {
        headers: fromPage(base),
        body: { code: link() },
      });
      const { key } = opened.body as { readonly key: string };
      return userOf({ ask, open }, base, key);
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await serving;
      await run[Symbol.asyncDispose]();
    },
  };
}

/** What a browser adds to the requests of our own page. */
export function fromPage(base: URL): { readonly [name: string]: string } {
  return { origin: base.origin, "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" };
}

export function userOf(
  { ask, open }: Pick<OpenedConsole, "ask" | "open">,
  base: URL,
  key: string,
): ConsoleUser {
  const headers = { ...fromPage(base), "x-indus-session": key };
  return {
    key,
    ask: (method, path, body, more) => ask(method, path, { headers: { ...headers, ...more }, body }),
    open: (method, path, body) => open(method, path, { headers, body }),
  };
}

function send(
  base: URL,
  method: string,
  path: string,
  { headers = {}, body }: AskOptions = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = base;
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const sent = request(
      { hostname, port, method, path, headers: { ...type, ...headers }, agent: false },
      resolve,
    );
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

export async function readAnswer(message: IncomingMessage): Promise<Answer> {
  let text = "";
  for await (const chunk of message.setEncoding("utf8") as AsyncIterable<string>) text += chunk;
  const { statusCode: status = 0, headers } = message;
  return {
    status,
    headers,
    text,
    body: String(headers["content-type"]).includes("/json") ? JSON.parse(text) : undefined,
  };
}

/** The lines of an answer as they come. */
// oxlint-disable-next-line typescript/no-explicit-any -- as above
export async function* linesOf(message: IncomingMessage): AsyncGenerator<any> {
  let rest = "";
  for await (const chunk of message.setEncoding("utf8") as AsyncIterable<string>) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line);
  }
}
