import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Network namespaces on one bridge stand for machines. Cutting two apart drops their packets: nobody gets a FIN. */
export interface Machines extends Disposable {
  /** What a command line on that machine begins with. */
  prefix(name: string): readonly string[];
  address(name: string): string;
  cut(one: string, others: readonly string[]): void;
  heal(one: string, others: readonly string[]): void;
}

function ip(...args: readonly string[]): void {
  execFileSync("ip", [...args], { stdio: ["ignore", "ignore", "pipe"] });
}

/** Why there can be none here; undefined if there can. */
export function whyNoMachines(): string | undefined {
  if (process.platform !== "linux") return "network namespaces are of Linux";
  try {
    makeMachines(["probe"])[Symbol.dispose]();
    return undefined;
  } catch (thrown) {
    return `network namespaces cannot be made here: ${(thrown as Error).message.split("\n")[0]}`;
  }
}

let made = 0;

export function makeMachines(names: readonly string[]): Machines {
  const run = `${process.pid % 10_000}x${made++}`;
  const bridge = `ib${run}`;
  const network = `10.213.${(process.pid + made) % 250}`;
  const namespaceOf = (name: string): string => `indus-${run}-${name}`;
  const addressOf = (name: string): string => `${network}.${names.indexOf(name) + 1}`;
  const dispose = (): void => {
    for (const name of names) quietly("netns", "del", namespaceOf(name));
    quietly("link", "del", bridge);
  };
  try {
    ip("link", "add", bridge, "type", "bridge");
    ip("addr", "add", `${network}.254/24`, "dev", bridge);
    ip("link", "set", bridge, "up");
    for (const [at, name] of names.entries()) {
      const outer = `iv${run}.${at}`;
      const inside = ["-n", namespaceOf(name)];
      ip("netns", "add", namespaceOf(name));
      ip("link", "add", outer, "type", "veth", "peer", "name", "eth0", "netns", namespaceOf(name));
      ip("link", "set", outer, "master", bridge, "up");
      ip(...inside, "addr", "add", `${addressOf(name)}/24`, "dev", "eth0");
      ip(...inside, "link", "set", "lo", "up");
      ip(...inside, "link", "set", "eth0", "up");
    }
  } catch (thrown) {
    dispose();
    throw thrown;
  }
  const route = (what: "add" | "del", one: string, others: readonly string[]): void => {
    for (const other of others) {
      ip("-n", namespaceOf(one), "route", what, "blackhole", `${addressOf(other)}/32`);
      ip("-n", namespaceOf(other), "route", what, "blackhole", `${addressOf(one)}/32`);
    }
  };
  return {
    prefix: (name) => ["ip", "netns", "exec", namespaceOf(name)],
    address: addressOf,
    cut: (one, others) => route("add", one, others),
    heal: (one, others) => route("del", one, others),
    [Symbol.dispose]: dispose,
  };
}

function quietly(...args: readonly string[]): void {
  try {
    ip(...args);
  } catch {
    // It was not made, or is gone.
  }
}

/** What NATS beyond loopback needs: certificates for these addresses, a user, and both as files for us. */
export interface NatsAccess {
  /** Of `nats.conf`. */
  readonly server: string;
  /** Of our command lines. */
  readonly client: readonly string[];
}

export function makeAccess(folder: string, addresses: readonly string[]): NatsAccess {
  mkdirSync(folder, { recursive: true });
  const at = (name: string): string => join(folder, name);
  const openssl = (...args: readonly string[]): void => {
    execFileSync("openssl", [...args], { stdio: ["ignore", "ignore", "pipe"] });
  };
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl(
    ...["req", "-x509", ...curve, "-days", "2", "-subj", "/CN=indus cluster", "-keyout", at("ca.key")],
    ...["-out", at("ca.pem")],
  );
  openssl("req", ...curve, "-subj", "/CN=nats", "-keyout", at("nats.key"), "-out", at("nats.csr"));
  // The NATS library checks a server that is named by its address as "localhost".
  const names = ["DNS:localhost", ...addresses.map((each) => `IP:${each}`)];
  writeFileSync(at("names"), `subjectAltName=${names.join(",")}\n`);
  openssl(
    ...["x509", "-req", "-in", at("nats.csr"), "-CA", at("ca.pem"), "-CAkey", at("ca.key"), "-days", "2"],
    ...["-extfile", at("names"), "-out", at("nats.pem")],
  );
  writeFileSync(at("user.json"), JSON.stringify({ user: "indus", password: "of this run only" }), {
    mode: 0o600,
  });
  return {
    server: `tls { cert_file: "${at("nats.pem")}", key_file: "${at("nats.key")}" }
authorization { user: indus, password: "of this run only" }`,
    client: ["--cluster-creds", at("user.json"), "--cluster-ca", at("ca.pem")],
  };
}
