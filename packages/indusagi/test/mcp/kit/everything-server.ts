import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { freePort } from "@indus/testkit";
import type { MCPServerConfig } from "indusagi/mcp";

/** The program of the public server. */
export const everythingEntry: string = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
);

/** The public server over stdio, started by the client. */
export const everythingOverStdio: MCPServerConfig = {
  command: process.execPath,
  args: [everythingEntry, "stdio"],
};

/** The public server behind HTTP, gone with `await using`. */
export async function everythingOverHttp(
  mode: "streamableHttp" | "sse",
): Promise<{ readonly url: string; readonly config: MCPServerConfig } & AsyncDisposable> {
  const port = await freePort();
  const child = spawn(process.execPath, [everythingEntry, mode], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (chunk) => /port/i.test(String(chunk)) && resolve());
    child.once("exit", () => reject(new Error(`server-everything ${mode} did not start`)));
  });
  const url = `http://127.0.0.1:${port}/${mode === "sse" ? "sse" : "mcp"}`;
  return { url, config: { url }, [Symbol.asyncDispose]: () => (child.kill("SIGKILL"), gone) };
}
