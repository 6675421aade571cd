import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "indusagi/core";
import { SessionError } from "../contract.ts";
import { TRANSCRIPT_FILE } from "./transcript-file.ts";

/** A session that can be continued. */
export interface KnownSession {
  readonly id: string;
  readonly folder: string;
  /** The time of the last entry, in milliseconds since the Unix epoch. */
  readonly lastAt: number;
}

const SHOWN = 3;

/** Where the state folder of a workspace keeps its sessions. */
export function sessionsIn(state: string): string {
  return join(state, "sessions");
}

/** Whether a name is the id of a session, and so safe as the name of a file. */
export function isSessionId(name: string): boolean {
  return /^[0-9A-HJKMNP-TV-Z]{26}$/.test(name);
}

/** The sessions in a folder, latest first. */
export function listSessions(folder: string): readonly KnownSession[] {
  return namesIn(folder)
    .filter(isSessionId)
    .flatMap((id): KnownSession[] => {
      const info = statSync(join(folder, id, TRANSCRIPT_FILE), { throwIfNoEntry: false });
      return info?.isFile() ? [{ id, folder: join(folder, id), lastAt: info.mtimeMs }] : [];
    })
    .toSorted((a, b) => b.lastAt - a.lastAt || (a.id < b.id ? 1 : -1));
}

/** The session with this id or unique prefix. Without one, the latest. Throws if there is none. */
export function findSession(folder: string, wanted: string | undefined): KnownSession {
  const known = listSessions(folder);
  const [first] = known;
  if (wanted === undefined) {
    if (first) return first;
    throw new SessionError(
      "unknown_session",
      "this folder has no session to continue; start one without --continue",
    );
  }
  return sessionNamed(known, wanted, "--resume: this folder");
}

/** The one of these sessions with this id or unique prefix. Throws if there is none. `place`: who has them, for the message. */
export function sessionNamed<Known extends KnownSession>(
  known: readonly Known[],
  wanted: string,
  place: string,
): Known {
  const fits = known.filter(({ id }) => wanted !== "" && id.startsWith(wanted.toUpperCase()));
  const [found, second] = fits;
  if (found && !second) return found;
  const names = (fits.length > 0 ? fits : known).slice(0, SHOWN).map(({ id }) => id);
  const problem = found ? "has several sessions that begin with" : "has no session";
  const hint = names.length > 0 ? `; the latest are ${names.join(", ")}` : "; it has none";
  throw new SessionError("unknown_session", `${place} ${problem} ${JSON.stringify(wanted)}${hint}`);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (errorCode(thrown) === "ENOENT") return [];
    throw thrown;
  }
}
