// Calls one tool for a large result again and again, and throws the results away. In its own process, so that its own work
// delays nobody who measures.
//   node neighbour.mjs URL TOOL BYTES
import { request } from "node:http";

const [url, name, bytes] = process.argv.slice(2);

function post(message, headers = {}) {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        accept: "application/json, text/event-stream",
        ...headers,
      },
    });
    sent.on("error", reject);
    sent.on("response", (response) => response.resume().on("end", () => resolve(response.headers)));
    sent.end(body);
  });
}

const protocolVersion = "2025-06-18";
const clientInfo = { name: "neighbour", version: "1.0.0" };
const hello = { protocolVersion, capabilities: {}, clientInfo };
const { "mcp-session-id": session } = await post({ id: 0, method: "initialize", params: hello });
const headers = { "mcp-session-id": session, "mcp-protocol-version": protocolVersion };
await post({ method: "notifications/initialized" }, headers);
process.stdout.write("calling\n");
for (let id = 1; ; id++)
  await post({ id, method: "tools/call", params: { name, arguments: { bytes: Number(bytes) } } }, headers);
