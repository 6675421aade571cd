// A gateway in front of one stdio server, written by hand on Node alone: what a gateway costs that is a process of its own and does
// nothing but pass requests on. It knows no sessions, checks nothing, and never ends a call.
//   node plain-gateway.mjs http|stdio COMMAND [ARGUMENT …]
import { spawn } from "node:child_process";
import { createServer } from "node:http";

const [front, command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
const waiting = new Map();
let lastId = 0;

/** Each client counts its requests from 1, so they get other ids on the way to the server. */
function passOn(text, answer) {
  const message = JSON.parse(text);
  if (message.id === undefined) return answer(undefined);
  waiting.set(++lastId, { id: message.id, answer });
  message.id = lastId;
  server.stdin.write(`${JSON.stringify(message)}\n`);
}

onLines(server.stdout, (line) => {
  const message = JSON.parse(line);
  const { id, answer } = waiting.get(message.id);
  waiting.delete(message.id);
  message.id = id;
  answer(JSON.stringify(message));
});

function onLines(stream, onLine) {
  const parts = [];
  stream.setEncoding("utf8").on("data", (text) => {
    const lines = text.split("\n");
    while (lines.length > 1) {
      onLine(parts.join("") + lines.shift());
      parts.length = 0;
    }
    parts.push(lines[0]);
  });
}

function serveHttp() {
  const http = createServer((request, response) => {
    if (request.method !== "POST") return response.writeHead(405).end();
    let body = "";
    request.setEncoding("utf8").on("data", (text) => (body += text));
    request.on("end", () =>
      passOn(body, (text) => {
        if (text === undefined) return response.writeHead(202).end();
        const bytes = Buffer.from(text);
        const headers = { "content-type": "application/json", "content-length": bytes.length };
        response.writeHead(200, headers).end(bytes);
      }),
    );
  });
  // A client that rests while others are measured keeps its connections.
  http.keepAliveTimeout = 0;
  http.listen(0, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${http.address().port}/mcp\n`));
}

function serveStdio() {
  onLines(process.stdin, (line) =>
    passOn(line, (text) => text === undefined || process.stdout.write(`${text}\n`)),
  );
  process.stdin.on("end", () => process.exit(0));
}

process.once("SIGTERM", () => process.exit(0));
process.once("exit", () => server.kill());
if (front === "http") serveHttp();
else serveStdio();
