import { isRecord } from "../../../core/internal.ts";
import type { LogLevel } from "../../../runtime/index.ts";
import { MetaKey } from "../../contract/index.ts";
import type { loadServerSdk } from "../server-sdk.ts";
import { CLIENT_KEYS, isClientKey, type PlainRequest } from "./plain-request.ts";

type Sdk = Pick<Awaited<ReturnType<typeof loadServerSdk>>, "classifyInboundRequest">;

/** What a modern request says about its client. The same object for the same words. */
export interface Envelope {
  readonly [key: string]: unknown;
}

/** Longer descriptions are left to the SDK. */
const MAX_CHARS = 4_096;
/** Descriptions that are remembered. Beyond it all are forgotten. */
const MAX_KNOWN = 256;

/**
 * The descriptions of clients that the SDK has found valid. A modern request describes its client each time, and most repeat the same
 * words: the SDK, whose schemas decide, reads them once.
 */
export class ModernClients {
  readonly #sdk: Sdk;
  readonly #known = new Map<string, Envelope | undefined>();

  constructor(sdk: Sdk) {
    this.#sdk = sdk;
  }

  /** The description in a plain request; undefined if it is not valid. */
  read(message: PlainRequest): Envelope | undefined {
    const meta = message.params?._meta ?? {};
    const info = meta[MetaKey.CLIENT_INFO];
    const capabilities = meta[MetaKey.CLIENT_CAPABILITIES];
    const level = meta[MetaKey.LOG_LEVEL];
    const key = JSON.stringify([info, capabilities, level]);
    if (this.#known.has(key)) return this.#known.get(key);
    if (key.length > MAX_CHARS) return undefined;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    const route = this.#sdk.classifyInboundRequest({ httpMethod: "POST", body: message });
    const envelope = route.kind === "modern" ? envelopeIn(meta) : undefined;
    this.#known.set(key, envelope);
    return envelope;
  }
}

function envelopeIn(meta: { readonly [key: string]: unknown }): Envelope {
  const envelope: { [key: string]: unknown } = {};
  for (const key of CLIENT_KEYS) if (Object.hasOwn(meta, key)) envelope[key] = meta[key];
  return envelope;
}

/** A request's `_meta` without what describes the client. */
export function restOfMeta(
  meta: { readonly [key: string]: unknown } | undefined,
): { readonly [key: string]: unknown } | undefined {
  if (!isRecord(meta)) return undefined;
  let rest: { [key: string]: unknown } | undefined;
  for (const key in meta) {
    if (isClientKey(key)) continue;
    rest ??= {};
    // A member named `__proto__` must not become the prototype.
    Object.defineProperty(rest, key, {
      value: meta[key],
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return rest;
}

export function levelIn(envelope: Envelope | undefined): LogLevel | undefined {
  return envelope?.[MetaKey.LOG_LEVEL] as LogLevel | undefined;
}
