import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { SpawnError, safeEnvironment, startTree } from "indusagi/core";
import {
  answerOf,
  type CasePlace,
  configFile,
  indus,
  listedServer,
  mustBe,
  mustEqual,
  type WindowsCase,
} from "../case.ts";

/** How servers are started: programs, batch files, `PATHEXT`, and what arrives of their arguments. */
export const startCases: readonly WindowsCase[] = [
  {
    id: "start-program",
    title: "a server that is `node.exe` with a script, listed and called",
    run: async (at) => mustServe(at, listedServer(at)),
  },
  {
    id: "start-batch",
    title: "a server in a `.bat` file, in a folder with blanks and characters outside ASCII",
    run: async (at) => mustServe(at, { command: batchServer(at, "my server ü.bat"), args: [] }),
  },
  {
    id: "start-pathext",
    title: "a server named without its ending, found by `PATHEXT` in a folder of `PATH`",
    run: async (at) => {
      const folder = dirname(batchServer(at, join("tools folder", "desk-server.cmd")));
      const row = { command: "desk-server", env: { PATH: `${folder};${at.env["PATH"]}` } };
      await mustServe(at, row);
    },
  },
  {
    id: "start-npx",
    title: "a server started by the `npx.cmd` of npm from an installed package",
    run: async (at) => {
      const node = await nodeFolder(at);
      const env = { ...at.env, PATH: `${node};${at.env["PATH"]}` };
      installedPackage(at);
      const row = {
        command: "npx",
        args: ["--no-install", "desk-server"],
        env: { PATH: env.PATH },
        cwd: at.folder,
      };
      await mustServe(at, row);
    },
    bare: {
      source: `
const { spawnSync } = require("node:child_process");
const { writeFileSync } = require("node:fs");
// The lines of every file that npm makes for the programs of a package.
writeFileSync("shim.cmd", ["@ECHO off", "GOTO start", ":find_dp0", "SET dp0=%~dp0", "EXIT /b", ":start", "SETLOCAL",
  "CALL :find_dp0", 'SET "_prog=' + process.execPath + '"', "SET PATHEXT=%PATHEXT:;.JS;=;%", "",
  'endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%" -p 42 %*'].join("\\r\\n") + "\\r\\n");
const { stdout } = spawnSync(process.env.ComSpec, ["/d", "/c", "shim.cmd"], { encoding: "utf8" });
process.exit(stdout.trim() === "42" ? 0 : 1);
`,
      cause: "its `cmd.exe` does not run the program after `goto #_undefined_# 2>NUL ||` in npm's files",
    },
  },
  {
    id: "start-missing",
    title: "a command that does not exist fails at once, and the message says so",
    run: async (at) => {
      const failure = await started("no-such-command", [], at).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      mustBe(failure instanceof SpawnError && failure.code === "ENOENT", `${String(failure)} is not ENOENT`);
      const file = configFile(at, { gone: { command: "no-such-command" } });
      const { out } = await indus(at, "mcp", "list", "--mcp", file);
      mustBe(out.includes("there is no such command"), out);
    },
  },
  {
    id: "start-planted",
    title: "an `npx.cmd` in the project is not started in place of the one in `PATH`",
    run: async (at) => {
      at.file("project/npx.cmd", "@echo planted\r\n");
      at.file("tools/npx.cmd", "@echo ours\r\n");
      const env = { ...at.env, PATH: `${at.path("tools")};${at.env["PATH"]}` };
      mustEqual((await started("npx", [], { ...at, env }, at.path("project"))).trim(), "ours", "started");
    },
  },
  {
    id: "start-planted-inside",
    title: "nor is a program in the project that a batch file names without its folder",
    run: async (at) => {
      at.file("project/tool.cmd", "@echo planted\r\n");
      at.file("tools/tool.cmd", "@echo ours\r\n");
      at.file("tools/desk.cmd", "@tool\r\n");
      const env = { ...at.env, PATH: `${at.path("tools")};${at.env["PATH"]}` };
      mustEqual((await started("desk", [], { ...at, env }, at.path("project"))).trim(), "ours", "started");
    },
    bare: {
      source: `
const { spawnSync } = require("node:child_process");
const { mkdirSync, writeFileSync } = require("node:fs");
mkdirSync("here", { recursive: true });
mkdirSync("there", { recursive: true });
writeFileSync("here/tool.cmd", "@echo here\\r\\n");
writeFileSync("there/tool.cmd", "@echo there\\r\\n");
const env = { ...process.env, NoDefaultCurrentDirectoryInExePath: "1", PATH: process.cwd() + "\\\\there;" + process.env.PATH };
const { stdout } = spawnSync(process.env.ComSpec, ["/d", "/c", "tool"], { cwd: "here", env, encoding: "utf8" });
process.exit(stdout.trim() === "there" ? 0 : 1);
`,
      cause: "its `cmd.exe` ignores `NoDefaultCurrentDirectoryInExePath`",
    },
  },
  {
    id: "arguments-program",
    title: "hostile arguments reach a program as they are, and as with cross-spawn",
    run: async (at) => {
      const script = argumentPrinter(at);
      for (const args of HOSTILE) {
        const ours = await started(process.execPath, [script, ...args], at);
        mustEqual(JSON.parse(ours), args, "arguments");
        mustEqual(await crossSpawned(process.execPath, [script, ...args]), ours, "with cross-spawn");
      }
    },
  },
  {
    id: "arguments-batch",
    title:
      "hostile arguments reach a program through a `.cmd` file as they are and start no other command (CVE-2024-27980)",
    run: async (at) => {
      const file = forwarder(at);
      for (const args of HOSTILE.filter((list) => !list.some((arg) => /[%\r\n]/.test(arg))))
        mustEqual(JSON.parse(await started(file, args, at)), args, "arguments");
      for (const arg of INJECTIONS.map((text) => text.replace("MARKER", at.path("marker")))) {
        await started(file, [arg], at);
        mustBe(!existsSync(at.path("marker")), `${JSON.stringify(arg)} started a command`);
      }
    },
  },
  {
    id: "arguments-percent",
    title: "`%PATH%` in an argument of a `.cmd` file stays as it is",
    run: async (at) => {
      for (const arg of ["%PATH%", "100%", "%", "%%", "a%b%c"])
        mustEqual(JSON.parse(await started(forwarder(at), [arg], at)), [arg], "arguments");
    },
    bare: {
      source: `
const { spawnSync } = require("node:child_process");
const { writeFileSync } = require("node:fs");
writeFileSync("show.cmd", "@echo %*\\r\\n");
const shown = (line) =>
  spawnSync(process.env.ComSpec, ["/d", "/e:on", "/s", "/c", '"' + line + '"'], {
    encoding: "utf8", windowsVerbatimArguments: true }).stdout.trim();
// "%%cd:~,%" is a per cent sign that begins no name.
const text = "%%cd:~,%OS%%cd:~,%";
process.exit(shown("echo " + text) === "%OS%" && shown("show.cmd " + text) === "%OS%" ? 0 : 1);
`,
      cause: "its `cmd.exe` expands variables a second time in the arguments of a batch file",
    },
  },
  {
    id: "arguments-refused",
    title: "a line break, or more than a batch file can receive, is refused before anything starts",
    run: async (at) => {
      for (const [args, words] of [
        [["a\nb"], "line break"],
        [["a\rb"], "line break"],
        [["x".repeat(9_000)], "can receive"],
      ] as const) {
        const failure = await started(forwarder(at), args, at).catch(String);
        mustBe(failure.includes(words), failure);
      }
    },
  },
];

const HOSTILE: readonly (readonly string[])[] = [
  ["a b", "c"],
  ["", "-y", "@scope/name@1.2.3"],
  ["a&b", "a|b", "a<b", "a>b", "a^b", "(a)", "!a!"],
  ['a"b', '"', '""', 'a" b', '\\"', '\\\\"', 'a\\"b c'],
  ["a\\", "a b\\", "\\\\server\\share\\", "C:\\Program Files\\"],
  ['{"url":"http://h/?a=1&b=2","x":"y z"}'],
  ["é", "日本", "*", "?", "~", "'a b'", ",;=", "--flag=a b"],
  ["%PATH%", "a\nb"],
];

const INJECTIONS = [
  "&echo x>MARKER",
  '"&echo x>MARKER',
  '"&echo x>MARKER&"',
  '\\"&echo x>MARKER',
  '""&echo x>MARKER',
  "^&echo x>MARKER",
  "|echo x>MARKER",
  '" | echo x>MARKER',
  "%CMDCMDLINE:~-1%&echo x>MARKER",
];

/** Lists the server and calls its tool with the command. */
async function mustServe(at: CasePlace, row: object): Promise<void> {
  const file = configFile(at, { desk: row });
  const listed = await answerOf(indus(at, "mcp", "list", "--mcp", file));
  mustBe(/\bdesk\b.*\bready\b/.test(listed), listed);
  mustEqual(await answerOf(indus(at, "mcp", "call", "desk__add", "--mcp", file)), "called add\n", "called");
}

/** What a started program printed. */
async function started(
  command: string,
  args: readonly string[],
  at: CasePlace,
  cwd = at.folder,
): Promise<string> {
  let out = "";
  const tree = await startTree(command, args, {
    cwd,
    env: safeEnvironment(at.env),
    onStdout: (bytes) => void (out += Buffer.from(bytes).toString()),
  });
  await tree.gone;
  return out;
}

async function crossSpawned(command: string, args: readonly string[]): Promise<string> {
  const { default: crossSpawn } = await import("cross-spawn");
  return crossSpawn.sync(command, [...args], { encoding: "utf8" }).stdout;
}

function argumentPrinter(at: CasePlace): string {
  return at.file("print arguments.cjs", "console.log(JSON.stringify(process.argv.slice(2)));\n");
}

function forwarder(at: CasePlace): string {
  argumentPrinter(at);
  return at.file("forward é.cmd", `@"${process.execPath}" "%~dp0print arguments.cjs" %*\r\n`);
}

/** The text of a batch file is read in an old code page, so paths in it start at its own folder (`%~dp0`). */
function batchServer(at: CasePlace, name: string): string {
  const { command, args } = listedServer(at);
  const up = name.includes("\\") ? "..\\" : "";
  return at.file(name, `@"${command}" "${args[0]}" "%~dp0${up}offered.json" %*\r\n`);
}

/** A folder as the installer of Node makes it: `node.exe`, `npx.cmd` and npm. */
async function nodeFolder(at: CasePlace): Promise<string> {
  const folder = at.path("nodejs folder");
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  copyFileSync(process.execPath, join(folder, "node.exe"));
  const npm = process.env["INDUS_TEST_NPM"];
  mustBe(npm !== undefined, "no npm");
  cpSync(join(npm, "bin", "npx.cmd"), join(folder, "npx.cmd"));
  cpSync(npm, join(folder, "node_modules", "npm"), { recursive: true });
  return folder;
}

/** A package in `node_modules`, installed by npm. */
function installedPackage(at: CasePlace): void {
  const { args } = listedServer(at);
  at.file("package.json", JSON.stringify({ name: "work", version: "1.0.0", private: true }));
  at.file("desk/package.json", JSON.stringify({ name: "desk-server", version: "1.0.0", bin: "cli.mjs" }));
  const script = `#!/usr/bin/env node\nprocess.argv[2] = ${JSON.stringify(args[1])};\nawait import(${JSON.stringify(`file:///${args[0]?.replaceAll("\\", "/")}`)});\n`;
  writeFileSync(at.path("desk", "cli.mjs"), script);
  const npm = at.path("nodejs folder", "node_modules", "npm", "bin", "npm-cli.js");
  const install = ["install", "--offline", "--no-audit", "--no-fund", "--install-links", "./desk"];
  const { status, stderr } = spawnSync(process.execPath, [npm, ...install], {
    cwd: at.folder,
    env: at.env,
    encoding: "utf8",
  });
  mustBe(status === 0, stderr);
}
