import { join } from "node:path";
import { contentHash, describeError, escapeForDisplay, isRecord } from "indusagi/core";
import {
  hashNamedFiles,
  type JsonFile,
  openJsonFile,
  valueOrNothing,
  versionedJson,
} from "../../state/index.ts";
import {
  type TrustDecision,
  TrustError,
  type TrustReading,
  type TrustStore,
  type TrustVerdict,
} from "./trust-store.ts";

/**
 * Opens the decisions in the state folder of a workspace. It must be outside the project: a cloned project must not bring its
 * own approvals. Nothing is created before the first decision.
 */
export function openTrustStore(stateFolder: string): TrustStore {
  return new TrustFolder(join(stateFolder, "trust"));
}

const LAUNCH = /^[0-9a-f]{32}$/;

export function isLaunchHash(launch: string): boolean {
  return LAUNCH.test(launch);
}

/** One file per decision, so several processes can decide at the same time without a lock. */
class TrustFolder implements TrustStore {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  decision(server: string, launch: string): TrustReading | undefined {
    const file = this.#file(server, launch);
    const reading = file.read();
    // Whatever is wrong with the file, the answer is not an approval.
    if ("problem" in reading)
      return { problem: reading.isDamage ? reading.problem : `in ${file.path} ${reading.problem}` };
    const { value } = reading;
    // The file may have been copied to another name.
    const isAboutThis = !value || (value.server === server && value.launch === launch);
    return isAboutThis ? value : { problem: "is about another server" };
  }

  decisions(): readonly TrustDecision[] {
    const files = hashNamedFiles(this.folder).map((path) => openJsonFile(path, DECISION));
    return files.flatMap((file) => valueOrNothing(file.read()) ?? []);
  }

  approve(server: string, launch: string, parts?: TrustDecision["parts"]): void {
    this.#decide(server, launch, "approved", parts);
  }

  refuse(server: string, launch: string): void {
    this.#decide(server, launch, "refused");
  }

  forget(server: string): number {
    const forgotten = this.decisions().filter((decision) => decision.server === server);
    for (const { launch } of forgotten) this.#change(server, launch, (file) => file.remove());
    return forgotten.length;
  }

  #decide(server: string, launch: string, verdict: TrustVerdict, parts?: TrustDecision["parts"]): void {
    if (!isLaunchHash(launch)) {
      const message = `the decision about server "${escapeForDisplay(server)}" needs the hash of its launch`;
      throw new TrustError("bad_launch", message);
    }
    const at = new Date().toISOString();
    const decision = { server, launch, verdict, at, ...(parts && { parts }) };
    this.#change(server, launch, (file) => void file.write(decision));
  }

  #change(server: string, launch: string, change: (file: JsonFile<TrustDecision>) => void): void {
    const file = this.#file(server, launch);
    try {
      change(file);
    } catch (cause) {
      throw new TrustError("unwritable", `cannot change ${file.path}: ${describeError(cause)}`, { cause });
    }
  }

  #file(server: string, launch: string): JsonFile<TrustDecision> {
    return openJsonFile(join(this.folder, `${contentHash({ server, launch })}.json`), DECISION);
  }
}

const DECISION = versionedJson<TrustDecision>({
  format: 1,
  parse: ({ server, launch, verdict, at, parts }) => {
    if (typeof server !== "string" || typeof launch !== "string" || typeof at !== "string") return undefined;
    if (verdict !== "approved" && verdict !== "refused") return undefined;
    return { server, launch, verdict, at, ...(isTextMap(parts) && { parts }) };
  },
  members: (decision) => decision,
});

function isTextMap(value: unknown): value is { readonly [name: string]: string } {
  return isRecord(value) && Object.values(value).every((each) => typeof each === "string");
}
