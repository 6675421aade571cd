import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import {
  answerOf,
  beatingServer,
  type CasePlace,
  configFile,
  fetchByNode,
  indus,
  indusScript,
  listedServer,
  mustBe,
  mustBeat,
  mustEqual,
  mustHaveEnded,
  startIndus,
  until,
  type WindowsCase,
} from "../case.ts";

const underWine = (): string | undefined =>
  process.env["INDUS_TEST_WINE"] === undefined
    ? "it would change what opens pages on this machine"
    : undefined;

/** The background gateway and its named pipe, code mode, the console, the service, and a cluster. */
export const gatewayCases: readonly WindowsCase[] = [
  {
    id: "background-shared",
    title:
      "`indus up`: two clients share a server through a named pipe; after `indus down` a client goes on with its own",
    run: async (at) => {
      const marker = at.path("marker");
      const file = configFile(at, { desk: beatingServer(at, marker) });
      mkdirSync(at.path("start"));
      await answerOf(indus({ ...at, folder: at.path("start") }, "up"));
      try {
        // It keeps no folder busy.
        renameSync(at.path("start"), at.path("moved"));
        const clients = [await stdioClient(at, "--mcp", file), await stdioClient(at, "--mcp", file)] as const;
        for (const { call } of clients) mustEqual(await call("desk__add"), "called add", "the call");
        const { clients: attached, instances } = await gatewayStatus(at);
        mustEqual([attached.length, instances.length], [2, 1], "clients and servers");
        mustEqual(instances[0]?.users.length, 2, "users of the server");
        await clients[0].close();
        await answerOf(indus(at, "down"));
        await until(() => Date.now() - statSync(marker).mtimeMs > 1_000, "the shared server has ended");
        mustEqual(await clients[1].call("desk__add"), "called add", "the call after it");
        await clients[1].close();
        await mustHaveEnded(marker);
        const { code, out } = await indus(at, "status");
        mustBe(code === 1 && out.includes("no background gateway"), out);
      } finally {
        await indus(at, "down");
      }
    },
  },
  {
    id: "background-killed",
    title: "the servers of a killed background gateway end; `indus up` starts the next one in its place",
    run: async (at) => {
      const marker = at.path("marker");
      const file = configFile(at, { desk: beatingServer(at, marker, "stubborn") });
      await answerOf(indus(at, "up"));
      try {
        const client = await stdioClient(at, "--mcp", file);
        mustEqual(await client.call("desk__add"), "called add", "the call");
        await mustBeat(marker);
        const { pid, clients } = await gatewayStatus(at);
        mustEqual(clients.length, 1, "clients");
        process.kill(pid, "SIGKILL");
        await mustHaveEnded(marker);
        await client.close();
        const { err } = await indus(at, "status");
        mustBe(err.includes("does not answer"), err);
        await answerOf(indus(at, "up"));
        mustBe((await gatewayStatus(at)).pid !== pid, "the same process");
      } finally {
        await indus(at, "down");
      }
    },
  },
  {
    id: "code-mode",
    title:
      "`indus serve --tools code`: a program calls a tool in a process of its own; a cancelled one is ended",
    run: async (at) => {
      const client = await stdioClient(
        at,
        "--tools",
        "code",
        "--mcp",
        configFile(at, { desk: listedServer(at) }),
      );
      const run = (code: string, signal?: AbortSignal): Promise<string> =>
        client.call("run_code", { code }, signal);
      const once = 'return (await desk.add({})) + " é";';
      const first = await run(once);
      mustBe(first.includes("called add é"), first);
      const cancelled = await run("for (;;) {}", AbortSignal.timeout(2_000)).catch(String);
      mustBe(/abort/i.test(cancelled), cancelled);
      const next = await run(once);
      mustBe(next.includes("called add é"), next);
      await client.close();
    },
  },
  {
    id: "console-link",
    title: "`indus console --print` opens the console once: its page, a session, and no second one",
    run: async (at) => {
      const gateway = startIndus(
        at,
        "serve",
        "--port",
        "0",
        "--mcp",
        configFile(at, { desk: listedServer(at) }),
      );
      try {
        await gateway.printed(/http:\/\/\S+\/mcp/);
        const link = (await answerOf(indus(at, "console", "--print"))).trim();
        const page = await fetchByNode(new URL("/", link));
        mustBe(page.status === 200 && (await page.text()).includes("<title>"), `the page: ${page.status}`);
        mustEqual(await openSession(link), 200, "the session");
        mustBe((await openSession(link)) >= 400, "the link worked twice");
      } finally {
        await gateway.kill();
      }
    },
  },
  {
    id: "console-opens",
    title: "`indus console` opens its page with the program for pages, and removes it when the link was used",
    absent: underWine,
    run: async (at) => {
      const opened = at.path("opened");
      openPagesWith(at, opened);
      const gateway = startIndus(at, "serve", "--port", "0");
      try {
        await gateway.printed(/http:\/\/\S+\/mcp/);
        const console = indus(at, "console");
        await until(() => existsSync(opened), "the page is opened");
        await sleep(200);
        const [page = "", ...rest] = JSON.parse(readFileSync(opened, "utf8")) as string[];
        mustEqual(rest, [], "more arguments");
        const [, link = ""] = /href="(http:[^"]+)"/.exec(readFileSync(page, "utf8")) ?? [];
        mustEqual(await openSession(link), 200, "the session");
        await answerOf(console);
        mustBe(!existsSync(page), "the page is still there");
      } finally {
        await gateway.kill();
      }
    },
  },
  {
    id: "service-file",
    title:
      "`indus service install --no-start` writes a task that the task scheduler accepts, and `uninstall` removes it",
    run: async (at) => {
      const out = await answerOf(indus(at, "service", "install", "--no-start"));
      const file = at.path("profile", "AppData", "Local", "indusvx", "task.xml");
      mustBe(out.includes(file) && out.includes("schtasks"), out);
      const text = readFileSync(file, "utf8");
      mustBe(text.includes("indus.js") && !/[^\n -~]/.test(text), text);
      const task = `indus-test-${process.pid}`;
      const { status, stdout, stderr } = spawnSync("schtasks", ["/Create", "/F", "/TN", task, "/XML", file], {
        encoding: "utf8",
      });
      spawnSync("schtasks", ["/Delete", "/F", "/TN", task]);
      mustEqual(status, 0, `${stdout}${stderr}`);
      await answerOf(indus(at, "service", "uninstall", "--no-start"));
      mustBe(!existsSync(file), "the file is still there");
    },
  },
  {
    id: "tokens",
    title: "`indus serve` lets in a client with a token of `indus token add`, and no other",
    run: async (at) => {
      const token = (await answerOf(indus(at, "token", "add", "alice"))).match(/\b[\w-]{30,}\b/)?.[0] ?? "";
      const gateway = startIndus(at, "serve", "--port", "0", "--require-token");
      try {
        const url = await gateway.printed(/http:\/\/\S+\/mcp/);
        const ask = async (with_: string): Promise<number> => {
          const answer = await fetchByNode(url, {
            method: "POST",
            headers: {
              authorization: `Bearer ${with_}`,
              "content-type": "application/json",
              accept: "application/json, text/event-stream",
            },
            body: JSON.stringify({
              jsonrpc: "2.0",
              id: 1,
              method: "initialize",
              params: {
                protocolVersion: "2025-06-18",
                capabilities: {},
                clientInfo: { name: "c", version: "1" },
              },
            }),
          });
          await answer.text();
          return answer.status;
        };
        mustEqual([await ask(token), await ask(`${token}x`)], [200, 401], "statuses");
      } finally {
        await gateway.kill();
      }
    },
  },
  {
    id: "cluster",
    title:
      "a gateway and a worker of a cluster: a call through `nats-server`, which runs on this machine; a killed worker's server ends",
    absent: () =>
      process.env["INDUS_TEST_NATS"] === undefined
        ? "there is no `nats-server` 2.12 or newer here"
        : undefined,
    run: async (at) => {
      const marker = at.path("marker");
      const cluster = ["--cluster", process.env["INDUS_TEST_NATS"] ?? ""];
      const file = configFile(at, { desk: beatingServer(at, marker, "stubborn") });
      await answerOf(indus(at, "cluster", "init", ...cluster));
      await answerOf(indus(at, "cluster", "apply", file, ...cluster));
      const worker = startIndus(at, "worker", ...cluster);
      const gateway = startIndus(at, "serve", "--port", "0", ...cluster);
      try {
        const url = await gateway.printed(/http:\/\/\S+\/mcp/);
        await mustBeat(marker);
        const check = await answerOf(indus(at, "cluster", "check", ...cluster));
        mustBe(/gateways: 1[^]*workers: 1/.test(check), check);
        const client = new Client({ name: "client", version: "1.0.0" });
        await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch: fetchByNode }));
        const called = await client.callTool({ name: "desk__add", arguments: {} });
        mustEqual(called.content, [{ type: "text", text: "called add" }], "the call");
        await client.close();
      } finally {
        await Promise.all([worker.kill(), gateway.kill()]);
      }
      await mustHaveEnded(marker);
    },
  },
];

interface StdioClient {
  /** The text of the tool's answer. */
  readonly call: (name: string, input?: Record<string, unknown>, signal?: AbortSignal) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** The official client of `indus serve --stdio` with these words. What we start ourselves uses no background gateway. */
async function stdioClient(at: CasePlace, ...words: readonly string[]): Promise<StdioClient> {
  const client = new Client({ name: "client", version: "1.0.0" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [indusScript(at.root), "serve", "--stdio", "--wait", "60", ...words],
      cwd: at.folder,
      env: at.env,
      stderr: "ignore",
    }),
  );
  return {
    call: async (name, input = {}, signal) => {
      const { content } = await client.callTool({ name, arguments: input }, { ...(signal && { signal }) });
      return content.map((block) => (block.type === "text" ? block.text : block.type)).join();
    },
    close: () => client.close(),
  };
}

interface GatewayStatus {
  readonly pid: number;
  readonly clients: readonly unknown[];
  readonly instances: readonly { readonly users: readonly string[] }[];
}

async function gatewayStatus(at: CasePlace): Promise<GatewayStatus> {
  const { gateways } = JSON.parse(await answerOf(indus(at, "status", "--json"))) as {
    gateways: GatewayStatus[];
  };
  const [gateway] = gateways;
  mustBe(gateway !== undefined, "there is no gateway");
  return gateway;
}

/** Uses the link of a console as its page does, and returns the status of the answer. */
async function openSession(link: string): Promise<number> {
  const { origin, hash } = new URL(link);
  const answer = await fetchByNode(`${origin}/console/session`, {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify({ code: hash.replace("#link=", "") }),
  });
  await answer.text();
  return answer.status;
}

/** Makes a program of ours the one for pages, in the prefix of Wine. It writes its arguments into a file. */
function openPagesWith(at: CasePlace, file: string): void {
  const script = at.file(
    "browser.cjs",
    `require("node:fs").writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.argv.slice(2)));\n`,
  );
  const command = `"${process.execPath}" "${script}" "%1"`.replaceAll(/[\\"]/g, (char) => `\\${char}`);
  const registry = at.file(
    "browser.reg",
    `\uFEFFWindows Registry Editor Version 5.00\r\n\r\n[HKEY_CLASSES_ROOT\\.html]\r\n@="industest"\r\n\r\n[HKEY_CLASSES_ROOT\\industest\\shell\\open\\command]\r\n@="${command}"\r\n`,
    "utf16le",
  );
  const { status } = spawnSync("regedit", ["/S", registry]);
  mustEqual(status, 0, "regedit");
}
