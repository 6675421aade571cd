import { bytesHash, isRecord } from "indusagi/core";
import type { ToolSelfDescription } from "../../deck/ledger/index.ts";
import type { StoreSchema } from "../../state/index.ts";
import { formHash, PIN_FORMULA, type Pin, parsePinKey, type ServerPins, type WaitingForm } from "./pin.ts";

/** Increment when the shape of the files changes. */
const FORMAT = 1;
const HASH = /^[0-9a-f]{32}$/;

const MAX_BYTES = 4 * 1024 * 1024;
/** Beyond this, the pins that were not seen for the longest time are dropped. */
const MAX_PINS = 25_000;

/** The pins of a server. If they are too large, the largest forms are dropped and only their hashes kept. */
export const PIN_FILE: StoreSchema<ServerPins> = {
  parse: parsePins,
  text: ({ pins, ...head }) => fileText(head, [...pins].slice(-MAX_PINS)),
  maxBytes: MAX_BYTES,
  smaller: withFewerForms,
};

function withFewerForms({ pins, ...head }: ServerPins): ServerPins {
  const kept = new Map([...pins].slice(-MAX_PINS));
  const sized = [...kept].map(([key, pin]) => ({ key, pin, size: Buffer.byteLength(JSON.stringify(pin)) }));
  let excess = sized.reduce((sum, { size }) => sum + size, 0) - MAX_BYTES / 2;
  for (const { key, pin, size } of sized.sort((a, b) => b.size - a.size)) {
    if (excess <= 0) break;
    kept.set(key, withoutForms(pin));
    excess -= size;
  }
  return { ...head, pins: kept };
}

/** The first line is the hash of the rest: an approved text that was damaged on disk must not be used. */
function fileText(head: Omit<ServerPins, "pins">, pins: readonly (readonly [string, Pin])[]): string {
  const body = JSON.stringify({ format: FORMAT, formula: PIN_FORMULA, ...head, pins });
  return `${bytesHash(body)}\n${body}\n`;
}

function withoutForms({ hash, isVolatile, waiting }: Pin): Pin {
  return { hash, isVolatile, waiting: waiting && { ...waiting, form: undefined } };
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
    version,
    packageVersion,
    pins,
  };
}

function checkedBody(text: string): unknown {
  const [hash, body = ""] = text.split("\n", 2);
  return bytesHash(body) === hash ? JSON.parse(body) : undefined;
}

/** A pin with the hash of our formula. Undefined without its form: then the next form is pinned. */
function madeAgain({ form, isVolatile }: Pin): Pin | undefined {
  return form && { hash: formHash(form), form, isVolatile };
}

function parsePin(value: unknown): Pin | undefined {
  if (!isRecord(value)) return undefined;
  const { hash, form, isVolatile, waiting } = value;
  const held = waiting === undefined ? undefined : parseWaiting(waiting);
  if (!isHash(hash) || !isOptionalForm(form) || (waiting !== undefined && !held)) return undefined;
  return {
    hash,
    form,
    isVolatile: isVolatile === true ? true : undefined,
    waiting: held,
  };
}

function parseWaiting(value: unknown): WaitingForm | undefined {
  if (!isRecord(value)) return undefined;
  const { hash, form, op, level, reason, at, isRefused } = value;
  if (!isHash(hash) || !isOptionalForm(form)) return undefined;
  if ((op !== "hold" && op !== "quarantine") || (level !== "hold" && level !== "quarantine"))
    return undefined;
  if (typeof reason !== "string" || typeof at !== "string") return undefined;
  return { hash, op, level, reason, at, form, isRefused: isRefused === true ? true : undefined };
}

function isHash(value: unknown): value is string {
  return typeof value === "string" && HASH.test(value);
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}

/** The members of a form are as received and may have any type. */
function isOptionalForm(value: unknown): value is ToolSelfDescription | undefined {
  return value === undefined || isRecord(value);
}
