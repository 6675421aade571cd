import { describeError } from "indusagi/core";
import {
  demoServers,
  type FoundServers,
  firstOf,
  type Gateway,
  type Run,
  stdioLaunch,
} from "../boot/internal.ts";
import type { ServeRequest } from "../launch/internal.ts";
import { showClientSetup, showToolCost } from "../screen/index.ts";
import { startServerLog } from "./serve-log.ts";

/** `indus serve`: offers native tools and the tools of all servers to MCP clients, until it is stopped. */
export async function serve(run: Run, request: ServeRequest): Promise<number> {
  const { terminal, signal, report } = run;
  const { transport, waitMs, profile, listing, policy, sources, lazy, previewOver } = request;
  let showLog = (): void => {};
  try {
    const served = await servedServers(run, request);
    if (!served) return 1;
    const { servers, token, needsToken, ...gateway } = await run.openGateway({
      ...served.now,
      lazy,
      transport,
      profile,
      listing,
      policy,
      selection: sources,
      ...(waitMs === undefined ? {} : { waitMs }),
      ...(previewOver === undefined ? {} : { previewOver }),
    });
    if (signal.aborted) return reportEnd(run);
    served.follow((configuration) => void gateway.apply(configuration));
    showLog = once(() => startServerLog(run, servers));
    const shown = firstOf([servers.settled], { signal, waitMs: TABLE_MS }).then(() => {
      if (!signal.aborted) showLog();
    });
    const showReady = (setup: string): void =>
      void shown.then(() => {
        if (signal.aborted) return;
        const cost = gateway.toolCost();
        if (cost.tools > 0) report(showToolCost(cost));
        terminal.err(setup);
      });
    if (transport.kind === "stdio") showReady("");
    await gateway.serve((url) => {
      terminal.out(`${url}\n`);
      if (token !== undefined) report(`clients need this token: ${TOKEN_VARIABLE}=${token}`);
      else if (needsToken && givenToken(request) === undefined)
        report("clients need a token; indus token list shows who has one");
      if (terminal.log) terminal.log({ level: "info", event: "listening", url });
      showReady(terminal.log ? "" : clientSetup(run, request, { url, needsToken }));
    });
    return reportEnd(run);
  } catch (thrown) {
    showLog();
    const message = describeError(thrown);
    if (terminal.log) terminal.log({ level: "error", event: "failed", message });
    else report(message);
    return isWrongUsage(thrown) ? 2 : 1;
  }
}

/** A rule of `--allow` or `--deny` that cannot be read, or an address for other machines without a token. */
function isWrongUsage(thrown: unknown): boolean {
  return (
    thrown instanceof Error &&
    "kind" in thrown &&
    (thrown.kind === "bad_rule" || thrown.kind === "needs_token")
  );
}

type Configuration = Parameters<Gateway["apply"]>[0];

/** What is served, and how to learn about changes. */
interface Served {
  readonly now: Configuration & { readonly protect?: readonly string[] };
  follow(apply: (configuration: Configuration) => void): void;
}

/** Without sources a demonstration serves its own servers only: it should not start those of the user. */
async function servedServers(run: Run, { demo, sources }: ServeRequest): Promise<Served | undefined> {
  const extra = demo ? demoServers() : [];
  if (demo && sources.mcp.length + sources.run.length === 0)
    return { now: { servers: extra }, follow: () => {} };
  const watched = await run.watchServers(sources);
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

/** A server that ends without a word is hard to tell from one that crashed. Returns the exit code. */
function reportEnd({ signal, report }: Run): number {
  const why = signal.aborted ? describeError(signal.reason) : "the client closed standard input";
  report(`ending: ${why}`);
  return 0;
}

/** The variable in which a client keeps a token that is not in one of ours. */
const TOKEN_VARIABLE = "INDUS_TOKEN";

/** The variable that holds the token, if one is named. */
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
    launch: stdioLaunch({ ...served, cwd }),
    tokenEnv: needsToken ? (givenToken({ transport }) ?? TOKEN_VARIABLE) : undefined,
    ending:
      terminal.errIsScreen || served.demo
        ? "Press Ctrl-C to stop."
        : `To stop it, end process ${process.pid}.`,
  });
}

/** Servers that take longer to start have their line in the log later, beside the table. */
const TABLE_MS = 5_000;

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}
