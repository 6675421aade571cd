import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describeError, errorCode } from "indusagi/core";
import { SessionError } from "../contract.ts";
import { SessionState } from "./session-state.ts";
import { PARTIAL_FILE, TRANSCRIPT_FILE } from "./transcript-file.ts";
import { parseTranscriptRecord } from "./transcript-record.ts";

export interface ReadTranscript {
  readonly state: SessionState;
  /** The bytes up to the end of the last complete line. */
  readonly goodBytes: number;
  /** The text of an answer cut off by a crash. */
  readonly partial: string;
  /** What could not be read, one line each. */
  readonly problems: readonly string[];
}

/** Reads the transcript of an earlier session. Drops an incomplete last line; skips and reports damaged lines. */
export function readTranscript(folder: string): ReadTranscript {
  const path = join(folder, TRANSCRIPT_FILE);
  const bytes = readBytes(path);
  const goodBytes = bytes.lastIndexOf(0x0a) + 1;
  const state = new SessionState();
  const problems: string[] = [];
  const lines = bytes.subarray(0, goodBytes).toString("utf8").split("\n").slice(0, -1);
  for (const [index, line] of lines.entries()) {
    const record = parseTranscriptRecord(line);
    if (index === 0 && record?.type !== "session")
      throw new SessionError("damaged", `${path} is not a transcript of this version`);
    if (record) state.apply(record);
    else problems.push(`line ${index + 1} of ${path} is damaged and was skipped`);
  }
  if (lines.length === 0) throw new SessionError("damaged", `${path} is empty`);
  return { state, goodBytes, partial: readPartial(folder), problems };
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (thrown) {
    throw new SessionError("damaged", `${path} cannot be read: ${describeError(thrown)}`, { cause: thrown });
  }
}

function readPartial(folder: string): string {
  try {
    return readFileSync(join(folder, PARTIAL_FILE), "utf8");
  } catch (thrown) {
    if (errorCode(thrown) === "ENOENT") return "";
    throw thrown;
  }
}
