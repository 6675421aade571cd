import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describeError, isLoopbackHost, isRecord, joinSignals, replaceFileSync } from "indusagi/core";
import { networkFetch } from "indusagi/interop";
import { userPlaces } from "../../background/internal.ts";
import { dial, livePlace } from "../../background/link/index.ts";
import type { Run } from "../../boot/internal.ts";
import {
  CONSOLE_LIMITS,
  consoleFolder,
  dropLink,
  FOLDER_FRAGMENT,
  isLinkGone,
  LINK_FRAGMENT,
  makeLink,
  runningConsoles,
} from "../../console/internal.ts";
import { type CommandSpec, CWD } from "../../launch/internal.ts";
import { openPage } from "../../servers/login/index.ts";
import type { OpenedConsole } from "../serve/user-console.ts";

interface ConsoleRequest {
  /** A gateway on another machine. Absent: the one of this folder. */
  readonly url?: URL | undefined;
  /** The variable with its token. Not the token itself: other users can read the command line. */
  readonly tokenEnv: string;
  /** Print the link instead of opening a browser. */
  readonly print: boolean;
}

const TOKEN_VARIABLE = "INDUS_TOKEN";

export const CONSOLE: CommandSpec<ConsoleRequest> = {
  name: "console",
  group: "everyday",
  summary:
    "Open the console of this folder's running gateway, or of indus up, in the browser: servers, calls, changes, clients, and a place to try tools.",
  flags: [
    {
      name: "--url",
      aliases: [],
      kind: "string",
      value: "URL",
      describe:
        "Open the console of a gateway on another machine, behind https. Needs a token made there with indus token add NAME --admin.",
      accepts: {
        describe: "an address such as https://tools.example.com",
        isValid: (text) => consoleAddress(text) !== undefined,
      },
    },
    {
      name: "--token-env",
      aliases: [],
      kind: "string",
      value: "VAR",
      describe: `The environment variable with the token for --url. Default: ${TOKEN_VARIABLE}.`,
    },
    {
      name: "--print",
      aliases: [],
      kind: "boolean",
      describe: "Print the link instead of opening a browser. It works once, within a minute.",
    },
    CWD,
  ],
  examples: ["indus console", "indus console --print", "indus console --url https://tools.example.com"],
  read: (flags) => {
    const url = flags.value("--url");
    return {
      url: url === undefined ? undefined : consoleAddress(url),
      tokenEnv: flags.value("--token-env") ?? TOKEN_VARIABLE,
      print: flags.has("--print"),
    };
  },
};

/** Over plain http anyone on the way could read the link and what it shows. */
function consoleAddress(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL("/", text);
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname))
    ? url
    : undefined;
}

/** A link that can be opened once. */
interface ConsoleLink {
  readonly address: string;
  /** Whether it was used, as far as that can be known here. */
  isUsed(): boolean;
  /** It will not be used. */
  drop(): void;
}

/** `indus console`: opens the console of a running gateway with a link for one use. */
export async function openConsole(run: Run, request: ConsoleRequest): Promise<number> {
  const { path: state } = await run.state.folder();
  const link = request.url ? await remoteLink(run, request.url, request.tokenEnv) : await localLink(run);
  if (!link) return 1;
  if (request.print) return printed(run, link);
  // Other users can read command lines, so the browser gets the path of a page that only this user can read.
  const page = join(consoleFolder(state), `open-${process.pid}.html`);
  run.defer(async () => rmSync(page, { force: true }));
  replaceFileSync({ path: page, content: Buffer.from(redirectPage(link.address)), mode: 0o600 });
  if (!(await openPage(page, { env: run.env }))) {
    run.report("no browser can be opened here; open this link in one, within a minute:");
    return printed(run, link);
  }
  run.report("the console opens in your browser");
  const until = Date.now() + CONSOLE_LIMITS.linkMs;
  while (!link.isUsed() && Date.now() < until && !run.signal.aborted)
    await delay(POLL_MS, undefined, { signal: run.signal }).catch(() => {});
  if (link.isUsed()) return 0;
  link.drop();
  if (!run.signal.aborted)
    run.report("the browser did not open the link within a minute; indus console --print shows one to open");
  return 1;
}

const POLL_MS = 200;
/** How long a browser may take to read the page, if we cannot see whether it did. */
const UNSEEN_MS = 20_000;

function printed({ terminal }: Run, { address }: ConsoleLink): number {
  terminal.out(`${address}\n`);
  return 0;
}

/** A running gateway with a console, on this machine. */
export interface FoundConsole {
  /** The address of its page. */
  readonly url: URL;
  /** Names it in links. */
  readonly id: string;
  /** Where its links are. */
  readonly state: string;
  /** This folder in it, if it has several. */
  readonly folder?: string | undefined;
}

/** The gateway of this folder that was started last, else the user's background gateway. Without one, reports how to start it. */
export async function findConsole(run: Run): Promise<FoundConsole | undefined> {
  const { report, cwd } = run;
  const { path: state } = await run.state.folder();
  const [newest, ...others] = runningConsoles(state);
  if (newest) {
    if (others.length > 0)
      report(
        `${others.length + 1} gateways are running for ${cwd}; this is the newest, process ${newest.pid}`,
      );
    return { url: localAddress(newest.url), id: newest.id, state };
  }
  const shared = await backgroundConsole(run);
  if (!shared)
    report(
      `no gateway with a console is running for ${cwd}; start one with: indus serve --port 7717, or one for all folders: indus up`,
    );
  return shared;
}

/** The console of the background gateway, which opens its port for it. */
async function backgroundConsole({ env, cwd, report }: Run): Promise<FoundConsole | undefined> {
  const place = livePlace(userPlaces(env));
  if (!place) return undefined;
  const dialled = await dial(place, { kind: "console" }, CONSOLE_MS);
  if (!("socket" in dialled)) {
    report(`your background gateway does not open its console: ${dialled.message}`);
    return undefined;
  }
  dialled.socket.destroy();
  const opened = consoleIn(dialled.answer["console"]);
  if (!opened) return undefined;
  const { url, id, folders } = opened;
  return { url: new URL(url), id, state: place.folder, folder: folders.find(({ path }) => path === cwd)?.id };
}

/** It loads the console first. */
const CONSOLE_MS = 15_000;

/** The other side has proved that it is the user's gateway of this build. */
function consoleIn(answer: unknown): OpenedConsole | undefined {
  return isRecord(answer) ? (answer as unknown as OpenedConsole) : undefined;
}

/** A link to a gateway on this machine: a private file that the gateway looks for. */
async function localLink(run: Run): Promise<ConsoleLink | undefined> {
  const found = await findConsole(run);
  if (!found) return undefined;
  const { url, id, state, folder } = found;
  const code = makeLink(state, id);
  return {
    address: addressOf(url, code, folder),
    isUsed: () => isLinkGone(state, code),
    drop: () => dropLink(state, code),
  };
}

/** A gateway that listens everywhere is reached by the address of this machine. */
function localAddress(url: string): URL {
  const address = new URL(url);
  if (address.hostname === "0.0.0.0") address.hostname = "127.0.0.1";
  if (address.hostname === "[::]") address.hostname = "[::1]";
  return address;
}

function addressOf(url: URL, code: string, folder?: string): string {
  const address = new URL(url);
  address.hash = `${LINK_FRAGMENT}${code}${folder === undefined ? "" : `${FOLDER_FRAGMENT}${folder}`}`;
  return address.href;
}

/** A link from a gateway on another machine, for the holder of a token. */
async function remoteLink(run: Run, url: URL, tokenEnv: string): Promise<ConsoleLink | undefined> {
  const token = run.env[tokenEnv];
  if (token === undefined || token === "") {
    run.report(
      `--url needs a token in the variable ${tokenEnv}; make one on the gateway's machine with indus token add NAME --admin`,
    );
    return undefined;
  }
  try {
    const send = networkFetch({ env: run.env, note: run.report });
    const answer = await send(new URL("/console/link", url), {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      redirect: "error",
      signal: joinSignals(run.signal, AbortSignal.timeout(ANSWER_MS)),
    });
    const body: unknown = await answer.json().catch(() => undefined);
    const code = isRecord(body) ? body["code"] : undefined;
    if (answer.ok && typeof code === "string") {
      const openedMs = Date.now();
      return {
        address: addressOf(url, code),
        isUsed: () => Date.now() > openedMs + UNSEEN_MS,
        drop: () => {},
      };
    }
    run.report(
      `${url.origin} makes no link: ${refusalIn(body) ?? `it answered with status ${answer.status}`}`,
    );
  } catch (thrown) {
    run.report(`${url.origin} cannot be reached: ${describeError(thrown)}`);
  }
  return undefined;
}

const ANSWER_MS = 15_000;

function refusalIn(body: unknown): string | undefined {
  const error = isRecord(body) && isRecord(body["error"]) ? body["error"] : undefined;
  const { message, remedy } = error ?? {};
  if (typeof message !== "string") return undefined;
  return typeof remedy === "string" ? `${message}; ${remedy}` : message;
}

/** A page that leads to the link at once. The code is in a fragment, which no server and no proxy sees. */
function redirectPage(address: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Indus</title>
<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url=${address}"></head>
<body><p><a href="${address}">Open the console of Indus</a></p></body></html>
`;
}
