import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { errorCode, isoTime, readProcRow } from "indusagi/core";
import { type JsonFile, openJsonFile, valueOrNothing, versionedJson } from "../state/index.ts";
import { CONSOLE_LIMITS } from "./contract.ts";

// How `indus console` and a running gateway find each other: private files in the state folder. Whoever can write there is the user, so
// a link needs no password, and none passes through a command line or a socket.

/** A gateway that serves the console. */
export interface RunningConsole {
  /** Random. A link names it, so no other program that gets its port can use the link. */
  readonly id: string;
  readonly pid: number;
  /** Tells the process from a later one with its pid, where the system says. */
  readonly startTime?: number | undefined;
  /** The address of its page. */
  readonly url: string;
  /** ISO 8601. */
  readonly since: string;
}

const RUNNING = versionedJson<RunningConsole>({
  format: 1,
  parse: ({ id, pid, startTime, url, since }) =>
    typeof id === "string" && typeof pid === "number" && typeof url === "string" && typeof since === "string"
      ? { id, pid, url, since, startTime: typeof startTime === "number" ? startTime : undefined }
      : undefined,
  members: (running) => running,
});

/** Says that this process serves the console of a folder. The returned function takes it back. Throws if that cannot be written. */
export function announceConsole(
  state: string,
  url: string,
): { readonly id: string; readonly withdraw: () => void } {
  const { pid } = process;
  const id = randomBytes(12).toString("hex");
  const file = openJsonFile(join(gateways(state), `${pid}-${id}.json`), RUNNING);
  file.write({ id, pid, startTime: startTimeOf(pid), url, since: isoTime() });
  return { id, withdraw: () => remove(file) };
}

/** The gateways of a folder that serve the console, the newest first. Removes what ended ones left. */
export function runningConsoles(state: string): readonly RunningConsole[] {
  const files = filesIn(gateways(state)).map((path) => openJsonFile(path, RUNNING));
  const running = files.flatMap((file) => {
    const found = valueOrNothing(file.read());
    if (found && isAlive(found)) return [found];
    if (found) remove(file);
    return [];
  });
  return running.toSorted((a, b) => (a.since < b.since ? 1 : -1));
}

/** A link that was made and not used. */
interface KeptLink {
  /** The gateway it is for. */
  readonly gateway: string;
  /** Since 1970. */
  readonly untilMs: number;
}

const LINK = versionedJson<KeptLink>({
  format: 1,
  parse: ({ gateway, untilMs }) =>
    typeof gateway === "string" && typeof untilMs === "number" ? { gateway, untilMs } : undefined,
  members: (link) => link,
});

/** Makes a link for a gateway, and returns its code. Only a hash of it is kept. */
export function makeLink(state: string, gateway: string): string {
  for (const path of filesIn(links(state))) {
    const file = openJsonFile(path, LINK);
    const found = valueOrNothing(file.read());
    if (found && found.untilMs < Date.now()) remove(file);
  }
  const code = newSecret();
  linkFile(state, code).write({ gateway, untilMs: Date.now() + CONSOLE_LIMITS.linkMs });
  return code;
}

/** Uses a link up. False if it is wrong, too old, for another gateway, or was used before: removing its file is the claim. */
export function takeLink(state: string, gateway: string, code: string): boolean {
  const file = linkFile(state, code);
  const found = valueOrNothing(file.read());
  if (found?.gateway !== gateway) return false;
  try {
    unlinkSync(file.path);
  } catch {
    return false; // Another request was faster.
  }
  const leftMs = found.untilMs - Date.now();
  return leftMs > 0 && leftMs <= CONSOLE_LIMITS.linkMs;
}

/** Whether a link was used, or is too old. */
export function isLinkGone(state: string, code: string): boolean {
  return valueOrNothing(linkFile(state, code).read()) === undefined;
}

/** Takes back a link that was not used. */
export function dropLink(state: string, code: string): void {
  remove(linkFile(state, code));
}

/** 256 random bits, as characters of a URL. */
export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** The folder for what the console keeps for a moment, such as a page that leads a browser to its link. */
export function consoleFolder(state: string): string {
  const path = join(state, "console");
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}

function gateways(state: string): string {
  return join(consoleFolder(state), "gateways");
}

function links(state: string): string {
  return join(consoleFolder(state), "links");
}

function linkFile(state: string, code: string): JsonFile<KeptLink> {
  return openJsonFile(join(links(state), `${hashOf(code)}.json`), LINK);
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .map((name) => join(folder, name));
  } catch {
    return []; // There is none yet.
  }
}

function remove(file: Pick<JsonFile<unknown>, "remove">): void {
  try {
    file.remove();
  } catch {
    // It is small, private and, by then, of no use.
  }
}

function isAlive({ pid, startTime }: RunningConsole): boolean {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    return errorCode(thrown) === "EPERM";
  }
  return startTime === undefined || startTimeOf(pid) === startTime;
}

function startTimeOf(pid: number): number | undefined {
  return process.platform === "linux" ? readProcRow(pid)?.startTime : undefined;
}
