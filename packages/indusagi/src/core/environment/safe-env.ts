/** Names and values of a process environment; `undefined` removes a name. */
export interface Environment {
  readonly [name: string]: string | undefined;
}

/**
 * The environment for a child process: the names in `source` that are known to be needed and harmless, then `extra`.
 * An allow list, because no list of names that may hold secrets could be complete.
 *
 * Proxy addresses are kept although they may contain a password: without them the child cannot reach the network.
 */
export function safeEnvironment(
  extra: Environment = {},
  source: Environment = process.env,
): Record<string, string> {
  const safe = new Map<string, string>();
  for (const [name, value] of Object.entries(source)) {
    if (value !== undefined && isSafeName(name) && !isExportedFunction(value)) safe.set(name, value);
  }
  for (const [name, value] of Object.entries(extra)) {
    for (const spelling of spellingsOf(name, safe)) safe.delete(spelling);
    if (value !== undefined) safe.set(name, value);
  }
  return Object.fromEntries(safe);
}

/** The allowed names, besides those with one of `SAFE_PREFIXES`. Case is ignored. */
const SAFE_NAMES: ReadonlySet<string> = new Set([
  "HOME",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TERM",
  "USER",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TMPDIR",
  "TEMP",
  "TMP",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "FTP_PROXY",
  "NO_PROXY",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  // Windows: most programs do not start without these.
  "SYSTEMROOT",
  "SYSTEMDRIVE",
  "WINDIR",
  "COMSPEC",
  "PATHEXT",
  "APPDATA",
  "LOCALAPPDATA",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "PROGRAMFILES(X86)",
  "PROGRAMW6432",
  "COMMONPROGRAMFILES",
  "ALLUSERSPROFILE",
  "PUBLIC",
  "USERNAME",
  "USERPROFILE",
  "HOMEDRIVE",
  "HOMEPATH",
  "COMPUTERNAME",
  "OS",
  "NUMBER_OF_PROCESSORS",
  "PROCESSOR_ARCHITECTURE",
]);

const SAFE_PREFIXES = ["LC_", "XDG_"] as const;

/** Refused despite the prefix: some people pass secrets through ssh as `LC_…`. */
const SECRET_ENDING = /(TOKEN|KEY|SECRET|PASSWORD|PASSWD|COOKIE)$/;

function isSafeName(name: string): boolean {
  const upper = name.toUpperCase();
  if (SAFE_NAMES.has(upper)) return true;
  return SAFE_PREFIXES.some((prefix) => upper.startsWith(prefix)) && !SECRET_ENDING.test(upper);
}

/** On Windows `Path` and `PATH` are the same variable. */
function spellingsOf(name: string, environment: ReadonlyMap<string, string>): string[] {
  if (process.platform !== "win32") return [name];
  return [...environment.keys()].filter((other) => other.toUpperCase() === name.toUpperCase());
}

/** Old shells run such a value as code. */
function isExportedFunction(value: string): boolean {
  return value.startsWith("()");
}
