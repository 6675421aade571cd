import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { isRecord, readPrivateText, replaceFileAsync } from "indusagi/core";

/**
 * A listing whose review found nothing: every tool has its approved form. The same listing needs no other review while the
 * pins are the same. Most starts of a server bring nothing new, and comparing a thousand tools takes as long as a start.
 */
export interface ListingMemo {
  /** The stamp of the file of pins that it was compared with: see `PinStore.stamp`. */
  readonly pins: string;
  /** See `listingHash`. */
  readonly listing: string;
  /** What the pins hold about the version of the server. */
  readonly version?: string;
  readonly packageVersion?: string;
  /** Instructions that have their approved form: see `instructionsHash`. */
  readonly instructions?: string;
}

/** The memo in a file. A file that is missing, damaged or not ours alone has none: then the listing is reviewed. */
export function readListingMemo(path: string): ListingMemo | undefined {
  const reading = readPrivateText(path);
  if ("problem" in reading) return undefined;
  try {
    const memo: unknown = JSON.parse(reading.text);
    return isMemo(memo) ? memo : undefined;
  } catch {
    return undefined;
  }
}

/** Nothing but time is lost if it cannot be written. Never rejects. */
export async function writeListingMemo(folder: string, name: string, memo: ListingMemo): Promise<void> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const content = Buffer.from(`${JSON.stringify(memo)}\n`);
    await replaceFileAsync({ path: join(folder, name), content, mode: 0o600, canLose: true });
  } catch {
    // The next start reviews the listing again.
  }
}

function isMemo(value: unknown): value is ListingMemo {
  if (!isRecord(value)) return false;
  const { pins, listing, version = "", packageVersion = "", instructions = "" } = value;
  return [pins, listing, version, packageVersion, instructions].every((text) => typeof text === "string");
}
