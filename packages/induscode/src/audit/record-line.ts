import { CALL_METHODS, CALL_OUTCOMES, type CallRecord } from "./contract/index.ts";

/** A record as a line of the trail. */
export function recordLine(record: CallRecord): string {
  return `${JSON.stringify(record)}\n`;
}

const OUTCOMES: ReadonlySet<unknown> = new Set(CALL_OUTCOMES);
const METHODS: ReadonlySet<unknown> = new Set(CALL_METHODS);

/** The record in a line. Undefined if the line is damaged: a power cut may leave half of one. */
export function parseRecord(line: string): CallRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  // Lines of earlier versions are about tools, and do not name a method.
  const record = { method: "tools/call", ...value } as { readonly [member: string]: unknown };
  const { at, id, session, method, tool, prompt, resource, ms, outcome } = record;
  const isRecord =
    [at, id, session, tool ?? prompt ?? resource].every((text) => typeof text === "string") &&
    typeof ms === "number" &&
    METHODS.has(method) &&
    OUTCOMES.has(outcome);
  return isRecord ? (record as unknown as CallRecord) : undefined;
}
