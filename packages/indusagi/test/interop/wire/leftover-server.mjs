// A server whose tool `leave` ends the process while a child keeps its pipes and answers in its place.
//   node leftover-server.mjs SIGNAL             the server; its version is its process id
//   node leftover-server.mjs SIGNAL --child ID  the child: when its parent is gone it answers every request, and when the file
//                                               SIGNAL exists, request ID and the next one
// The child ignores the end of input and SIGTERM.

const { spawn } = process.getBuiltinModule("node:child_process");
const { existsSync } = process.getBuiltinModule("node:fs");
const [, script, signal, mode, leftId] = process.argv;
const isChild = mode === "--child";
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (message) => ({ content: [{ type: "text", text: message }] });

const ANSWERS = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "leftover", version: String(process.pid) },
  }),
  "tools/list": () => ({
    tools: ["who", "leave", "farewell"].map((name) => ({ name, inputSchema: { type: "object" } })),
  }),
};

let isLeaving = false;

function leave(id) {
  isLeaving = true;
  process.stdin.pause();
  process.stdin.removeAllListeners();
  const child = spawn(process.execPath, [script, signal, "--child", String(id)], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  child.once("message", () => process.exit(0));
}

function receive({ id, method, params }) {
  if (id === undefined || isLeaving) return;
  if (method !== "tools/call") {
    const answer = ANSWERS[method];
    return send(answer ? { id, result: answer(params) } : { id, error: { code: -32601, message: "no" } });
  }
  if (isChild) return send({ id, result: text("the child") });
  if (params.name === "who") return send({ id, result: text("the server") });
  if (params.name === "leave") return leave(id);
  // As much as a pipe holds, directly before the exit.
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: text("x".repeat(60_000)) })}\n`, () =>
    process.exit(0),
  );
}

function read() {
  let buffered = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (chunk) => {
    buffered += chunk;
    const lines = buffered.split("\n");
    buffered = lines.pop();
    for (const line of lines) if (line !== "") receive(JSON.parse(line));
  });
}

if (isChild) {
  process.on("SIGTERM", () => {});
  process.once("disconnect", () => {
    read();
    const looking = setInterval(() => {
      if (!existsSync(signal)) return;
      clearInterval(looking);
      for (const id of [Number(leftId), Number(leftId) + 1]) send({ id, result: text("the child") });
    }, 5);
  });
  process.send("up");
  setTimeout(() => process.exit(0), 10_000);
} else {
  read();
  process.stdin.on("end", () => process.exit(0));
}
