/** Names and values of a process environment; `undefined` takes a name away. */
export interface Environment {
  readonly [name: string]: string | undefined;
}

/**
 * The environment a child may have: names known to be harmless and needed, from `source`, and then what `extra` says.
 * A list of what is allowed, because nobody can list every name a secret might have.
 *
 * Proxy addresses are kept although they may hold a password: without them nothing reaches the network.
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
    for (const twin of spellingsOf(name, safe)) safe.delete(twin);
    if (value !== undefined) safe.set(name, value);
  }
  return Object.fromEntries(safe);
}

/** The names let through, apart from those that begin with one of `SAFE_PREFIXES`. Compared without regard to case. */
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
  // Windows, where hardly a program starts without them.
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

/** What must not come in under a prefix: some let secrets through remote logins as `LC_…`. */
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

/** Old shells took such a value for code and ran it. */
function isExportedFunction(value: string): boolean {
  return value.startsWith("()");
}
