import type { ProtocolFault } from "../contract/index.ts";
import { httpStatusMeaning, symptomsOf } from "../endpoint/index.ts";

/** Whether starting again can help after a fault, and what somebody can do about it. */
export interface RetryOutlook {
  readonly retryable: boolean;
  readonly remedy: string;
}

const COMMAND = `check "command" and "args" in its configuration`;
const CERTIFICATE = {
  retryable: false,
  remedy: "have its certificate mended, or name its authority to this machine",
};

/** By the code of the system. What is not listed may heal. */
const CODES: { readonly [code: string]: RetryOutlook } = {
  ENOENT: {
    retryable: false,
    remedy: `install it, or check "command" and "cwd" in its configuration`,
  },
  EACCES: { retryable: false, remedy: "make it executable, or name another command in its configuration" },
  EPERM: {
    retryable: false,
    remedy: "allow it to be executed, or name another command in its configuration",
  },
  ENOEXEC: { retryable: false, remedy: COMMAND },
  ENOTDIR: { retryable: false, remedy: `check "command" and "cwd" in its configuration` },
  EISDIR: { retryable: false, remedy: COMMAND },
  ELOOP: { retryable: false, remedy: COMMAND },
  ENAMETOOLONG: { retryable: false, remedy: COMMAND },
  E2BIG: { retryable: false, remedy: `shorten "args" or "env" in its configuration` },
  ERR_INVALID_ARG_VALUE: { retryable: false, remedy: COMMAND },
  ERR_INVALID_ARG_TYPE: { retryable: false, remedy: COMMAND },
  ERR_INVALID_URL: { retryable: false, remedy: `mend "url" in its configuration` },
  ERR_TLS_CERT_ALTNAME_INVALID: CERTIFICATE,
  ECONNREFUSED: { retryable: true, remedy: `start the server, or mend "url" in its configuration` },
  ENOTFOUND: { retryable: true, remedy: `check the network, or the host name in its "url"` },
  EAI_AGAIN: { retryable: true, remedy: "check the network" },
  EMFILE: { retryable: true, remedy: "raise the limit of open files" },
  ENFILE: { retryable: true, remedy: "raise the limit of open files" },
  EAGAIN: { retryable: true, remedy: "raise the limit of processes" },
};

/** By the fault's reason, where it has one. */
const REASONS: { readonly [reason: string]: RetryOutlook } = {
  session_lost: { retryable: true, remedy: "nothing to do: a new session is opened" },
  policy: { retryable: false, remedy: "allow it first" },
  unsupported: { retryable: false, remedy: "change what its configuration asks for" },
};

/**
 * Reads off a fault whether it is worth another try. The one table every restart is decided by. A server that has been ready
 * is at the right address: what would condemn a url that never worked is, for it, a deploy under way.
 */
export function retryOutlook(fault: ProtocolFault, wasReady = false): RetryOutlook {
  const { reason, status, exit } = fault.details;
  const known = REASONS[reason ?? ""];
  if (known) return known;
  if (status !== undefined) {
    const { retryable, canReturn, remedy } = httpStatusMeaning(status);
    return { retryable: retryable || (wasReady && canReturn), remedy };
  }
  const { code = "" } = symptomsOf(fault.cause);
  const listed = CODES[code];
  if (listed) return listed;
  if (/^(CERT|DEPTH|SELF_SIGNED|UNABLE_TO)_/.test(code)) return CERTIFICATE;
  if (exit) return { retryable: true, remedy: "run its command by hand to see why it ends" };
  if (fault.kind === "timeout")
    return { retryable: true, remedy: `see what it waits for, or raise "timeouts" in its configuration` };
  return { retryable: true, remedy: "look at what the server itself reports" };
}
