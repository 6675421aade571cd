import type { ServerConfig, ToolDefinition } from "indusagi/interop";
import { type DecisionRecord, openPins, type Pins, type PinsOptions } from "induscode/deck";

export const row = (change: Partial<ServerConfig> = {}): ServerConfig =>
  ({ kind: "stdio", id: "notes", command: "notes-server", ...change }) as ServerConfig;

export const tool = (change: object = {}): ToolDefinition => ({
  name: "find",
  description: "Finds notes.",
  annotations: { destructiveHint: true },
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  icons: [],
  ...change,
});

/** Pins in a folder, with what they report and record. */
export function sampled(folder: string, options: PinsOptions = {}) {
  const reports: string[] = [];
  const records: DecisionRecord[] = [];
  const pins: Pins = openPins(folder, {
    report: (message) => reports.push(message),
    record: (decisions) => records.push(...decisions),
    ...options,
  });
  const list = (tools: readonly ToolDefinition[], config: ServerConfig = row(), version = "1.0.0") =>
    pins.review({ config, tools, isLive: true, version });
  return { pins, reports, records, list, [Symbol.asyncDispose]: () => pins[Symbol.asyncDispose]() };
}

/** One listing in a run of its own. */
export async function listedOnce(
  folder: string,
  tools: readonly ToolDefinition[],
  config?: ServerConfig,
  version?: string,
) {
  await using run = sampled(folder);
  const { offered, withheld } = run.list(tools, config, version);
  return { offered, withheld, reports: run.reports, records: run.records };
}
