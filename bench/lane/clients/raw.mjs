// JSON-RPC over a pipe as one writes it by hand: one write per request, a map of the requests that wait, and no more.
import { spawn } from "node:child_process";

export async function connect({ command, args, env, cwd, prefix = "" }) {
  const child = spawn(command, args, { env, cwd, stdio: ["pipe", "pipe", "ignore"] });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const waiting = new Map();
  let nextId = 0;
  let parts = [];
  child.stdout.on("data", (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      parts.push(chunk.subarray(start, end));
      const line = parts.length === 1 ? parts[0] : Buffer.concat(parts);
      parts = [];
      start = end + 1;
      const { id, result, error } = JSON.parse(line.toString("utf8"));
      const call = waiting.get(id);
      waiting.delete(id);
      if (result) call?.resolve(result);
      else call?.reject(new Error(JSON.stringify(error)));
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  });
  const request = (method, params) =>
    new Promise((resolve, reject) => {
      const id = nextId++;
      waiting.set(id, { resolve, reject });
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  await request("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "raw", version: "1.0.0" },
  });
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  const list = async () => {
    let count = 0;
    for (let cursor; ; ) {
      const { tools, nextCursor } = await request("tools/list", cursor === undefined ? {} : { cursor });
      count += tools.length;
      if (nextCursor === undefined) return count;
      cursor = nextCursor;
    }
  };
  return {
    pid: child.pid,
    call: (name, input) => request("tools/call", { name: prefix + name, arguments: input }),
    list,
    close: async () => {
      child.stdin.end();
      await exited;
    },
  };
}

/** Starts a server and lists its tools. */
export async function listed(target) {
  const client = await connect(target);
  return { count: await client.list(), close: client.close };
}

/** Starts nodes that echo one line each, all at once: the base of the mounts. */
export async function mount({ command, count }) {
  const program = "process.stdin.once('data', (line) => { process.stdout.write(line); process.exit(0); })";
  const exits = [];
  const start = () =>
    new Promise((resolve) => {
      const child = spawn(command, ["-e", program], { stdio: ["pipe", "pipe", "ignore"] });
      exits.push(new Promise((exited) => child.once("exit", exited)));
      child.stdin.write("hello\n");
      child.stdout.once("data", resolve);
    });
  await Promise.all(Array.from({ length: count }, start));
  return { close: () => Promise.all(exits) };
}
