// A scripted MCP server that misbehaves on request. It has no imports, so that it starts as fast as Node does.
//   node evil.mjs '{"start":"mute"}'
// `start` chooses how it starts. All else is done by the tool `act`, whose argument `do` names the action.
// `createEvil` is the same server without a process: it writes to `io`.

const VERSION = "2026-07-28";
const META = "io.modelcontextprotocol/";
const OBJECT = { type: "object" };
const CAPABILITIES = { tools: { listChanged: true } };
const IDENTITY = { name: "evil", version: "6.6.6" };

const text = (value) => ({ content: [{ type: "text", text: String(value) }] });

/** The actions. Each gets the call and the server and returns the result; `undefined` means no answer. */
const ACTS = {
  echo: ({ args }) => text(args.text),
  silent: () => undefined,
  exit: ({ args, io }) => io.exit(args.code ?? 0),
  crash: ({ io }) => io.exit("SIGKILL"),
  stop: ({ io }) => io.exit("SIGSTOP"),
  pid: () => text(globalThis.process?.pid),
  counts: ({ state }) => text(JSON.stringify(state)),

  /** Lines that are not messages, then the answer. */
  junk: ({ args, io }) => {
    for (const line of args.lines) io.write(line);
    return text("after the junk");
  },
  /** Writes these bytes unchanged, e.g. a message with broken UTF-8. `$ID` stands for the id of this call. */
  bytes: ({ args, io, id }) => void io.writeBytes(args.latin1.replaceAll("$ID", String(id))),
  /** Returns the given result unchanged. */
  result: ({ args }) => args.result,
  /** A result of this many characters, in one line. */
  huge: ({ args, io, id }) => {
    io.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
    for (let left = args.bytes; left > 0; left -= 1 << 20) io.write("x".repeat(Math.min(left, 1 << 20)));
    io.write('"}]}}\n');
  },
  /** The answer in slices of a number of bytes, each after a pause. */
  sliced: ({ args, io, id }) => {
    const all = new TextEncoder().encode(
      `${JSON.stringify({ jsonrpc: "2.0", id, result: text(args.text) })}\n`,
    );
    const next = (from) => {
      if (from >= all.length) return;
      io.writeBytes(String.fromCharCode(...all.subarray(from, from + args.size)));
      setTimeout(next, args.pauseMs, from + args.size);
    };
    next(0);
  },
  /** A number of notes and then the answer, all in one write. */
  burst: ({ args, io, id }) => {
    const note = `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } })}\n`;
    io.write(
      `${note.repeat(args.count)}${JSON.stringify({ jsonrpc: "2.0", id, result: text("after the burst") })}\n`,
    );
  },

  /** All kinds of invalid answers, then the right one. `others` are ids of other calls in flight. */
  strays: ({ args, io, id }) => {
    const wrong = (more) => io.send({ jsonrpc: "2.0", ...more });
    wrong({ id: id + 1000, result: text("unknown id") });
    // The exact text of the number counts as the id.
    wrong({ id: `${id}.0`, result: text("text id") });
    wrong({ id: null, result: text("no id") });
    wrong({ id: id + 0.5, result: text("half an id") });
    wrong({ id, result: text("both"), error: { code: 1, message: "both" } });
    if (args.cancelled !== undefined) wrong({ id: args.cancelled, result: text("cancelled") });
    return text("right");
  },
  twice: ({ io, id }) => (io.send({ jsonrpc: "2.0", id, result: text("first") }), text("second")),
  refuse: () => Promise.reject({ code: -32000, message: "no" }),
  ask: async ({ args, io, state, id }) => {
    io.send({
      jsonrpc: "2.0",
      id: `evil-${id}`,
      method: args.method ?? "elicitation/create",
      params: { message: "?", requestedSchema: OBJECT },
    });
    await new Promise((resolve) => setTimeout(resolve, args.waitMs ?? 50));
    return text(JSON.stringify(state.answers));
  },
  /** Many `list_changed` notifications; only the last one follows a real change. */
  flood: async ({ args, io, state }) => {
    const until = performance.now() + args.ms;
    for (let sent = 0; performance.now() < until; ) {
      for (let i = 0; i < args.perTick; i++)
        io.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
      sent += args.perTick;
      state.flooded = sent;
      await new Promise((resolve) => setTimeout(resolve, args.tickMs ?? 1));
    }
    state.extra = true;
    io.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    return text(state.flooded);
  },

  /** Writes to standard error and answers after all of it has been read. */
  stderr: async ({ args, io }) => {
    const chunk = (args.text ?? "e").repeat(Math.ceil(65536 / (args.text ?? "e").length));
    for (let left = args.bytes; left > 0; left -= chunk.length) await io.error(chunk.slice(0, left));
    return text("after the noise");
  },
  "close-stdout": ({ io }) => io.closeOutput(),
  "stop-reading": ({ io }) => (io.stopReading(), text("no longer reading")),
  "close-stdin": async ({ io }) => (await io.closeInput(), text("no longer listening")),
  /** Starts a command and answers after that printed `ready`. */
  spawn: async ({ args, io }) => text(await io.spawn(args.command)),
};

export function createEvil(io, options = {}) {
  const state = { calls: 0, lists: 0, cancelled: [], answers: [], initialized: 0, flooded: 0, extra: false };

  function page(params) {
    const { cursor } = params;
    const at = Number(String(cursor ?? "0").replace(/\D/g, "")) || 0;
    const tools = [
      { name: "act", inputSchema: OBJECT },
      ...(state.extra ? [{ name: "extra", inputSchema: OBJECT }] : []),
    ];
    if (options.definitions) return { tools: options.definitions };
    if (options.count)
      return {
        tools: Array.from({ length: options.count }, (_, i) => ({
          name: `tool-${i}`,
          description: "A tool.",
          inputSchema: { ...OBJECT, properties: { text: { type: "string" } } },
        })),
      };
    const paged = [{ name: `page-${at}`, inputSchema: OBJECT }, ...(at === 0 ? tools : [])];
    const CURSORS = {
      same: { nextCursor: "1" },
      alternating: { nextCursor: at === 1 ? "2" : "1" },
      new: { nextCursor: String(at + 1) },
      empty: { nextCursor: "" },
      "no-text": { nextCursor: 7 },
      huge: { nextCursor: `${at + 1}${"x".repeat(1 << 20)}` },
    };
    if (options.cursor) return { tools: paged, ...CURSORS[options.cursor] };
    return { tools };
  }

  async function answer(message) {
    const { method, params = {}, id } = message;
    const isModern = params._meta?.[`${META}protocolVersion`] === VERSION;
    switch (method) {
      case "server/discover":
        if (options.era === "legacy") throw { code: -32601, message: "Method not found" };
        return {
          resultType: "complete",
          supportedVersions: [VERSION],
          capabilities: CAPABILITIES,
          _meta: { [`${META}serverInfo`]: IDENTITY },
        };
      case "initialize":
        state.initialized++;
        return { protocolVersion: "2025-06-18", capabilities: CAPABILITIES, serverInfo: IDENTITY };
      case "tools/list":
        state.lists++;
        return {
          ...(isModern ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {}),
          ...page(params),
        };
      case "tools/call": {
        state.calls++;
        const act = ACTS[params.arguments?.do] ?? (() => text(params.name));
        const result = await act({ args: params.arguments ?? {}, io, id, state });
        return isModern && result && !result.resultType ? { resultType: "complete", ...result } : result;
      }
      case "subscriptions/listen":
        io.send({
          jsonrpc: "2.0",
          method: "notifications/subscriptions/acknowledged",
          params: { _meta: { [`${META}subscriptionId`]: String(id) }, notifications: params.notifications },
        });
        return undefined;
      default:
        throw { code: -32601, message: "Method not found" };
    }
  }

  return function receive(message) {
    if (message.method === undefined) return void state.answers.push(message);
    if (message.id === undefined) {
      if (message.method === "notifications/cancelled") state.cancelled.push(message.params.requestId);
      return;
    }
    if (options.start === "mute") return;
    answer(message).then(
      (result) => result !== undefined && io.send({ jsonrpc: "2.0", id: message.id, result }),
      (error) =>
        io.send({
          jsonrpc: "2.0",
          id: message.id,
          error: { code: error.code ?? -32603, message: error.message ?? String(error) },
        }),
    );
  };
}

function processIo() {
  const { stdin, stdout, stderr } = process;
  const write = (data) => stdout.write(data);
  return {
    write,
    writeBytes: (latin1) => write(Uint8Array.from(latin1, (char) => char.charCodeAt(0))),
    send: (message) => write(`${JSON.stringify(message)}\n`),
    error: (data) => new Promise((resolve) => stderr.write(data, resolve)),
    exit: (how) => (typeof how === "string" ? process.kill(process.pid, how) : process.exit(how)),
    stopReading: () => stdin.pause(),
    // Closes the descriptors directly, because Node's streams keep theirs open.
    closeOutput: async () => (await import("node:fs")).closeSync(1),
    closeInput: async () => {
      stdin.pause();
      (await import("node:fs")).closeSync(0);
      setInterval(() => {}, 1000);
    },
    spawn: async (command) => {
      const { spawn } = await import("node:child_process");
      const child = spawn("/bin/bash", ["-c", command], { stdio: ["ignore", "pipe", "inherit"] });
      await new Promise((resolve) =>
        child.stdout.on("data", (chunk) => String(chunk).includes("ready") && resolve()),
      );
      return child.pid;
    },
  };
}

const STARTS = {
  mute: () => {},
  /** Text that some programs print before the first message. */
  chatty: (io) =>
    io.write('\ufeff\n\r\n   \nWelcome!\r\n\x1b[32mready\x1b[0m\n[1,2]\n{"not":"rpc"}\n{broken\n'),
  lines: (io, { bytes }) => io.write(`${"j".repeat(1023)}\n`.repeat(Math.ceil(bytes / 1024))),
  line: (io, { bytes }) => io.write("j".repeat(bytes)),
  exit: (io, { code }) => io.exit(code ?? 1),
};

function serveStdio(options) {
  const io = processIo();
  const receive = createEvil(io, options);
  if (options.ignoreTerm) process.on("SIGTERM", () => {});
  if (options.ignoreEnd) setInterval(() => {}, 1000);
  STARTS[options.start]?.(io, options);
  let buffered = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (chunk) => {
    const lines = (buffered + chunk).split("\n");
    buffered = lines.pop();
    // CRLF and blank lines are legal between messages; this server sends them.
    for (const line of lines) if (line.trim() !== "") receive(JSON.parse(line));
  });
  process.stdin.on("end", () => options.ignoreEnd || process.exit(0));
  process.stdout.on("error", () => {});
}

if (globalThis.process?.argv?.[1]?.endsWith("evil.mjs")) serveStdio(JSON.parse(process.argv[2] ?? "{}"));
