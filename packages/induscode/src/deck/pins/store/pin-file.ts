import { bytesHash, contentHash, isRecord, readPrivateText } from "indusagi/core";
import type { ToolSelfDescription } from "../../ledger/index.ts";
import { formHash, PIN_FORMULA, type Pin, parsePinKey, type ServerPins, type WaitingForm } from "../pin.ts";

/** A change of the shape of the files needs another number. */
const FORMAT = 1;
const HASH = /^[0-9a-f]{32}$/;

/** The largest file, within what `readPrivateText` reads. */
const MAX_FILE_BYTES = 4_000_000;
/** Pins beyond this are dropped, those that were not seen for the longest time first. */
const MAX_PINS = 25_000;

/** The pins of a server, nothing if there are none yet, or a clause that explains why they cannot be used. */
export type PinReading = { readonly found: ServerPins | undefined } | { readonly problem: string };

export function pinFileName(server: string, source: string): string {
  return `${contentHash({ server, source })}.json`;
}

/** The pins as the text of their file. If they are too large, the largest forms are left out: their hashes stay. */
export function pinText({ pins, ...head }: ServerPins): string {
  const kept = [...pins].slice(-MAX_PINS);
  const text = fileText(head, kept);
  if (Buffer.byteLength(text) <= MAX_FILE_BYTES) return text;
  const sizes = kept.map(([, pin]) => Buffer.byteLength(JSON.stringify(pin)));
  let excess = sizes.reduce((sum, size) => sum + size, 0) - MAX_FILE_BYTES / 2;
  const bySize = [...kept.keys()].sort((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0));
  const bare = new Set<number>();
  for (const at of bySize) {
    if (excess <= 0) break;
    bare.add(at);
    excess -= sizes[at] ?? 0;
  }
  return fileText(
    head,
    kept.map(([key, pin], at) => [key, bare.has(at) ? withoutForms(pin) : pin]),
  );
}

/** The first line is the hash of the rest: an approved text that the disk damaged must not be used. */
function fileText(head: Omit<ServerPins, "pins">, pins: readonly (readonly [string, Pin])[]): string {
  const body = JSON.stringify({ format: FORMAT, formula: PIN_FORMULA, ...head, pins });
  return `${bytesHash(body)}\n${body}\n`;
}

function withoutForms({ hash, isVolatile, waiting }: Pin): Pin {
  const bare = { hash, ...(isVolatile ? { isVolatile } : {}) };
  if (!waiting) return bare;
  const { op, level, reason, at } = waiting;
  return { ...bare, waiting: { hash: waiting.hash, op, level, reason, at } };
}

/** Reads one file. A file that exists and cannot be used is never taken for an absent one. */
export function readPinFile(path: string): PinReading {
  const reading = readPrivateText(path);
  if ("problem" in reading) return reading.isAbsent ? { found: undefined } : { problem: reading.problem };
  const found = parsePins(reading.text);
  return found ? { found } : { problem: "is damaged, or of a newer version" };
}

function parsePins(text: string): ServerPins | undefined {
  const file = checkedBody(text);
  if (!isRecord(file) || file["format"] !== FORMAT || !Array.isArray(file["pins"])) return undefined;
  const { server, source, version, packageVersion, formula } = file;
  if (typeof server !== "string" || typeof source !== "string") return undefined;
  if (!isOptionalText(version) || !isOptionalText(packageVersion)) return undefined;
  const pins = new Map<string, Pin>();
  for (const row of file["pins"] as readonly unknown[]) {
    const [key, value] = Array.isArray(row) ? (row as readonly unknown[]) : [];
    const pin = parsePin(value);
    if (typeof key !== "string" || !parsePinKey(key) || !pin) return undefined;
    const current = formula === PIN_FORMULA ? pin : madeAgain(pin);
    if (current) pins.set(key, current);
  }
  return {
    server,
    source,
    ...(version === undefined ? {} : { version }),
    ...(packageVersion === undefined ? {} : { packageVersion }),
    pins,
  };
}

function checkedBody(text: string): unknown {
  const [hash, body = ""] = text.split("\n", 2);
  if (bytesHash(body) !== hash) return undefined;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

/** A pin with the hash of our formula. Without its form that is not possible: the next form that is seen is pinned. */
function madeAgain({ form, isVolatile }: Pin): Pin | undefined {
  return form && { hash: formHash(form), form, ...(isVolatile ? { isVolatile } : {}) };
}

function parsePin(value: unknown): Pin | undefined {
  if (!isRecord(value)) return undefined;
  const { hash, form, isVolatile, waiting } = value;
  const held = waiting === undefined ? undefined : parseWaiting(waiting);
  if (!isHash(hash) || !isOptionalForm(form) || (waiting !== undefined && !held)) return undefined;
  return {
    hash,
    ...(form ? { form } : {}),
    ...(isVolatile === true ? { isVolatile } : {}),
    ...(held ? { waiting: held } : {}),
  };
}

function parseWaiting(value: unknown): WaitingForm | undefined {
  if (!isRecord(value)) return undefined;
  const { hash, form, op, level, reason, at } = value;
  if (!isHash(hash) || !isOptionalForm(form)) return undefined;
  if ((op !== "hold" && op !== "quarantine") || (level !== "hold" && level !== "quarantine"))
    return undefined;
  if (typeof reason !== "string" || typeof at !== "string") return undefined;
  return { hash, op, level, reason, at, ...(form ? { form } : {}) };
}

function isHash(value: unknown): value is string {
  return typeof value === "string" && HASH.test(value);
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}

/** The members of a form may have any type: they are as received. */
function isOptionalForm(value: unknown): value is ToolSelfDescription | undefined {
  return value === undefined || isRecord(value);
}
