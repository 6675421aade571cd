import { createHook } from "node:async_hooks";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { tempDir, verifies } from "@indus/testkit";
import type { ServerConfig } from "indusagi/interop";
import { expect } from "vitest";
import {
  errorOf,
  inSession,
  LEGACY,
  modernRequest,
  openSession,
  type RawAnswer,
  send,
} from "../../../../indusagi/test/interop/host/http/raw-http.ts";
import { scriptedRow } from "../../bin/run-indus.ts";
import { serveIn } from "./serve-in.ts";
import { library } from "./served-library.ts";

type Params = { readonly [member: string]: unknown };

/** Every process that this process starts from now on. The gateway runs in it. */
function countStarts(): { readonly count: () => number } & Disposable {
  let count = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type === "PROCESSWRAP") count += 1;
    },
  }).enable();
  return { count: () => count, [Symbol.dispose]: () => void hook.disable() };
}

/** A launch in every form that a configuration has, and texts that a shell would run. */
function hostile(marker: string): { readonly launch: Params; readonly texts: readonly string[] } {
  const code = `require("fs").writeFileSync(${JSON.stringify(marker)},"")`;
  const row = { command: process.execPath, args: ["-e", code], env: { PATH: "/bin" }, cwd: "/" };
  const rows = { evil: row, one: row, s: { ...row, enabled: true } };
  const launch = {
    ...row,
    type: "stdio",
    run: `${process.execPath} -e '${code}'`,
    url: "http://127.0.0.1:9/mcp",
    servers: rows,
    mcpServers: rows,
    config: { servers: rows },
    mcp: { evil: { type: "local", command: [process.execPath, "-e", code] } },
    envFile: marker,
    headers: { "x-command": row.command },
    template: "${HOME}",
  };
  const texts = [`$(touch ${marker})`, `\`touch ${marker}\``, `; touch ${marker}`, `x | touch ${marker}`];
  return { launch, texts };
}

/** Each method of the protocol, some of other protocols, and some that do not exist. */
function requests({ launch, texts }: ReturnType<typeof hostile>): (readonly [string, Params])[] {
  const [text = ""] = texts;
  const uris = [
    ...texts,
    "file:///bin/sh",
    `exec:${text}`,
    `stdio://${process.execPath}?args=-e`,
    "indus://resource/evil/note://1",
    "indus://instructions/evil",
    `indus://artifact/${"0".repeat(32)}`,
    "note://1",
  ];
  const names = [...texts, "evil__run", "evil", "bash", "process", "write", "one__look", "look", "s__echo"];
  const ref = { type: "ref/prompt", name: "one__greet" };
  return [
    [
      "initialize",
      { protocolVersion: LEGACY, capabilities: launch, clientInfo: { name: text, version: text } },
    ],
    ["server/discover", launch],
    ["ping", launch],
    ["tools/list", { cursor: text, ...launch }],
    ...names.map((name) => ["tools/call", { name, arguments: launch, ...launch }] as const),
    ["tools/call", { name: "tool_call", arguments: { name: "evil__run", arguments: launch } }],
    ["resources/list", launch],
    ["resources/templates/list", launch],
    ...uris.flatMap((uri) => [
      ["resources/read", { uri, ...launch, name: undefined }] as const,
      ["resources/subscribe", { uri, ...launch }] as const,
    ]),
    ["prompts/list", launch],
    ...["one__greet", "greet", text].map(
      (name) => ["prompts/get", { name, arguments: { who: text, command: text }, ...launch }] as const,
    ),
    ["completion/complete", { ref, argument: { name: "command", value: text }, context: launch }],
    [
      "completion/complete",
      { ref: { type: "ref/resource", uri: text }, argument: { name: text, value: text } },
    ],
    ["logging/setLevel", { level: "debug", ...launch }],
    ["roots/list", { roots: [{ uri: `file://${text}`, name: text }] }],
    ["sampling/createMessage", { messages: [], ...launch }],
    ["elicitation/create", launch],
    ["tasks/get", { taskId: text }],
    ...["servers/add", "mcp/add", "indus/run", "config/set", "tools/add", "$/exec", "shutdown"].map(
      (method) => [method, launch] as const,
    ),
  ];
}

const NOTICES = [
  "notifications/initialized",
  "notifications/roots/list_changed",
  "notifications/cancelled",
  "notifications/progress",
  "notifications/servers/add",
];

/** A request as it is written, which a client library would not send. */
function sendRaw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.end(text));
    let answer = "";
    socket.setEncoding("utf8").on("data", (part: string) => void (answer += part));
    socket.on("close", () => resolve(answer)).on("error", reject);
  });
}

verifies(
  "access:no-command",
  "whatever clients send, no process is started but those of the configuration, and unknown names are 404",
  async () => {
    await using dir = await tempDir();
    const marker = dir.at("started");
    const attack = hostile(marker);
    const scripted: ServerConfig = {
      kind: "stdio",
      id: "s",
      ...(scriptedRow() as { command: string; args: string[] }),
    };
    const content = {
      resources: [{ uri: "note://1", name: "1" }],
      templates: [{ uriTemplate: "note://{n}", name: "n" }],
      prompts: [{ name: "greet", arguments: [{ name: "who" }] }],
      tools: ["look"],
      results: { look: { content: [{ type: "text", text: "seen" }] } },
      capabilities: { completions: {}, logging: {} },
    };
    await using served = await serveIn(dir, {}, [await library(dir, "one", content), scripted]);
    const { url, gateway } = served;
    await gateway.servers.settled;
    const statuses = (): readonly unknown[] =>
      gateway.servers.statuses().map(({ server, phase }) => [server, phase]);
    const before = statuses();
    expect(before).toEqual([
      ["one", "ready"],
      ["s", "ready"],
    ]);
    using starts = countStarts();
    const meta = { ...attack.launch, "io.modelcontextprotocol/command": attack.launch };
    const answers: RawAnswer[] = [];
    const post = async (at: string, headers: { readonly [name: string]: string }, body: unknown) =>
      void answers.push(await send(at, { headers, body }));

    for (const [path, eras] of [
      ["", ["legacy", "modern"]],
      ["/one", ["legacy"]],
      ["/p/none", ["modern"]],
    ] as const) {
      const session = await openSession(`${url}${path}`);
      let id = 0;
      const all = requests(attack).map(async ([method, params]) => {
        id += 1;
        const legacy = { jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } };
        const modern = modernRequest(id, method, { ...params, _meta: meta });
        // A header must have no control characters; the name is compared with the message.
        const named = "uri" in params ? { "mcp-name": encodeURI(String(params["uri"])) } : {};
        for (const era of eras)
          if (era === "legacy") await post(`${url}${path}`, inSession(session), legacy);
          else await post(`${url}${path}`, { ...modern.headers, ...named }, modern.body);
      });
      await Promise.all(all);
      for (const method of NOTICES)
        await post(`${url}${path}`, inSession(session), { jsonrpc: "2.0", method, params: attack.launch });
    }
    // What exists was used all the same: on each path, in each era.
    const withText = (part: string): number => answers.filter((each) => each.text.includes(part)).length;
    expect(["seen", "one.json note://1"].map(withText)).toEqual([4, 4]);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);

    // Headers, queries, methods.
    const list = modernRequest(1, "tools/list");
    const [text = ""] = attack.texts;
    const command = encodeURIComponent(JSON.stringify(attack.launch));
    for (const name of ["mcp-command", "x-mcp-config", "mcp-param-command", "mcp-session-id", "user-agent"])
      await post(`${url}?command=${command}`, { ...list.headers, [name]: text }, list.body);
    await post(url, { ...list.headers, authorization: `Bearer ${text}` }, list.body);
    expect(answers.at(-1)?.status).toBe(401);
    for (const method of ["GET", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE"])
      await send(`${url}?command=${command}`, { method, body: JSON.stringify(attack.launch) });
    expect(await sendRaw(url, `POST ${url}/x/../one?x=${command} HTTP/1.1\r\nHost: evil\r\n\r\n`)).toMatch(
      / 403 /,
    );

    // Servers and profiles that do not exist.
    const unknown = [
      "evil",
      "p/evil",
      "p/one",
      "node",
      ...attack.texts,
      "one/evil",
      "p/none/evil",
      "%00",
      "__proto__",
    ];
    for (const name of unknown) {
      const path = name.split("/").map(encodeURIComponent).join("/");
      const answer = await send(`${url}/${path}?command=${command}`, list);
      expect(answer.status, name).toBe(404);
      const message = errorOf(answer)?.message ?? "";
      expect(message, name).toMatch(
        /^Not Found: \/mcp\/\S+ is not a route here; the routes are \/mcp, [^\n]+$/,
      );
    }

    expect(starts.count()).toBe(0);
    expect(existsSync(marker)).toBe(false);
    expect(statuses()).toEqual(before);
    // It would have been seen.
    execFile(process.execPath, ["--version"]);
    expect(starts.count()).toBe(1);
  },
  { timeoutMs: 60_000 },
);
