import { readFileSync, readlinkSync } from "node:fs";

// What both ends of a connection to the background gateway must know. Imports Node's modules only.

/** What the gateway says when its user has ended it: its clients need not look for it. */
export const ENDED_BY_USER = "indus down has ended the background gateway";

type Variables = { readonly [name: string]: string | undefined };

/** Whether the user wants this process to run its servers itself. */
export function isSharingOff({ INDUS_NO_SHARE: word = "" }: Variables = process.env): boolean {
  return word !== "" && word !== "0";
}

/**
 * Whether a session or a gateway of ours started this process: its programs end with it, so they must neither use nor start what
 * outlives it. Many clients start servers with a few variables only, so on Linux the parents' are read too.
 */
export function isInOurTree(env: Variables = process.env): boolean {
  if (env[TREE]) return true;
  if (process.platform !== "linux") return false;
  try {
    for (let pid = process.ppid; pid > 1; pid = parentOf(pid))
      if (`\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`.includes(`\0${TREE}=`)) return true;
  } catch {
    // Its parent has ended, or belongs to another user.
  }
  return false;
}

/** What `core/process-tree` sets in the environment of all programs that we start. */
const TREE = "INDUS_TREE";

function parentOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "latin1");
  // The name before it may contain anything, but no later bracket.
  return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
}

/** The namespaces of a process, which differ between containers. Empty where there are none. */
export function containerOf(pid: number | "self"): string {
  if (process.platform !== "linux") return "";
  const names = ["mnt", "pid", "net", "user", "ipc", "uts"];
  return names.map((name) => linkOf(`/proc/${pid}/ns/${name}`)).join(" ");
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

const SENT =
  /^(PATH|HOME|LOGNAME|SHELL|SHLVL|TERM|NO_COLOR|FORCE_COLOR|USER|LANG|LANGUAGE|TZ|TMPDIR|TEMP|TMP|(HTTPS?|ALL|FTP|NO)_PROXY|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(LC|XDG|INDUS)_.*|SYSTEM(ROOT|DRIVE)|WINDIR|COMSPEC|PATHEXT|(LOCAL)?APPDATA|PROGRAM(DATA|FILES|W6432|FILES\(X86\))|COMMONPROGRAMFILES|ALLUSERSPROFILE|PUBLIC|USERNAME|USERPROFILE|HOME(DRIVE|PATH)|COMPUTERNAME|OS|NUMBER_OF_PROCESSORS|PROCESSOR_ARCHITECTURE)$/i;

/**
 * What a client says about itself: where it is and what its servers inherit. Of its environment only what every child gets, what
 * says where files are, and our own settings; the gateway asks for others by name.
 */
export function clientPlace(env: Variables = process.env): {
  readonly cwd: string;
  readonly env: Variables;
  readonly umask: number;
  readonly container: string;
  readonly pid: number;
} {
  return {
    cwd: process.cwd(),
    env: Object.fromEntries(Object.entries(env).filter(([name]) => SENT.test(name))),
    umask: process.umask(),
    container: containerOf("self"),
    pid: process.pid,
  };
}
