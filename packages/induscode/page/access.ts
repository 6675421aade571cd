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

const FOLDER = "indus-folder";

/** The folder that this tab shows, for a gateway of several. */
export const keptFolder = (): string | undefined => sessionStorage.getItem(FOLDER) ?? undefined;

export function keepFolder(id: string): void {
  sessionStorage.setItem(FOLDER, id);
}

/** Forgets the key: the gateway does not know it any more. */
export function endSession(): void {
  key = undefined;
  sessionStorage.removeItem(STORED);
  access.value = { state: "closed", reason: "ended" };
}

/** What the folders of the gateway are now. */
export function showFolders(folders: SessionInfo["folders"]): void {
  const now = access.value;
  if (now.state === "open") access.value = { state: "open", info: { ...now.info, folders } };
}

/** Only sessions from a local link may change rows and the files of clients. */
export function isLocal(): boolean {
  return access.value.state === "open" && access.value.info.origin === "local";
}
