import { existsSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { mountProtocolBridge } from "indusagi/interop";
import {
  answerOf,
  beatingServer,
  configFile,
  fetchByNode,
  heartbeatProgram,
  indus,
  indusScript,
  listedServer,
  mustBe,
  mustBeat,
  mustEqual,
  mustHaveEnded,
  startIndus,
  type WindowsCase,
} from "../case.ts";

/** The command as people use it, the gateway, and the end of what was started. */
export const journeyCases: readonly WindowsCase[] = [
  {
    id: "command",
    title: "`indus --version`, `indus tools`, `indus call read` and `indus mcp doctor`",
    run: async (at) => {
      mustBe(/^\d+\.\d+\.\d+\s*$/.test(await answerOf(indus(at, "--version"))), "the version");
      mustBe((await answerOf(indus(at, "tools"))).includes("webfetch"), "the tools");
      at.file("é.txt", "text\r\n");
      mustBe((await answerOf(indus(at, "call", "read", "path=é.txt"))).includes("text"), "the file");
      const file = configFile(at, { desk: listedServer(at) });
      mustBe((await answerOf(indus(at, "mcp", "doctor", "--mcp", file))).includes("desk"), "the doctor");
    },
  },
  {
    id: "everything",
    title: "server-everything as a child: its tools, a call, its prompts and its resources",
    run: async (at) => {
      const script = join(at.root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
      const file = configFile(at, { every: { command: process.execPath, args: [script, "stdio"] } });
      const call = ["mcp", "call", "every__get-sum", "a:=2", "b:=40", "--mcp", file];
      mustBe((await answerOf(indus(at, ...call))).includes("42"), "the sum");
      mustBe((await answerOf(indus(at, "mcp", "prompts", "--mcp", file))).includes("every"), "the prompts");
      mustBe(
        (await answerOf(indus(at, "mcp", "resources", "--mcp", file))).includes("every"),
        "the resources",
      );
    },
  },
  {
    id: "serve-http",
    title:
      "`indus serve` on HTTP with a server behind it; the official client lists and calls; a kill ends all of it",
    run: async (at) => {
      const marker = at.path("marker");
      const file = configFile(at, { desk: beatingServer(at, marker) });
      const gateway = startIndus(at, "serve", "--port", "0", "--wait", "60", "--mcp", file);
      try {
        const url = await gateway.printed(/http:\/\/\S+\/mcp/);
        const client = new Client({ name: "client", version: "1.0.0" });
        await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch: fetchByNode }));
        const names = (await client.listTools()).tools.map(({ name }) => name);
        mustBe(names.includes("desk__add") && names.includes("read"), names.join());
        const called = await client.callTool({ name: "desk__add", arguments: {} });
        mustEqual(called.content, [{ type: "text", text: "called add" }], "the call");
        await client.close();
        await mustBeat(marker);
      } finally {
        await gateway.kill();
      }
      await mustHaveEnded(marker);
    },
  },
  {
    id: "client-http",
    title: "our client over HTTP: `indus serve` as a server of another one",
    run: async (at) => {
      const gateway = startIndus(at, "serve", "--port", "0");
      try {
        const url = await gateway.printed(/http:\/\/\S+\/mcp/);
        const file = configFile(at, { gateway: { url } });
        const listed = await answerOf(indus(at, "mcp", "list", "--mcp", file));
        mustBe(/\bgateway\b.*\bready\b/.test(listed), listed);
      } finally {
        await gateway.kill();
      }
    },
    bare: {
      source: `
const server = require("node:http").createServer((_, answer) => answer.end("ok"));
server.listen(0, "127.0.0.1", () =>
  fetch("http://127.0.0.1:" + server.address().port).then(() => process.exit(0), () => process.exit(1)));
`,
      cause: "Node's own `fetch` cannot connect to localhost: the keep-alive of a socket cannot be set",
    },
  },
  {
    id: "serve-stdio",
    title: "`indus serve --stdio` as a server of another one ends with its client",
    run: async (at) => {
      const marker = at.path("marker");
      const file = configFile(at, { desk: beatingServer(at, marker) });
      const { box, fleet } = await mountProtocolBridge({
        servers: [
          {
            id: "indus",
            kind: "stdio",
            command: process.execPath,
            args: [indusScript(at.root), "serve", "--stdio", "--wait", "60", "--mcp", file],
            env: at.env,
          },
        ],
      });
      const outcome = await box.runner.run({ id: "1", name: "indus__desk__add", input: {} });
      mustEqual(outcome.output, "called add", "the call");
      await mustBeat(marker);
      await fleet.tearDown();
      await mustHaveEnded(marker);
    },
  },
  {
    id: "end-polite",
    title: "a server has ended when the command that started it exits",
    run: async (at) => {
      const marker = at.path("marker");
      await answerOf(
        indus(at, "mcp", "call", "desk__add", "--mcp", configFile(at, { desk: beatingServer(at, marker) })),
      );
      await mustHaveEnded(marker);
    },
  },
  {
    id: "end-stubborn",
    title: "so has one that does not end when its input does",
    run: async (at) => {
      const marker = at.path("marker");
      const row = beatingServer(at, marker, "stubborn");
      await answerOf(indus(at, "mcp", "call", "desk__add", "--mcp", configFile(at, { desk: row })));
      await mustHaveEnded(marker);
    },
  },
  {
    id: "end-killed",
    title: "a stubborn server ends when the command that started it is killed",
    run: async (at) => {
      const marker = at.path("marker");
      const file = configFile(at, { desk: beatingServer(at, marker, "stubborn") });
      const watching = startIndus(at, "mcp", "watch", "--mcp", file);
      await mustBeat(marker);
      await watching.kill();
      await mustHaveEnded(marker);
    },
  },
  {
    id: "end-abort",
    title: "a command of `bash` ends when its time is up",
    run: async (at) => {
      const marker = at.path("marker");
      const command = `"${process.execPath}" "${heartbeatProgram(at)}" "${marker}"`;
      const { out, err } = await indus(at, "call", "bash", `command=${command}`, "timeoutMs:=3000");
      mustBe(existsSync(marker), `it never ran: ${out}${err}`);
      await mustHaveEnded(marker);
    },
    bare: {
      source: `
const { spawn, spawnSync } = require("node:child_process");
const shell = spawn(process.env.ComSpec, ["/d", "/c", "ping -n 60 127.0.0.1 >NUL"], { stdio: "ignore" });
const { status } = spawnSync("taskkill", ["/PID", String(shell.pid), "/T", "/F"]);
shell.kill();
process.exit(status === 0 ? 0 : 1);
`,
      cause: "its `taskkill` has no `/T`, so the program that `cmd.exe` started is not found",
    },
  },
  {
    id: "end-batch",
    title: "a stubborn server behind a `.cmd` file has ended when the command that started it exits",
    run: async (at) => {
      const marker = at.path("marker");
      const { command } = beatingServer(at, marker, "stubborn");
      const batch = at.file("desk.cmd", `@"${command}" "%~dp0beating.mjs" "%~dp0offered.json" stubborn\r\n`);
      await answerOf(
        indus(at, "mcp", "call", "desk__add", "--mcp", configFile(at, { desk: { command: batch } })),
      );
      await mustHaveEnded(marker);
    },
    bare: {
      source: `
const { spawn, spawnSync } = require("node:child_process");
const shell = spawn(process.env.ComSpec, ["/d", "/c", "ping -n 60 127.0.0.1 >NUL"], { stdio: "ignore" });
const { status } = spawnSync("taskkill", ["/PID", String(shell.pid), "/T", "/F"]);
shell.kill();
process.exit(status === 0 ? 0 : 1);
`,
      cause: "its `taskkill` has no `/T`, so the program that `cmd.exe` started is not found",
    },
  },
];
