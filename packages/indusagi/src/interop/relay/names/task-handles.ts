import type * as nodeCrypto from "node:crypto";

/** Loaded with the first task. */
const nodeCryptoModule = (): typeof nodeCrypto => process.getBuiltinModule("node:crypto");

/** A task of a server. */
export interface TaskRef {
  readonly server: string;
  /** The id that the server gave it. */
  readonly id: string;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;
const PREFIX = "task_";
/** A handle is sent in a header. */
const MAX_ID_CHARS = 2_048;

/**
 * Turns tasks of servers into ids for clients, and back: sealed, so a client learns neither the server nor its id, and valid only for
 * the principal that created the task. The same task has the same handle every time, and nothing has to be stored: a handle outlives
 * the process if the key does.
 */
export class TaskHandles {
  readonly #makeKey: () => Uint8Array;
  #known: Uint8Array | undefined;

  /** `makeKey`: returns 32 secret bytes. Default: random ones. */
  constructor(makeKey: () => Uint8Array = () => crypto.getRandomValues(new Uint8Array(32))) {
    this.#makeKey = makeKey;
  }

  get #key(): Uint8Array {
    this.#known ??= this.#makeKey();
    return this.#known;
  }

  /** Undefined for an id that is too long for a header. */
  seal({ server, id }: TaskRef, principal = ""): string | undefined {
    if (id.length > MAX_ID_CHARS) return undefined;
    const { createCipheriv, createHmac } = nodeCryptoModule();
    const text = JSON.stringify([server, id]);
    const iv = createHmac("sha256", this.#key).update(`${principal}\0${text}`).digest().subarray(0, IV_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#key, iv).setAAD(Buffer.from(principal));
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return PREFIX + Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
  }

  /** Undefined for anything that was not sealed here for this principal. */
  open(handle: string, principal = ""): TaskRef | undefined {
    if (!handle.startsWith(PREFIX)) return undefined;
    const bytes = Buffer.from(handle.slice(PREFIX.length), "base64url");
    // One spelling: the last character of base64 has unused bits.
    if (PREFIX + bytes.toString("base64url") !== handle || bytes.length < IV_BYTES + TAG_BYTES)
      return undefined;
    try {
      const [iv, rest] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES)];
      const decipher = nodeCryptoModule()
        .createDecipheriv("aes-256-gcm", this.#key, iv, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(principal))
        .setAuthTag(rest.subarray(0, TAG_BYTES));
      const text = Buffer.concat([decipher.update(rest.subarray(TAG_BYTES)), decipher.final()]).toString();
      const [server, id] = JSON.parse(text) as [string, string];
      return { server, id };
    } catch {
      return undefined;
    }
  }
}
