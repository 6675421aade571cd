import { signal } from "@preact/signals";
import type { SessionInfo } from "../src/console/contract.ts";

const STORED = "indus-session";

/** Whether there is a session, and if not, why. */
export type Access =
  | { readonly state: "opening" }
  | { readonly state: "open"; readonly info: SessionInfo }
  | {
      readonly state: "closed";
      readonly reason: "none" | "ended" | "link" | "unreachable";
      readonly message?: string;
    };

export const access = signal<Access>({ state: "opening" });

let key = sessionStorage.getItem(STORED) ?? undefined;
export const sessionKey = (): string | undefined => key;

export function keepKey(made: string): void {
  key = made;
  sessionStorage.setItem(STORED, made);
}

/** Forgets the key: the gateway does not know it any more. */
export function endSession(): void {
  key = undefined;
  sessionStorage.removeItem(STORED);
  access.value = { state: "closed", reason: "ended" };
}

/** Only sessions from a local link may change rows and the files of clients. */
export function isLocal(): boolean {
  return access.value.state === "open" && access.value.info.origin === "local";
}
