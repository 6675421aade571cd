import { parseLine } from "../../../state/lines/index.ts";
import { CALL_METHODS, CALL_OUTCOMES, type CallRecord } from "./call-record.ts";

/** A record as a line of the trail. */
export function recordLine(record: CallRecord): string {
  return `${JSON.stringify(record)}\n`;
}

const OUTCOMES: ReadonlySet<unknown> = new Set(CALL_OUTCOMES);
const METHODS: ReadonlySet<unknown> = new Set(CALL_METHODS);

/** The record in a line. Undefined if the line is damaged, for example by a power cut. */
export function parseCallRecord(line: string): CallRecord | undefined {
  const value = parseLine(line);
  if (!value) return undefined;
  // Earlier versions recorded only tools, without a method.
  const record: { readonly [member: string]: unknown } = { method: "tools/call", ...value };
  const { at, id, session, method, tool, prompt, resource, extension, ms, outcome } = record;
  const isRecord =
    [at, id, session, tool ?? prompt ?? resource ?? extension].every((text) => typeof text === "string") &&
    typeof ms === "number" &&
    METHODS.has(method) &&
    OUTCOMES.has(outcome);
  return isRecord ? (record as unknown as CallRecord) : undefined;
}
