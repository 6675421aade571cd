import { existsSync, unlinkSync } from "node:fs";
import { readConfigText } from "indusagi/config";
import { describeError } from "indusagi/core";
import { httpGatewayLaunch, type Run } from "../../boot/internal.ts";
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
  readonly port: number;
  readonly sources: ServerSources;
  /** Write the file without calling the service manager. */
  readonly onlyWrite: boolean;
}

interface UninstallServiceRequest {
  readonly onlyWrite: boolean;
}

const SERVICE_PORT = 7717;

const PORT: Flag = {
  name: "--port",
  aliases: [],
  kind: "number",
  value: "N",
  describe: `The port to listen on. Default: ${SERVICE_PORT}.`,
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
  summary: "Run indus serve --port in the background, starting at login (systemd or launchd).",
  flags: [PORT, ONLY_WRITE, MCP, CWD],
  examples: ["indus service install", "indus service install --port 8080 --mcp servers.json"],
  read: (flags) => ({
    port: flags.number("--port") ?? SERVICE_PORT,
    sources: readSources(flags),
    onlyWrite: flags.has("--no-start"),
  }),
};

export const SERVICE_UNINSTALL: CommandSpec<UninstallServiceRequest> = {
  name: "service uninstall",
  group: "team",
  summary: "Stop the service and remove its file.",
  flags: [ONLY_WRITE],
  examples: ["indus service uninstall"],
  read: (flags) => ({ onlyWrite: flags.has("--no-start") }),
};

/** `indus service install`: writes a user service that runs `indus serve --port`, and starts it. */
export async function installService(run: Run, request: InstallServiceRequest): Promise<number> {
  const { port, sources, onlyWrite } = request;
  const launch = httpGatewayLaunch({ sources, cwd: run.cwd, port });
  const words = [launch.command, ...launch.args];
  try {
    const edits = await openEdits(run);
    const file = planFor(run, edits.world.home, words);
    if (!file) return 1;
    if (!isOurs(file.path)) {
      run.report(`${file.path} was not written by indus; move it away first`);
      return 1;
    }
    const edit = await edits.editFile(file.path, () => file.text);
    printEdit(run, "wrote", edit);
    run.terminal.out(`serving at http://127.0.0.1:${port}/mcp\n`);
    if (!onlyWrite) for (const command of file.reset) await problemOf(run, command);
    return await runCommands(run, file.start, onlyWrite);
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
