import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import type { MCPServerConfig } from "indusagi/mcp";

const entry = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));

/** The public server over stdio, started by the client. */
export const everythingOverStdio: MCPServerConfig = { command: process.execPath, args: [entry, "stdio"] };

/** The public server behind HTTP, gone with `await using`. */
export async function everythingOverHttp(
  mode: "streamableHttp" | "sse",
): Promise<{ readonly config: MCPServerConfig } & AsyncDisposable> {
  const port = await freePort();
  const child = spawn(process.execPath, [entry, mode], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (chunk) => /port/i.test(String(chunk)) && resolve());
    child.once("exit", () => reject(new Error(`server-everything ${mode} did not start`)));
  });
  const url = `http://127.0.0.1:${port}/${mode === "sse" ? "sse" : "mcp"}`;
  return { config: { url }, [Symbol.asyncDispose]: () => (child.kill("SIGKILL"), gone) };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
