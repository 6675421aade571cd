import {
  PIN_FILE,
  type PinFile,
  type PinStore,
  pinFileName,
  type ServerPins,
} from "../servers/pins/internal.ts";
import { fittingContent } from "../state/index.ts";
import type { SharedTexts } from "./shared-texts.ts";

/**
 * The approved forms of all gateways. The first gateway that lists a tool pins it, by compare-and-set: one that sees another form
 * at the same time finds the pin, and reviews what it saw as a change.
 */
export function sharedPins(texts: SharedTexts): PinStore {
  const fileOf = (name: string, path = `the cluster's pins ${name}`): PinFile => ({
    path,
    read: () => {
      const found = texts.get(name);
      if (!found) return { value: undefined };
      const value = parsed(found.text);
      return value ? { value } : { problem: DAMAGED, reason: DAMAGED };
    },
    stamp: () => texts.get(name)?.stamp ?? "",
    update: async (change) => {
      const stored = await texts.update(name, (text) => {
        const now = text === undefined ? undefined : parsed(text);
        const next = change(
          text !== undefined && !now ? { problem: DAMAGED, reason: DAMAGED } : { value: now },
        );
        return next && fittingContent(next, PIN_FILE, path).content.toString();
      });
      return { value: stored && parsed(stored.text), stamp: stored?.stamp ?? "" };
    },
  });
  return {
    pins: (server, source) => fileOf(pinFileName(server, source)),
    onChange: (listener) => texts.onChange(() => listener()),
  };
}

const DAMAGED = "are damaged, or of a newer version";

function parsed(text: string): ServerPins | undefined {
  try {
    return PIN_FILE.parse(text);
  } catch {
    return undefined;
  }
}
