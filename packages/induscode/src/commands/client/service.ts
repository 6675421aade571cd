import { existsSync, unlinkSync } from "node:fs";
import { readConfigText } from "indusagi/config";
import { describeError } from "indusagi/core";
import { findGateways } from "../../background/internal.ts";
import { dial } from "../../background/link/index.ts";
import { backgroundGatewayLaunch, httpGatewayLaunch, type Run } from "../../boot/internal.ts";
import {
  type CommandSpec,
  CWD,
  type Flag,
  MCP,
  readSources,
  type ServerSources,
} from "../../launch/internal.ts";
import { openEdits } from "../../servers/internal.ts";
import { printEdit } from "../mcp/report-edit.ts";
import { SERVICE_MARK, type ServiceFile, serviceFile } from "./service-file.ts";

interface InstallServiceRequest {
  /** Absent: the user's background gateway, for all folders. */
  readonly port?: number | undefined;
  readonly sources: ServerSources;
  /** Write the file without calling the service manager. */
  readonly onlyWrite: boolean;
}

interface UninstallServiceRequest {
  readonly onlyWrite: boolean;
}

const PORT: Flag = {
  name: "--port",
  aliases: [],
  kind: "number",
  value: "N",
  describe: "Serve this folder over HTTP at this port, instead of the background gateway.",
  accepts: {
    describe: "a whole number from 1 to 65535",
    isValid: (text) => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535,
  },
};

const ONLY_WRITE: Flag = {
  name: "--no-start",
  aliases: [],
  kind: "boolean",
  describe: "Only change the file; do not call the service manager.",
};

export const SERVICE_INSTALL: CommandSpec<InstallServiceRequest> = {
  name: "service install",
  group: "team",
  summary:
    "Start your background gateway at every login (systemd, launchd, or a Windows task); see indus up. With --port: serve this folder over HTTP instead.",
  flags: [PORT, ONLY_WRITE, MCP, CWD],
  examples: ["indus service install", "indus service install --port 7717 --mcp servers.json"],
  read: (flags) => {
    const port = flags.number("--port");
    const sources = readSources(flags);
    if (port === undefined && sources.mcp.length > 0)
      return {
        problem: "--mcp needs --port: the background gateway takes the servers of each client's folder",
      };
    return { port, sources, onlyWrite: flags.has("--no-start") };
  },
};

export const SERVICE_UNINSTALL: CommandSpec<UninstallServiceRequest> = {
  name: "service uninstall",
  group: "team",
  summary: "Stop the service and remove its file.",
  flags: [ONLY_WRITE],
  examples: ["indus service uninstall"],
  read: (flags) => ({ onlyWrite: flags.has("--no-start") }),
};

/** `indus service install`: writes a user service that runs `indus up` or `indus serve --port`, and starts it. */
export async function installService(run: Run, request: InstallServiceRequest): Promise<number> {
  const { port, sources, onlyWrite } = request;
  const launch =
    port === undefined ? backgroundGatewayLaunch() : httpGatewayLaunch({ sources, cwd: run.cwd, port });
  const words = [launch.command, ...launch.args];
  try {
    const edits = await openEdits(run);
    const file = planFor(run, edits.world.home, words);
    if (!file) return 1;
    if (!isOurs(file.path)) {
      run.report(`${file.path} was not written by indus; move it away first`);
      return 1;
    }
    const wasFolder = servesFolder(file.path);
    const edit = await edits.editFile(file.path, () => file.text);
    printEdit(run, "wrote", edit);
    if (port === undefined && wasFolder)
      run.report(
        "the service served one folder over HTTP until now; clients that use its URL need indus connect CLIENT, or the old service: indus service install --port 7717",
      );
    run.terminal.out(
      port === undefined
        ? "every indus serve --stdio uses your background gateway; indus status shows it\n"
        : `serving at http://127.0.0.1:${port}/mcp\n`,
    );
    if (port !== undefined)
      run.report(
        "this service serves one folder; for all folders and clients, with one copy of each server, use indus service install without --port",
      );
    if (!onlyWrite) for (const command of file.reset) await problemOf(run, command);
    const running = port === undefined && !onlyWrite ? await findGateways(run.env) : [];
    const code = await runCommands(run, file.start, onlyWrite);
    // The service's gateway has the same socket, so it waits for the end of this one. Clients look for the new one.
    for (const { place, report, isOurs } of code === 0 ? running : [])
      if (report && isOurs) {
        await dial(place, { kind: "down", why: "the service's gateway takes over" });
        run.report(`ended the gateway of indus up (process ${report.pid}): the service's takes over`);
      }
    return code;
  } catch (thrown) {
    run.report(describeError(thrown));
    return 1;
  }
}

/** `indus service uninstall`: stops the service and removes its file. */
export async function uninstallService(run: Run, { onlyWrite }: UninstallServiceRequest): Promise<number> {
  try {
    const edits = await openEdits(run);
    const file = planFor(run, edits.world.home, []);
    if (!file) return 1;
    if (!existsSync(file.path)) {
      run.report(`there is no service: ${file.path} does not exist`);
      return 1;
    }
    if (!isOurs(file.path)) {
      run.report(`${file.path} was not written by indus and is not removed`);
      return 1;
    }
    const stopped = await runCommands(run, file.stop, onlyWrite);
    unlinkSync(file.path);
    run.terminal.out(`removed ${file.path}\n`);
    return (await runCommands(run, file.forget, onlyWrite)) || stopped;
  } catch (thrown) {
    run.report(describeError(thrown));
    return 1;
  }
}

function planFor(run: Run, home: string, words: readonly string[]): ServiceFile | undefined {
  const { platform, getuid } = process;
  const file = serviceFile({ words, home, env: run.env, platform, uid: getuid?.() ?? 0 });
  if (!file)
    run.report(`services on ${platform} are not supported; let the task scheduler run: ${words.join(" ")}`);
  return file;
}

/** Whether the service is one for a single folder, at a port. */
function servesFolder(path: string): boolean {
  const reading = readConfigText(path);
  return "text" in reading && reading.text.includes(SERVICE_MARK) && /\bserve\b/.test(reading.text);
}

/** A file that does not exist yet can become ours. */
function isOurs(path: string): boolean {
  const reading = readConfigText(path);
  return "text" in reading ? reading.text.includes(SERVICE_MARK) : reading.isAbsent === true;
}

const COMMAND_MS = 20_000;

/** Runs the service manager's commands, or prints them. Returns the exit code. */
async function runCommands(
  run: Run,
  commands: readonly (readonly string[])[],
  onlyWrite: boolean,
): Promise<number> {
  for (const command of commands) {
    const line = command.join(" ");
    if (onlyWrite) {
      run.terminal.out(`next: ${line}\n`);
      continue;
    }
    const problem = await problemOf(run, command);
    if (problem !== undefined) {
      run.report(`${line} failed: ${problem.split("\n")[0]}; run it yourself when the service manager works`);
      return 1;
    }
  }
  return 0;
}

/** Runs a command and resolves to what went wrong. */
function problemOf({ signal }: Run, [program = "", ...args]: readonly string[]): Promise<string | undefined> {
  const { execFile } = process.getBuiltinModule("node:child_process");
  return new Promise((resolve) => {
    execFile(program, args, { timeout: COMMAND_MS, signal }, (error, _out, errors) =>
      resolve(error === null ? undefined : errors.trim() || describeError(error)),
    );
  });
}
