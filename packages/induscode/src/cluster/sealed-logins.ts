import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { KV, KvEntry } from "@nats-io/kv";
import { describeError } from "indusagi/core";
import type { StoredLogin, TokenAccount, TokenStore } from "indusagi/interop";
import type { ServerLogins } from "../servers/login/internal.ts";
import { ClusterError } from "./cluster-error.ts";
import type { ClusterConnection } from "./connect-cluster.ts";
import { Bucket } from "./contract.ts";
import { keyOfFile } from "./key-file.ts";

/** How long a step waits for a step of another process. A renewal takes one or two requests. */
const WAIT_MS = 60_000;
const LOOK_MS = 50;
const MOST_LOOK_MS = 500;
const RENEWALS = 4;

/**
 * The logins of a cluster. NATS has them sealed: their names and contents tell nothing without the key file, which never lies in NATS.
 * Whoever changes a login holds a lease for it, so of several workers one renews it and the others read what it got.
 */
export async function openSealedLogins(connection: ClusterConnection, keyFile: string): Promise<TokenStore> {
  const seal = new Seal(keyOfFile(keyFile, "indus cluster logins"));
  const [logins, locks] = [await connection.bucket(Bucket.LOGINS), await connection.bucket(Bucket.LOCKS)];
  const { ttl } = await locks.status();
  const change = async (
    account: TokenAccount,
    edit: (stored: readonly StoredLogin[]) => readonly StoredLogin[],
  ): Promise<void> => {
    const name = seal.name(account);
    for (;;) {
      const entry = await logins.get(name);
      const sealed = seal.close(name, edit(seal.logins(name, entry)));
      try {
        if (entry) await logins.update(name, sealed, entry.revision);
        else await logins.create(name, sealed);
        return;
      } catch (thrown) {
        // Another process saved a login of another issuer: this change is made to what it saved.
        if (!isTaken(thrown)) throw unusable(thrown);
      }
    }
  };
  return {
    find: async (account) => {
      const name = seal.name(account);
      const entry = await logins.get(name).catch((thrown: unknown) => Promise.reject(unusable(thrown)));
      return seal.logins(name, entry).toSorted((a, b) => b.record.savedAtMs - a.record.savedAtMs);
    },
    save: (key, record) =>
      change(key, (stored) => [
        ...stored.filter((login) => login.key.issuer !== key.issuer),
        { key, record },
      ]),
    remove: (key) => change(key, (stored) => stored.filter((login) => login.key.issuer !== key.issuer)),
    exclusive: async (account, step) => {
      const release = await lock(locks, { name: seal.name(account), leaseMs: ttl });
      try {
        return await step();
      } finally {
        await release();
      }
    },
    watch: (account, listener) => {
      let stop: (() => void) | undefined;
      let isOver = false;
      const follow = async (): Promise<void> => {
        const changes = await logins.watch({ key: seal.name(account) });
        stop = () => changes.stop();
        if (isOver) stop();
        for await (const _ of changes) listener();
      };
      follow().catch(() => {}); // Without word of a change the next call looks.
      return () => {
        isOver = true;
        stop?.();
      };
    },
  };
}

/** The logins as runs use them. */
export async function clusterLogins(
  store: TokenStore,
  report: (message: string) => void,
): Promise<ServerLogins> {
  const { createServerLogins } = await import("../servers/login/internal.ts");
  return createServerLogins(store, { note: report, options: " --cluster URLS --key-file FILE" });
}

/** Takes a lease and renews it. Resolves to what gives it up. */
async function lock(
  locks: KV,
  { name, leaseMs }: { readonly name: string; readonly leaseMs: number },
): Promise<() => Promise<void>> {
  const mine = randomBytes(16).toString("base64url");
  const untilMs = performance.now() + WAIT_MS;
  let revision: number | undefined;
  let problem: unknown = new Error("another process does not finish with this one");
  for (let lookMs = LOOK_MS; ; lookMs = Math.min(2 * lookMs, MOST_LOOK_MS)) {
    try {
      await locks.create(name, mine).catch((thrown: unknown) => {
        if (!isTaken(thrown)) problem = thrown;
      });
      // Reads it back: a leader that was replaced may have acknowledged in vain, and an acknowledgement may be lost.
      const entry = await locks.get(name);
      if (entry?.operation === "PUT" && entry.string() === mine) revision = entry.revision;
    } catch (thrown) {
      problem = thrown;
    }
    if (revision !== undefined) break;
    if (performance.now() > untilMs) throw unusable(problem);
    await pause(lookMs);
  }
  let held = revision;
  let renewing: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    renewing = renewing.then(async () => {
      held = await locks.update(name, mine, held).catch(() => held);
    });
  }, leaseMs / RENEWALS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await renewing;
    // If not, it runs out.
    await locks.delete(name, { previousSeq: held }).catch(() => {});
  };
}

function isTaken(thrown: unknown): boolean {
  return /wrong last sequence|key exists/i.test(describeError(thrown));
}

function unusable(cause: unknown): ClusterError {
  if (cause instanceof ClusterError) return cause;
  return new ClusterError(
    "unreachable",
    `the logins of the cluster cannot be used: ${describeError(cause)}`,
    {
      cause,
    },
  );
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM. What is sealed under one name cannot be put under another. */
class Seal {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** Where the logins of an account lie. */
  name({ server, principal }: TokenAccount): string {
    return createHmac("sha256", this.#key)
      .update(JSON.stringify([server, principal]))
      .digest("hex");
  }

  close(name: string, logins: readonly StoredLogin[]): Uint8Array {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce);
    cipher.setAAD(Buffer.from(name));
    const sealed = [cipher.update(JSON.stringify({ format: 1, logins })), cipher.final()];
    return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]);
  }

  logins(name: string, entry: KvEntry | null): readonly StoredLogin[] {
    if (entry?.operation !== "PUT") return [];
    const bytes = Buffer.from(entry.value);
    try {
      const decipher = createDecipheriv("aes-256-gcm", this.#key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(name));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const text = Buffer.concat([
        decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)),
        decipher.final(),
      ]);
      return (JSON.parse(text.toString()) as { readonly logins: readonly StoredLogin[] }).logins;
    } catch (cause) {
      throw new ClusterError(
        "refused",
        `a login in the bucket ${Bucket.LOGINS} was changed by somebody without the key: delete its key ${name}, and log in again`,
        { cause },
      );
    }
  }
}
