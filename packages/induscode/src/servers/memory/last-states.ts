import { join } from "node:path";
import { isRecord } from "indusagi/core";
import { type JsonFile, openJsonFile, valueOrNothing } from "../../state/index.ts";
import { listSchema } from "./list-file.ts";

/** What is still known about a tool whose ledger records have expired. */
export interface KeptState {
  readonly server: string;
  /** The exact name on the server. */
  readonly tool: string;
  readonly fingerprint: string;
  /** Whether the tool was live at the end of its last recorded run. */
  readonly isLive: boolean;
  /** When it was first and last recorded. */
  readonly since: string;
  readonly at: string;
}

/** Beyond this the oldest states are dropped. */
const MAX_STATES = 20_000;

/**
 * Adds last states to those in the catalogue folder. Of two states of one tool the newer wins and keeps the earlier start.
 * One process at a time: the caller holds the lock of the sweep. Throws if the file cannot be written.
 */
export function keepLastStates(folder: string, states: readonly KeptState[]): void {
  if (states.length === 0) return;
  const known = new Map(readLastStates(folder).map((state) => [placeOf(state), state]));
  for (const state of states) {
    const before = known.get(placeOf(state));
    known.set(placeOf(state), before ? joined(before, state) : state);
  }
  const newest = [...known.values()].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, MAX_STATES);
  fileIn(folder).write(newest);
}

/** The kept states. None if the file is missing or damaged. */
export function readLastStates(folder: string): readonly KeptState[] {
  return valueOrNothing(fileIn(folder).read()) ?? [];
}

function fileIn(folder: string): JsonFile<readonly KeptState[]> {
  return openJsonFile(join(folder, "last-states.json"), STATES);
}

function placeOf({ server, tool }: KeptState): string {
  return JSON.stringify([server, tool]);
}

function joined(a: KeptState, b: KeptState): KeptState {
  const [older, newer] = a.at <= b.at ? [a, b] : [b, a];
  return { ...newer, since: older.since < newer.since ? older.since : newer.since };
}

const TEXTS = ["server", "tool", "fingerprint", "since", "at"] as const;

const STATES = listSchema("states", (value): value is KeptState => {
  if (!isRecord(value) || typeof value["isLive"] !== "boolean") return false;
  return TEXTS.every((name) => typeof value[name] === "string");
});
