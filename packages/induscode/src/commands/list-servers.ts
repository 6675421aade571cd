import { escapeForDisplay } from "indusagi/core";
import type { EndpointStatus } from "indusagi/interop";
import type { ToolDescriptor } from "indusagi/llm";
import type { Terminal } from "../boot/index.ts";
import { firstOf, loadServers, openServers } from "../boot/internal.ts";
import { firstSentence } from "./first-sentence.ts";
import { missingServer } from "./missing-server.ts";
import { showJson } from "./show-json.ts";
import { showStatuses } from "./show-status.ts";
import { showTable } from "./show-table.ts";

export interface ListServersRequest {
  readonly mcp: readonly string[];
  readonly json: boolean;
}

/** `indus mcp list`: connects to every server of the files and shows how they are and what they offer. */
export async function listServers(
  terminal: Terminal,
  { mcp, json }: ListServersRequest,
  signal: AbortSignal,
): Promise<number> {
  const servers = await loadServers(mcp, terminal);
  if (!servers) return 1;
  if (servers.length === 0) {
    terminal.err(`indus: ${mcp.map(escaped).join(", ")}: no servers; add one under "mcpServers"\n`);
    return 1;
  }
  await using open = await openServers({ servers, supervision: false, report: reportTo(terminal) });
  await firstOf([open.settled], { signal });
  if (signal.aborted) return 1;
  const statuses = open.statuses();
  const tools = open.box.descriptors();
  terminal.out(json ? showJson({ servers: statuses.map(plainStatus), tools }) : showAll(statuses, tools));
  const isOneReady = statuses.some(({ phase }) => phase === "ready");
  return isOneReady && missingServer(servers, statuses) === undefined ? 0 : 1;
}

function showAll(statuses: readonly EndpointStatus[], tools: readonly ToolDescriptor[]): string {
  const rows = tools.map(({ name, description, origin }) => [
    name,
    escaped(origin?.server ?? "-"),
    escaped(firstSentence(description)) || "-",
  ]);
  const offered = rows.length > 0 ? `\n${showTable([["TOOL", "SERVER", "WHAT IT DOES"], ...rows])}` : "";
  return `${showStatuses(statuses)}${offered}`;
}

function plainStatus({ fault, ...status }: EndpointStatus): object {
  return { ...status, ...(fault ? { fault: { kind: fault.kind, message: fault.message } } : {}) };
}

function reportTo(terminal: Terminal): (message: string) => void {
  return (message) => terminal.err(`indus: ${escaped(message)}\n`);
}

function escaped(text: string): string {
  return escapeForDisplay(text);
}
