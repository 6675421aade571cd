import { escapeForDisplay } from "../../../core/index.ts";
import type { ProtocolFault } from "../../contract/index.ts";
import {
  httpStatusMeaning,
  networkFailure,
  passVariables,
  removalCommand,
  setVariables,
  symptomsOf,
} from "../../endpoint/index.ts";

/** Whether another start can help after a fault, and what the user can do. */
export interface RetryOutlook {
  readonly retryable: boolean;
  readonly remedy: string;
}

const COMMAND = `check "command" and "args" in its configuration`;
/** By system error code of a start. A code that is not listed is worth a retry. */
const CODES: { readonly [code: string]: RetryOutlook } = {
  ENOENT: {
    retryable: false,
    remedy: `install it, or check "command" and "cwd" in its configuration`,
  },
  EACCES: { retryable: false, remedy: `make it executable, or change "command" in its configuration` },
  EPERM: {
    retryable: false,
    remedy: `allow it to run, or change "command" in its configuration`,
  },
  ENOEXEC: { retryable: false, remedy: COMMAND },
  ENOTDIR: { retryable: false, remedy: `check "command" and "cwd" in its configuration` },
  EISDIR: { retryable: false, remedy: COMMAND },
  ELOOP: { retryable: false, remedy: COMMAND },
  ENAMETOOLONG: { retryable: false, remedy: COMMAND },
  E2BIG: { retryable: false, remedy: `shorten "args" or "env" in its configuration` },
  ERR_INVALID_ARG_VALUE: { retryable: false, remedy: COMMAND },
  ERR_INVALID_ARG_TYPE: { retryable: false, remedy: COMMAND },
  EMFILE: { retryable: true, remedy: "raise the limit on open files" },
  ENFILE: { retryable: true, remedy: "raise the limit on open files" },
  EAGAIN: { retryable: true, remedy: "raise the limit on processes" },
};

/** By the fault's reason, where it has one. */
const REASONS: { readonly [reason: string]: RetryOutlook } = {
  session_lost: { retryable: true, remedy: "nothing to do: a new session will be opened" },
  value_command: { retryable: false, remedy: 'run the command of its "fromCommand" yourself and correct it' },
  policy: { retryable: false, remedy: "allow it first" },
  untrusted: { retryable: false, remedy: "look at its row first: it decides which program runs here" },
  unsupported: { retryable: false, remedy: "correct its row in the configuration" },
};

/**
 * Whether a fault is worth a retry. These tables decide every restart. A server that has been ready is at the right address:
 * a 404 means a wrong url for a server that never worked, but a deploy in progress for one that did.
 */
export function retryOutlook(fault: ProtocolFault, wasReady = false): RetryOutlook {
  const { reason, status, exit, unpassed, unset, damagedCache, login, install } = fault.details;
  if (login !== undefined) return { retryable: false, remedy: login };
  if (install !== undefined) return { retryable: false, remedy: install };
  const known = REASONS[reason ?? ""];
  if (known) return known;
  if (status !== undefined) {
    const { retryable, canReturn, remedy } = httpStatusMeaning(status);
    return { retryable: retryable || (wasReady && canReturn), remedy };
  }
  const symptoms = symptomsOf(fault.cause);
  const listed = CODES[symptoms.code ?? ""];
  if (listed) return listed;
  const network = exit ? undefined : networkFailure(symptoms);
  if (network)
    return {
      retryable: network.retryable || (wasReady && network.canReturn),
      remedy: network.remedy,
    };
  // Worth a retry: another program may be installing the same package right now.
  if (damagedCache !== undefined) return { retryable: true, remedy: removeCache(damagedCache) };
  if (unpassed) return { retryable: true, remedy: passVariables(unpassed, fault.server) };
  if (unset) return { retryable: true, remedy: setVariables(unset, fault.server) };
  if (exit) return { retryable: true, remedy: "run its command by hand to see why it exits" };
  if (fault.kind === "timeout")
    return {
      retryable: true,
      remedy: `find out what it waits for, or raise "timeouts" in its configuration`,
    };
  return { retryable: true, remedy: "see the log of the server" };
}

function removeCache(folder: string): string {
  const command = escapeForDisplay(removalCommand(folder));
  return `its folder in the npx cache seems to be damaged: remove it with ${command} and start the server again`;
}

const MAX_CHARS = 500;

/** A fault as one line that is safe to display, with the remedy at its end. */
export function explainFault(fault: ProtocolFault): string {
  const message = escapeForDisplay(fault.message.replace(/\s+/g, " ").trim());
  const cut = message.length > MAX_CHARS ? `${message.slice(0, MAX_CHARS)}…` : message;
  return `${cut}; ${retryOutlook(fault).remedy}`;
}
