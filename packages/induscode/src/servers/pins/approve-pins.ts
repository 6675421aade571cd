import { isoTime } from "indusagi/core";
import { EXTENSION_KEYS, type ServerConfig } from "indusagi/interop";
import type { DecisionRecord } from "../../deck/ledger-log/index.ts";
import { valueOrNothing } from "../../state/index.ts";
import { toolTarget } from "./approve-command.ts";
import { type Pin, type PinSubject, parsePinKey, type ServerPins } from "./pin.ts";
import { openPinStore, updatePins } from "./pin-store.ts";
import { approvedPin, waitingDifference } from "./review-pin.ts";
import { serverSource } from "./server-source.ts";

/** A changed form that waits for approval. */
export interface WaitingChange {
  readonly server: string;
  readonly subject: PinSubject;
  /** The exact name on the server; `""` for its instructions. */
  readonly name: string;
  /** How the command line names it: a tool by the name that a model sees, anything else by its server. */
  readonly target: string;
  /** `hold`: the approved text stays in use. `quarantine`: it is withheld. */
  readonly op: "hold" | "quarantine";
  readonly reason: string;
  readonly since: string;
  /** The lines that differ. Texts are as received: escape them before showing them. */
  readonly difference: string;
  /** Identifies the form that waits, so only what was shown is approved. */
  readonly after: string;
  /** A user has refused it. It can still be approved. */
  readonly isRefused?: true | undefined;
}

/** A pin file that cannot be used. */
export interface UnusablePins {
  readonly path: string;
  readonly problem: string;
}

export interface WaitingChanges {
  readonly changes: readonly WaitingChange[];
  /** The servers that have pins. */
  readonly servers: readonly string[];
  readonly unusable: readonly UnusablePins[];
}

/** Everything that waits for approval in a workspace. Never throws, starts nothing. */
export function waitingChanges(stateFolder: string): WaitingChanges {
  const files = openPinStore(stateFolder)
    .files()
    .map((file) => ({ path: file.path, reading: file.read() }));
  const found = files.flatMap(({ reading }) => valueOrNothing(reading) ?? []);
  return {
    changes: found.flatMap((pins) =>
      [...pins.pins].flatMap(([key, pin]) => waitingChange(pins, key, pin) ?? []),
    ),
    servers: [...new Set(found.map(({ server }) => server))],
    unusable: files.flatMap(({ path, reading }) =>
      "problem" in reading ? [{ path, problem: reading.problem }] : [],
    ),
  };
}

function waitingChange({ server }: ServerPins, key: string, pin: Pin): WaitingChange | undefined {
  const parsed = parsePinKey(key);
  if (!parsed || !pin.waiting) return undefined;
  const { subject, name } = parsed;
  const { op, reason, at: since, hash: after, isRefused } = pin.waiting;
  const target = subject === "tool" ? toolTarget(server, name) : server;
  return {
    server,
    subject,
    name,
    target,
    op,
    reason,
    since,
    difference: waitingDifference(pin),
    after,
    isRefused,
  };
}

/**
 * Approves these changes and returns the decisions for the ledger. A form that changed again since it was shown is not
 * approved. Rejects if the pins cannot be written.
 */
export async function approveChanges(
  stateFolder: string,
  changes: readonly WaitingChange[],
  at: string = isoTime(),
): Promise<DecisionRecord[]> {
  const store = openPinStore(stateFolder);
  const decisions: DecisionRecord[] = [];
  for (const file of store.files()) {
    const pins = valueOrNothing(file.read());
    const chosen = changes.filter(({ server }) => server === pins?.server);
    if (!pins || chosen.length === 0) continue;
    await updatePins(
      store.pins(pins.server, pins.source),
      (now) => now && withApproved(now, chosen, (decision) => decisions.push({ ...decision, at })),
    );
  }
  return decisions;
}

/** Refuses these changes: what is held stays held, what is withheld stays withheld, and nobody is asked again. Returns how many still applied. */
export async function refuseChanges(stateFolder: string, changes: readonly WaitingChange[]): Promise<number> {
  const store = openPinStore(stateFolder);
  let refused = 0;
  for (const file of store.files()) {
    const found = valueOrNothing(file.read());
    const chosen = changes.filter(({ server }) => server === found?.server);
    if (!found || chosen.length === 0) continue;
    await updatePins(store.pins(found.server, found.source), (now) => {
      if (!now) return undefined;
      const pins = new Map(now.pins);
      for (const [key, pin] of now.pins) {
        if (!pin.waiting || !isChosen(chosen, key, pin)) continue;
        pins.set(key, { ...pin, waiting: { ...pin.waiting, isRefused: true } });
        refused += 1;
      }
      return { ...now, pins };
    });
  }
  return refused;
}

function isChosen(changes: readonly WaitingChange[], key: string, { waiting }: Pin): boolean {
  const parsed = parsePinKey(key);
  return changes.some(
    ({ subject, name, after }) =>
      subject === parsed?.subject && name === parsed.name && after === waiting?.hash,
  );
}

function withApproved(
  now: ServerPins,
  changes: readonly WaitingChange[],
  onDecision: (decision: Omit<DecisionRecord, "at">) => void,
): ServerPins | undefined {
  const pins = new Map(now.pins);
  let isChanged = false;
  for (const [key, pin] of now.pins) {
    const parsed = parsePinKey(key);
    const approved = isChosen(changes, key, pin) ? approvedPin(pin) : undefined;
    if (!parsed || !approved) continue;
    isChanged = true;
    pins.set(key, approved.pin);
    const { subject, name } = parsed;
    onDecision({
      ...approved.decision,
      server: now.server,
      tool: name,
      ...(subject === "tool" ? {} : { subject }),
    });
  }
  return isChanged ? { ...now, pins } : undefined;
}

/**
 * Removes the pins of these servers that cannot be used, and returns the removed files: the next listing is pinned. Throws if
 * a file cannot be removed.
 */
export function dropUnusablePins(stateFolder: string, servers: readonly ServerConfig[]): UnusablePins[] {
  const store = openPinStore(stateFolder);
  const paths = new Set(
    servers.flatMap((config) =>
      ["", ...EXTENSION_KEYS].map(
        (extensions) => store.pins(config.id, serverSource(config, extensions)).path,
      ),
    ),
  );
  return store
    .files()
    .filter(({ path }) => paths.has(path))
    .flatMap((file) => {
      const reading = file.read();
      if ("value" in reading) return [];
      file.remove();
      return [{ path: file.path, problem: reading.problem }];
    });
}
