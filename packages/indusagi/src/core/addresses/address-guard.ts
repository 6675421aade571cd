import type * as nodeNet from "node:net";
import type { BlockList, LookupFunction } from "node:net";
import { CoreError } from "../core-error.ts";

/** Node's networking, loaded on first use: most processes that load this file never connect. */
const net = (): typeof nodeNet => process.getBuiltinModule("node:net");

/** A host resolves to an address that is not on the public internet. */
export class BlockedAddressError extends CoreError<"blocked_address"> {
  constructor(hostname: string, address: string) {
    const subject = hostname === address ? `${hostname} is` : `${hostname} resolves to ${address},`;
    super("blocked_address", `${subject} not a public internet address`);
  }
}

/** Returns all addresses of a host name. Rejects when there is none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/** All addresses of a name from the system's resolver, hosts file included. */
export const systemResolveHost: ResolveHost = async (hostname) => {
  const { lookup } = await import("node:dns/promises");
  const found = await lookup(hostname, { all: true, verbatim: true });
  return found.map((entry) => entry.address);
};

/**
 * Whether an IP address, IPv4 or IPv6, belongs to the public internet. False for loopback, private networks, link-local,
 * cloud metadata, multicast and reserved ranges, even when mapped into IPv6, and for text that is not an address.
 */
export function isPublicAddress(address: string): boolean {
  const bare = withoutZone(address);
  const version = net().isIP(bare);
  if (version === 0) return false;
  const family = version === 4 ? "ipv4" : "ipv6";
  const { routed, reserved } = addressTables();
  return routed.check(bare, family) && !reserved.check(bare, family);
}

/** A class of non-public addresses that a user may want to reach: this machine, or their own network. */
export type PrivateNetwork = "loopback" | "private" | "shared";

/** The class of an address; `undefined` for public ones, and for link-local and reserved ones, which are never allowed. */
export function privateNetworkOf(address: string): PrivateNetwork | undefined {
  const bare = withoutZone(address);
  const version = net().isIP(bare);
  if (version === 0) return undefined;
  const family = version === 4 ? "ipv4" : "ipv6";
  return PRIVATE_NETWORKS.find((name) => addressTables().networks[name].check(bare, family));
}

/** Throws `BlockedAddressError` unless every address of a host is public or in the class `also`. */
export function requirePublicAddresses(
  hostname: string,
  addresses: readonly string[],
  also?: PrivateNetwork,
): void {
  const isAllowed = (address: string): boolean =>
    isPublicAddress(address) || (also !== undefined && privateNetworkOf(address) === also);
  const blocked = addresses.find((address) => !isAllowed(address));
  if (blocked !== undefined) throw new BlockedAddressError(hostname, blocked);
}

/**
 * A `lookup` for sockets that refuses hosts with a non-public address. The socket connects to exactly the addresses
 * checked here, so a name that resolves differently the next time (DNS rebinding) gains nothing.
 * Sockets do not call `lookup` for IP literals: check those with `isPublicAddress` first.
 */
export function guardedLookup(resolve: ResolveHost, also?: PrivateNetwork): LookupFunction {
  return plainLookup(async (hostname) => {
    const addresses = await resolve(hostname);
    requirePublicAddresses(hostname, addresses, also);
    return addresses;
  });
}

/** The same `lookup` without the check, for hosts that the user has allowed. */
export function plainLookup(resolve: ResolveHost): LookupFunction {
  return (hostname, options, callback) => {
    const answer = (addresses: readonly string[]): void => {
      const found = addresses.map((address) => ({ address, family: net().isIP(withoutZone(address)) }));
      const [first] = found;
      if (!first) callback(new CoreError("no_address", `${hostname} has no address`), "");
      else if (options.all === true) callback(null, found);
      else callback(null, first.address, first.family);
    };
    resolve(hostname).then(answer, (cause: unknown) => callback(cause as Error, ""));
  };
}

/** IPv4 ranges that are not the public internet: the IANA special-purpose registry, and one of a cloud platform. */
const RESERVED_V4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8], // this network: Linux connects to loopback for 0.0.0.0
  ["10.0.0.0", 8],
  ["100.64.0.0", 10], // carrier-grade NAT; also a cloud's metadata service
  ["127.0.0.0", 8],
  ["168.63.129.16", 32], // Azure's host agent, reachable from every guest
  ["169.254.0.0", 16], // link-local: usually cloud metadata
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // 6to4 relays
  ["192.168.0.0", 16],
  ["198.18.0.0", 15], // benchmarking
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, and broadcast
];

/** Ranges within 2000::/3 that are not the public internet. */
const RESERVED_V6: readonly (readonly [string, number])[] = [
  ["2001::", 23], // protocol assignments: Teredo, ORCHID, benchmarking
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4: deprecated, and contains an IPv4 address
  ["3fff::", 20], // documentation
];

const PRIVATE_NETWORKS: readonly PrivateNetwork[] = ["loopback", "private", "shared"];

/** IPv4 rules also hold for addresses mapped into IPv6. */
const NETWORKS: {
  readonly [name in PrivateNetwork]: readonly (readonly [string, number, "ipv4" | "ipv6"])[];
} = {
  loopback: [
    ["127.0.0.0", 8, "ipv4"],
    ["::1", 128, "ipv6"],
  ],
  private: [
    ["10.0.0.0", 8, "ipv4"],
    ["172.16.0.0", 12, "ipv4"],
    ["192.168.0.0", 16, "ipv4"],
    ["fc00::", 7, "ipv6"],
  ],
  shared: [["100.64.0.0", 10, "ipv4"]], // carrier-grade NAT, used by private overlay networks
};

interface AddressTables {
  readonly networks: { readonly [name in PrivateNetwork]: BlockList };
  readonly routed: BlockList;
  readonly reserved: BlockList;
}

let tables: AddressTables | undefined;

function addressTables(): AddressTables {
  tables ??= buildTables();
  return tables;
}

function buildTables(): AddressTables {
  // In IPv6 only global unicast is routed. The two forms that contain an IPv4 address are judged by that address.
  const { BlockList } = net();
  const routed = new BlockList();
  routed.addSubnet("0.0.0.0", 0, "ipv4");
  routed.addSubnet("2000::", 3, "ipv6");
  routed.addSubnet("::ffff:0:0", 96, "ipv6");
  routed.addSubnet("64:ff9b::", 96, "ipv6");

  const reserved = new BlockList();
  for (const [network, bits] of RESERVED_V6) reserved.addSubnet(network, bits, "ipv6");
  for (const [network, bits] of RESERVED_V4) {
    reserved.addSubnet(network, bits, "ipv4");
    reserved.addSubnet(`::ffff:${network}`, 96 + bits, "ipv6");
    reserved.addSubnet(`64:ff9b::${network}`, 96 + bits, "ipv6");
  }
  const listOf = (name: PrivateNetwork): BlockList => {
    const list = new BlockList();
    for (const [network, bits, family] of NETWORKS[name]) list.addSubnet(network, bits, family);
    return list;
  };
  const networks = { loopback: listOf("loopback"), private: listOf("private"), shared: listOf("shared") };
  return { networks, routed, reserved };
}

/** `fe80::1%eth0` names an interface after the percent sign; the address ends before it. */
function withoutZone(address: string): string {
  const percent = address.indexOf("%");
  return percent === -1 ? address : address.slice(0, percent);
}
