import { readlinkSync } from "node:fs";

// What both ends of a connection to the background gateway must know. Imports Node's modules only.

/** What the gateway says when its user has ended it: its clients need not look for it. */
export const ENDED_BY_USER = "indus down has ended the background gateway";

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
  /^(PATH|HOME|LOGNAME|SHELL|SHLVL|TERM|USER|LANG|LANGUAGE|TZ|TMPDIR|TEMP|TMP|(HTTPS?|ALL|FTP|NO)_PROXY|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(LC|XDG|INDUS)_.*|SYSTEM(ROOT|DRIVE)|WINDIR|COMSPEC|PATHEXT|(LOCAL)?APPDATA|PROGRAM(DATA|FILES|W6432|FILES\(X86\))|COMMONPROGRAMFILES|ALLUSERSPROFILE|PUBLIC|USERNAME|USERPROFILE|HOME(DRIVE|PATH)|COMPUTERNAME|OS|NUMBER_OF_PROCESSORS|PROCESSOR_ARCHITECTURE)$/i;

/**
 * What a client says about itself: where it is and what its servers inherit. Of its environment only what every child gets, what
 * says where files are, and our own settings; the gateway asks for others by name.
 */
export function clientPlace(env: NodeJS.ProcessEnv = process.env): {
  readonly cwd: string;
  readonly env: { readonly [name: string]: string | undefined };
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
