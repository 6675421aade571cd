/** The host as sockets and resolvers need it: no brackets around IPv6, no dot at the end. */
export function bareHost(hostname: string): string {
  const host = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return host.replace(/\.$/, "").toLowerCase();
}

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
