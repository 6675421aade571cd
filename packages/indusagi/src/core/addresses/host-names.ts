/** The host as sockets and resolvers need it: no brackets around IPv6, no dot at the end. */
export function bareHost(hostname: string): string {
  const host = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return host.replace(/\.$/, "").toLowerCase();
}

/**
 * Whether a host, given as a name or an address, is certainly this machine. Unusual spellings, such as `127.1` or an IPv4
 * address mapped into IPv6, do not count: not every program reads them the same.
 */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host);
}

const LOOPBACK = /^(?:localhost|::1|\[::1\]|127(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3})$/i;

/** Whether a name exists only inside a private network. */
export function isPrivateName(host: string): boolean {
  return !host.includes(".") || PRIVATE_SUFFIXES.some((suffix) => host.endsWith(`.${suffix}`));
}

const PRIVATE_SUFFIXES = [
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "home.arpa",
  "localdomain",
];
