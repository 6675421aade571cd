import { statSync } from "node:fs";
import { resolve } from "node:path";
import { describeError, escapeForDisplay, joinSignals } from "indusagi/core";
import { demoServers, firstOf, type Run, stdioGatewayLaunch, workspaceTokens } from "../../boot/internal.ts";
import { announceConsole, consoleSite } from "../../console/internal.ts";
import { type Gateway, type GatewayOptions, openGateway } from "../../gateway/open/internal.ts";
import { showClientSetup, showToolCost } from "../../screen/index.ts";
import type { FoundServers } from "../../servers/find/index.ts";
import { watchServers } from "../../servers/internal.ts";
import type { Command } from "../subcommand.ts";
import { startServerLog } from "./serve-log.ts";
import type { ServeRequest } from "./serve-words.ts";

/** `indus serve`: offers native tools and the tools of all servers to MCP clients, until it is stopped. */
export async function serve(
  run: Run,
  request: ServeRequest,
  commands: readonly Command[],
  opened?: (gateway: ShownGateway) => void,
): Promise<number> {
  if (!request.cluster) return serveHere(run, request, { commands, opened });
  try {
    const { joinAsGateway, runWorker } = await import("../../cluster/internal.ts");
    const { worker, ...cluster } = request.cluster;
    // If the process is both, one ends with the other: whatever started it starts both again.
    const ending = new AbortController();
    const both = { ...run, signal: joinSignals(run.signal, ending.signal) };
    const end = (): void => ending.abort(new Error("its gateway or its worker has ended"));
    const { run: own, now, workers, follow } = await joinAsGateway(both, cluster);
    const working = worker && runWorker(both, { ...cluster, ...worker }, () => {}).finally(end);
    const serving = serveHere(own, request, {
      commands,
      joined: { now: { ...now, workers }, follow },
    }).finally(end);
    const codes = await Promise.all([serving, working ?? 0]);
    return Math.max(...codes);
  } catch (thrown) {
    run.report(describeError(thrown));
    return 1;
  }
}

/** What a console sees of a gateway. */
type ShownGateway = Pick<Gateway, "servers" | "view">;

interface Serving {
  readonly commands: readonly Command[];
  /** The servers of a cluster, instead of those of the folder. */
  readonly joined?: Served | undefined;
  /** Called once the gateway is open, before it serves. */
  readonly opened?: ((gateway: ShownGateway) => void) | undefined;
}

async function serveHere(
  run: Run,
  request: ServeRequest,
  { commands, joined, opened }: Serving,
): Promise<number> {
  const { terminal, signal, report } = run;
  const { transport, waitMs, profile, listing, policy, sources, lazy, previewOver, bareAppNames } = request;
  const { taskAfterMs } = request;
  const skills = request.skills === undefined ? undefined : resolve(run.cwd, request.skills);
  if (skills !== undefined && !isFolder(skills)) {
    report(
      `--skills: there is no folder ${escapeForDisplay(skills)}; create it, or name the folder that holds the skills`,
    );
    return 2;
  }
  let showLog = (): void => {};
  try {
    const served = joined ?? (await servedServers(run, request));
    if (!served) return 1;
    const { servers, token, needsToken, ...gateway } = await openGateway(run, {
      ...served.now,
      lazy,
      transport,
      profile,
      listing,
      policy,
      selection: sources,
      waitMs,
      skills,
      previewOver,
      bareAppNames,
      taskAfterMs,
    });
    if (signal.aborted) return reportEnd(run);
    opened?.({ ...gateway, servers });
    served.follow((configuration) => void gateway.apply(configuration));
    showLog = once(() => startServerLog(run, servers));
    const shown = firstOf([servers.settled], { signal, waitMs: TABLE_MS }).then(() => {
      if (!signal.aborted) showLog();
    });
    const showReady = (setup: string): void =>
      void shown.then(() => {
        if (signal.aborted) return;
        const cost = gateway.listingCost();
        if (cost.tools > 0) report(showToolCost(cost));
        terminal.err(setup);
      });
    if (transport.kind === "stdio") showReady("");
    // The console changes files of this machine.
    const page = request.cluster
      ? undefined
      : await openConsole(run, { ...request, commands, gateway: { ...gateway, servers } });
    await gateway.serve((url) => {
      page?.announce(url);
      terminal.out(`${url}\n`);
      if (token !== undefined) report(`clients need this token: ${TOKEN_VARIABLE}=${token}`);
      else if (needsToken && givenToken(request) === undefined)
        report("clients need a token; indus token list shows who has one");
      if (terminal.log) terminal.log({ level: "info", event: "listening", url });
      // A gateway of a cluster is one of many: its clients get the address of all.
      showReady(terminal.log || request.cluster ? "" : clientSetup(run, request, { url, needsToken }));
    }, page?.site);
    return reportEnd(run);
  } catch (thrown) {
    showLog();
    const message = describeError(thrown);
    if (terminal.log) terminal.log({ level: "error", event: "failed", message });
    else report(message);
    return isWrongUsage(thrown) ? 2 : 1;
  }
}

interface ConsoleParts extends Pick<ServeRequest, "transport" | "sources"> {
  readonly gateway: ShownGateway;
  readonly commands: readonly Command[];
}

interface OpenedConsole {
  readonly site: ReturnType<typeof consoleSite>;
  /** Lets `indus console` find it. */
  announce(url: string): void;
}

/** The console next to the endpoint. Undefined over stdio, with `--no-console`, and without a state folder, where its links are. */
async function openConsole(
  run: Run,
  { transport, sources, gateway, commands }: ConsoleParts,
): Promise<OpenedConsole | undefined> {
  if (transport.kind !== "http" || transport.console === false) return undefined;
  const state = await run.state.folder().catch(() => undefined); // The servers' catalogue reports it.
  if (!state) return undefined;
  let id = "";
  const { signal, report } = run;
  return {
    site: consoleSite(async () => {
      const [{ consoleSource }, tokens] = await Promise.all([
        import("./console-source.ts"),
        workspaceTokens(run),
      ]);
      const source = consoleSource(run, { gateway, sources, commands });
      return { sources: { list: () => [source] }, state: state.path, id, tokens, report, signal };
    }),
    announce: (url) => {
      try {
        const announced = announceConsole(state.path, new URL("/", url).href);
        id = announced.id;
        run.defer(announced.withdraw);
      } catch (thrown) {
        report(`indus console does not find this gateway: ${describeError(thrown)}`);
      }
    },
  };
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** A malformed `--allow` or `--deny` rule, or a public address without a token. */
function isWrongUsage(thrown: unknown): boolean {
  return (
    thrown instanceof Error &&
    "kind" in thrown &&
    (thrown.kind === "bad_rule" || thrown.kind === "needs_token")
  );
}

type Configuration = Parameters<Gateway["apply"]>[0];

/** What is served, and how to follow changes. */
interface Served {
  readonly now: Configuration & Pick<GatewayOptions, "protect" | "workers">;
  follow(apply: (configuration: Configuration) => void): void;
}

/** Without sources a demonstration serves only its own servers: it should not start the user's. */
async function servedServers(run: Run, { demo, sources }: ServeRequest): Promise<Served | undefined> {
  const extra = demo ? demoServers() : [];
  if (demo && sources.mcp.length + sources.run.length === 0)
    return { now: { servers: extra }, follow: () => {} };
  const watched = await watchServers(run, sources);
  if (!watched) return undefined;
  const configuration = ({ configs, profiles, rowProblems }: FoundServers): Configuration => ({
    servers: [...extra, ...configs],
    profiles,
    rowProblems,
  });
  return {
    now: { ...configuration(watched.found), protect: watched.found.files },
    follow: (apply) => watched.follow((found) => apply(configuration(found))),
  };
}

/** Logs why it exits: a silent exit looks like a crash. Returns the exit code. */
function reportEnd({ signal, report }: Run): number {
  const why = signal.aborted ? describeError(signal.reason) : "the client closed standard input";
  report(`ending: ${why}`);
  return 0;
}

/** The variable for a token in a client's setup, unless `--token-env` names one. */
const TOKEN_VARIABLE = "INDUS_TOKEN";

function givenToken({ transport }: Pick<ServeRequest, "transport">): string | undefined {
  return transport.kind === "http" ? transport.tokenEnv : undefined;
}

function clientSetup(
  { terminal, cwd }: Run,
  { transport, ...served }: ServeRequest,
  { url, needsToken }: { readonly url: string; readonly needsToken: boolean },
): string {
  return showClientSetup({
    url,
    launch: stdioGatewayLaunch({ ...served, cwd }),
    tokenEnv: needsToken ? (givenToken({ transport }) ?? TOKEN_VARIABLE) : undefined,
    ending:
      terminal.errIsScreen || served.demo
        ? "Press Ctrl-C to stop."
        : `To stop it, end process ${process.pid}.`,
  });
}

/** Servers that take longer to start get their own line after the table. */
const TABLE_MS = 5_000;

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}
