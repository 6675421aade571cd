import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { launchOf, type Scratch } from "./scratch.ts";
import type { FleetServer } from "./server-list.ts";

/** The longest name that the commands of the product give a tool. */
export const NAME_LIMIT = 48;

/** Writes a configuration file with these servers, as a user would have it, and returns its path. */
export function writeConfiguration(
  servers: readonly FleetServer[],
  { scratch, mark, name }: { readonly scratch: Scratch; readonly mark: string; readonly name: string },
): string {
  const file = scratch.at("configurations", `${name}.json`);
  mkdirSync(dirname(file), { recursive: true });
  const rows = servers.map((server) => [server.name, launchOf(server, scratch, mark)] as const);
  writeFileSync(file, JSON.stringify({ mcpServers: Object.fromEntries(rows) }, undefined, 2));
  return file;
}

/** The environment of an `indus` whose state (catalogue, remembered times) is in this folder. */
export function stateEnvironment(stateFolder: string): { readonly XDG_STATE_HOME: string } {
  mkdirSync(stateFolder, { recursive: true });
  return { XDG_STATE_HOME: stateFolder };
}

/** A new, empty state folder: `indus` starts as if for the first time. */
export function freshState(scratch: Scratch, name: string): string {
  const folder = scratch.at("state", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}
