import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, parse } from "node:path";
import { fileURLToPath } from "node:url";
import { describeError, safeEnvironment, showDuration, systemClock, withFileLock } from "indusagi/core";
import { openBackgroundGateway } from "../../background/hub/index.ts";
import { findGateways, hereIs, userPlaces } from "../../background/internal.ts";
import {
  dial,
  type GatewayPlace,
  isInOurTree,
  makePlace,
  placeProblem,
} from "../../background/link/index.ts";
import { productVersion, type Run } from "../../boot/internal.ts";
import { keepMemorySmall } from "../../gateway/open/internal.ts";
import type { CommandSpec } from "../../launch/internal.ts";
import { stateRoot } from "../../state/index.ts";
import type { Command } from "../subcommand.ts";

interface UpRequest {
  /** Be the gateway, instead of starting one. */
  readonly foreground: boolean;
  readonly log?: { readonly format: "text" | "json"; readonly file?: string } | undefined;
}

export const UP: CommandSpec<UpRequest> = {
  name: "up",
  group: "everyday",
  summary:
    "Start your background gateway. While it runs, every indus serve --stdio uses it, so clients in the same folder share their servers. See also indus status and indus down.",
  flags: [
    {
      name: "--foreground",
      aliases: [],
      kind: "boolean",
      describe: "Be the gateway instead of starting one, for a service manager.",
    },
    {
      name: "--log-file",
      aliases: [],
      kind: "string",
      value: "FILE",
      describe: "Where the gateway logs. Default: gateway.log in the state folder.",
    },
  ],
  examples: ["indus up"],
  read: (flags) => {
    const file = flags.value("--log-file");
    return {
      foreground: flags.has("--foreground"),
      log: file === undefined ? undefined : { format: "text", file },
    };
  },
};

const START_MS = 20_000;
const LOOK_MS = 25;
/** Where the gateway runs: the folder of a process cannot be unmounted, nor removed on Windows. */
const NO_FOLDER = parse(process.execPath).root;

/** `indus up`: starts the user's background gateway, unless one runs. */
export async function up(run: Run, request: UpRequest, commands: readonly Command[]): Promise<number> {
  const { report, env } = run;
  // What is in such a tree must not start programs outside of it, and the gateway starts what its clients name.
  if (isInOurTree(env)) {
    report(
      "indus up does not work inside an indus session, whose programs end with it; run it in a terminal of your own",
    );
    return 1;
  }
  try {
    const place = usablePlace(userPlaces(env));
    return request.foreground
      ? await beGateway(run, { place, request, commands })
      : await start(run, place, request);
  } catch (thrown) {
    report(describeError(thrown));
    return 1;
  }
}

/** The first place that can be used. Throws, with the reasons, if there is none. */
function usablePlace(places: readonly GatewayPlace[]): GatewayPlace {
  const problems: string[] = [];
  for (const place of places) {
    const problem = problemOf(place);
    if (problem === undefined) return place;
    problems.push(problem);
  }
  const home = process.platform === "win32" ? "LOCALAPPDATA" : "HOME";
  const why = problems.length === 0 ? `there is no home folder; set ${home}` : problems.join("; ");
  throw new Error(`the background gateway has no folder for its socket: ${why}`);
}

function problemOf(place: GatewayPlace): string | undefined {
  try {
    makePlace(place);
    return placeProblem(place.folder);
  } catch (thrown) {
    return describeError(thrown);
  }
}

async function start(
  { terminal, report, env }: Run,
  place: GatewayPlace,
  { log }: UpRequest,
): Promise<number> {
  return withFileLock(
    { folder: place.folder, name: `${place.name}.start` },
    { waitMs: START_MS },
    async () => {
      const running = (await findGateways(env)).filter(({ report: found }) => found);
      const ours = running.find(({ isOurs, report: found }) => isOurs && found);
      if (ours?.report) {
        terminal.out(`your background gateway runs already (process ${ours.report.pid})\n`);
        return 0;
      }
      const file = log?.file ?? logFile(env, report);
      const pid = await startDetached(place, file);
      for (const { place: old, report: found } of running) {
        await dial(old, { kind: "drain" });
        report(
          `the gateway of version ${found?.version ?? "?"} (process ${found?.pid ?? "?"}) ends with its last client`,
        );
      }
      terminal.out(
        `your background gateway runs (process ${pid}); every indus serve --stdio that starts now uses it\n` +
          `  log: ${file ?? "none"}\n  indus status shows who shares what; indus down ends it\n`,
      );
      return 0;
    },
  );
}

/** Only a convenience: without a state folder it runs without a log. */
function logFile(env: Run["env"], report: Run["report"]): string | undefined {
  const root = stateRoot({ env });
  try {
    if (root === undefined) throw new Error("there is no home folder for state");
    mkdirSync(root, { recursive: true, mode: 0o700 });
    return join(root, "gateway.log");
  } catch (thrown) {
    report(`it writes no log: ${describeError(thrown)}`);
    return undefined;
  }
}

/** Starts the gateway in a session of its own, and waits until it answers. Rejects with what it said if it does not. */
async function startDetached(place: GatewayPlace, file: string | undefined): Promise<number> {
  const words = ["up", "--foreground", ...(file === undefined ? [] : ["--log-file", file])];
  const indus = fileURLToPath(new URL("../../bin/indus.js", import.meta.url));
  const child = spawn(process.execPath, [indus, ...words], {
    cwd: NO_FOLDER,
    detached: true,
    // Without our other variables: the servers of its clients get theirs.
    env: safeEnvironment(),
    stdio: ["ignore", "ignore", "pipe"],
    windowsHide: true,
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const end: { why?: string } = {};
  child.once("error", (thrown) => void (end.why = describeError(thrown)));
  child.once("exit", (code) => void (end.why ??= `it ended with code ${code}`));
  const untilMs = performance.now() + START_MS;
  while (end.why === undefined && performance.now() < untilMs) {
    const { report } = await hereIs(place);
    if (report) {
      child.stderr.destroy();
      child.unref();
      return report.pid;
    }
    await systemClock.sleep(LOOK_MS);
  }
  child.kill();
  const why = said
    .trim()
    .replaceAll(/^indus: /gm, "")
    .split("\n")
    .join("; ");
  throw new Error(
    `the background gateway did not start: ${why || end.why || `no answer within ${showDuration(START_MS)}`}${file === undefined ? "" : `; see ${file}`}`,
  );
}

interface Being {
  readonly place: GatewayPlace;
  readonly request: UpRequest;
  readonly commands: readonly Command[];
}

async function beGateway(run: Run, { place, request, commands }: Being): Promise<number> {
  const { signal, report } = run;
  process.chdir(NO_FOLDER);
  const [{ refusalOf, serveClient }, { UserConsole }] = await Promise.all([
    import("./serve-client.ts"),
    import("./user-console.ts"),
  ]);
  const shown = new UserConsole({ state: place.folder, ...{ commands, report, signal } });
  const gateway = await openBackgroundGateway({
    place,
    version: productVersion(),
    log: request.log?.file,
    ...{ signal, report },
    refusal: (ask, pool) => refusalOf(ask, pool, commands),
    serve: (guest) => serveClient(guest, commands, shown),
    console: () => shown.open(),
  });
  report(`listening at ${place.socket}`);
  // What goes wrong for one client must not end all of them.
  process.on("unhandledRejection", (thrown) => report(`a client's task failed: ${describeError(thrown)}`));
  await keepMemorySmall(signal);
  await gateway.ended;
  await shown.close();
  return 0;
}
