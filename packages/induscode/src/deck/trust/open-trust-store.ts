import { mkdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { describeError, errorCode, escapeForDisplay, replaceFileSync } from "indusagi/core";
import { decisionPath, decisionPaths, decisionText, isLaunchHash, readDecision } from "./decision-file.ts";
import { TrustError } from "./trust-error.ts";
import type { TrustDecision, TrustReading, TrustStore, TrustVerdict } from "./trust-store.ts";

/**
 * The decisions in the state folder of a workspace, which must be outside of the project: a cloned project must not bring
 * its own approvals. Nothing is created before the first decision.
 */
export function openTrustStore(stateFolder: string): TrustStore {
  return new TrustFolder(join(stateFolder, "trust"));
}

class TrustFolder implements TrustStore {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  decision(server: string, launch: string): TrustReading | undefined {
    const reading = readDecision(decisionPath(this.folder, server, launch));
    if (!reading || "problem" in reading) return reading;
    // A file that was copied to another name is no decision about this launch.
    const isMeant = reading.server === server && reading.launch === launch;
    return isMeant ? reading : { problem: "is about another server" };
  }

  decisions(): readonly TrustDecision[] {
    return decisionPaths(this.folder)
      .map(readDecision)
      .filter((reading): reading is TrustDecision => reading !== undefined && "verdict" in reading);
  }

  approve(server: string, launch: string, parts?: TrustDecision["parts"]): void {
    this.#decide(server, launch, "approved", parts);
  }

  refuse(server: string, launch: string): void {
    this.#decide(server, launch, "refused");
  }

  forget(server: string): number {
    const meant = this.decisions().filter((decision) => decision.server === server);
    for (const { launch } of meant) this.#remove(server, launch);
    return meant.length;
  }

  #decide(server: string, launch: string, verdict: TrustVerdict, parts?: TrustDecision["parts"]): void {
    if (!isLaunchHash(launch)) {
      const message = `the decision about server "${escapeForDisplay(server)}" needs the hash of its launch`;
      throw new TrustError("bad_launch", message);
    }
    const at = new Date().toISOString();
    const decision = { server, launch, verdict, at, ...(parts && { parts }) };
    const path = decisionPath(this.folder, server, launch);
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      replaceFileSync({ path, content: Buffer.from(decisionText(decision)), mode: 0o600 });
    } catch (thrown) {
      throw unwritable(path, thrown);
    }
  }

  #remove(server: string, launch: string): void {
    const path = decisionPath(this.folder, server, launch);
    try {
      unlinkSync(path);
    } catch (thrown) {
      // Another process may have removed it.
      if (errorCode(thrown) !== "ENOENT") throw unwritable(path, thrown);
    }
  }
}

function unwritable(path: string, cause: unknown): TrustError {
  return new TrustError("unwritable", `cannot change ${path}: ${describeError(cause)}`, { cause });
}
