import { readdirSync } from "node:fs";
import { join } from "node:path";
import { contentHash, isRecord, readPrivateText } from "indusagi/core";
import type { TrustDecision, TrustReading } from "./trust-store.ts";

const FORMAT = 1;
const NAME = /^[0-9a-f]{32}\.json$/;
const LAUNCH = /^[0-9a-f]{32}$/;

export function isLaunchHash(launch: string): boolean {
  return LAUNCH.test(launch);
}

/** One file per decision, so that several processes can decide at the same time without a lock. */
export function decisionPath(folder: string, server: string, launch: string): string {
  return join(folder, `${contentHash({ server, launch })}.json`);
}

export function decisionText(decision: TrustDecision): string {
  return `${JSON.stringify({ format: FORMAT, ...decision })}\n`;
}

/** The paths of all decisions. None if the folder is missing or cannot be read: then nothing is approved. */
export function decisionPaths(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => NAME.test(name))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** Reads one file. Whatever is wrong with it, the answer is not an approval. */
export function readDecision(path: string): TrustReading | undefined {
  const reading = readPrivateText(path);
  if ("problem" in reading)
    return reading.isAbsent ? undefined : { problem: `in ${path} ${reading.problem}` };
  return parseDecision(reading.text) ?? { problem: "is damaged, or of a newer version" };
}

function parseDecision(text: string): TrustDecision | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { format, server, launch, verdict, at, parts } = value as { readonly [member: string]: unknown };
  if (format !== FORMAT || typeof server !== "string" || typeof launch !== "string") return undefined;
  if (typeof at !== "string" || (verdict !== "approved" && verdict !== "refused")) return undefined;
  return { server, launch, verdict, at, ...(isTextMap(parts) && { parts }) };
}

function isTextMap(value: unknown): value is { readonly [name: string]: string } {
  return isRecord(value) && Object.values(value).every((each) => typeof each === "string");
}
