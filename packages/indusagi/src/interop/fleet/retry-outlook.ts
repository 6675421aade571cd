import type { ProtocolFault } from "../contract/index.ts";
import { meaningOf, symptomsOf } from "../endpoint/index.ts";

/** Whether starting again can help after a fault, and what somebody can do about it. */
export interface Prospects {
  readonly canHeal: boolean;
  readonly wayOut: string;
}

const COMMAND = `check "command" and "args" in its configuration`;
const CERTIFICATE = {
  canHeal: false,
  wayOut: "have its certificate mended, or name its authority to this machine",
};

/** By the code of the system. What is not listed may heal. */
const CODES: { readonly [code: string]: Prospects } = {
  ENOENT: {
    canHeal: false,
    wayOut: `install it, or check "command" and "cwd" in its configuration`,
  },
  EACCES: { canHeal: false, wayOut: "make it executable, or name another command in its configuration" },
  EPERM: { canHeal: false, wayOut: "allow it to be executed, or name another command in its configuration" },
  ENOEXEC: { canHeal: false, wayOut: COMMAND },
  ENOTDIR: { canHeal: false, wayOut: `check "command" and "cwd" in its configuration` },
  EISDIR: { canHeal: false, wayOut: COMMAND },
  ELOOP: { canHeal: false, wayOut: COMMAND },
  ENAMETOOLONG: { canHeal: false, wayOut: COMMAND },
  E2BIG: { canHeal: false, wayOut: `shorten "args" or "env" in its configuration` },
  ERR_INVALID_ARG_VALUE: { canHeal: false, wayOut: COMMAND },
  ERR_INVALID_ARG_TYPE: { canHeal: false, wayOut: COMMAND },
  ERR_INVALID_URL: { canHeal: false, wayOut: `mend "url" in its configuration` },
  ERR_TLS_CERT_ALTNAME_INVALID: CERTIFICATE,
  ECONNREFUSED: { canHeal: true, wayOut: `start the server, or mend "url" in its configuration` },
  ENOTFOUND: { canHeal: true, wayOut: `check the network, or the host name in its "url"` },
  EAI_AGAIN: { canHeal: true, wayOut: "check the network" },
  EMFILE: { canHeal: true, wayOut: "raise the limit of open files" },
  ENFILE: { canHeal: true, wayOut: "raise the limit of open files" },
  EAGAIN: { canHeal: true, wayOut: "raise the limit of processes" },
};

/** By the fault's reason, where it has one. */
const REASONS: { readonly [reason: string]: Prospects } = {
  session_lost: { canHeal: true, wayOut: "nothing to do: a new session is opened" },
  policy: { canHeal: false, wayOut: "allow it first" },
  unsupported: { canHeal: false, wayOut: "change what its configuration asks for" },
};

/**
 * Reads off a fault whether it is worth another try. The one table every restart is decided by. A server that has been ready
 * is at the right address: what would condemn a url that never worked is, for it, a deploy under way.
 */
export function prospectsOf(fault: ProtocolFault, wasReady = false): Prospects {
  const { reason, status, exit } = fault.details;
  const known = REASONS[reason ?? ""];
  if (known) return known;
  if (status !== undefined) {
    const { canHeal, canReturn, wayOut } = meaningOf(status);
    return { canHeal: canHeal || (wasReady && canReturn), wayOut };
  }
  const { code = "" } = symptomsOf(fault.cause);
  const listed = CODES[code];
  if (listed) return listed;
  if (/^(CERT|DEPTH|SELF_SIGNED|UNABLE_TO)_/.test(code)) return CERTIFICATE;
  if (exit) return { canHeal: true, wayOut: "run its command by hand to see why it ends" };
  if (fault.kind === "timeout")
    return { canHeal: true, wayOut: `see what it waits for, or raise "timeouts" in its configuration` };
  return { canHeal: true, wayOut: "look at what the server itself reports" };
}
