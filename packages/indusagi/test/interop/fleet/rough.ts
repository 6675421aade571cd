import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { ServerFleet, StdioServerConfig } from "indusagi/interop";
import { isAlive } from "../kit/scripted.ts";

const script = fileURLToPath(new URL("rough-server.mjs", import.meta.url));

/** The rough server as a process. */
export function rough(id: string, ...args: string[]): StdioServerConfig {
  return { kind: "stdio", id, command: process.execPath, args: [script, ...args] };
}

/** The process id of a ready server. */
export async function pidOf(fleet: ServerFleet, id: string): Promise<number> {
  const lease = await fleet.acquire(id);
  lease.release();
  return Number(lease.endpoint.session().serverInfo.version);
}

export async function linesOf(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

/** The processes listed in a file that still run. */
export async function survivors(file: string): Promise<number[]> {
  return (await linesOf(file)).map(Number).filter(isAlive);
}
