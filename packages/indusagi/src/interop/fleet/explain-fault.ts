import { escapeForDisplay } from "../../core/index.ts";
import type { ProtocolFault } from "../contract/index.ts";
import { retryOutlook } from "./retry-outlook.ts";

const MAX_CHARS = 500;

/** A fault in one line that can be shown, with the way out at its end. */
export function explainFault(fault: ProtocolFault): string {
  const words = escapeForDisplay(fault.message.replace(/\s+/g, " ").trim());
  const cut = words.length > MAX_CHARS ? `${words.slice(0, MAX_CHARS)}…` : words;
  return `${cut}; ${retryOutlook(fault).remedy}`;
}
