import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Installed, installPackages } from "../../transparency/doors/install-packages.ts";
import { PEER_PACKAGES } from "../../transparency/doors/peers.ts";

const folder = join(tmpdir(), "indus-bench-peers");

/** Installs the gateways that ours is compared with, at the versions of the transparency run, unless they are there. */
export function installPeers(): Installed {
  const { "mcp-proxy": proxy, supergateway } = PEER_PACKAGES;
  const print = (line: string): void => void process.stderr.write(`${line}\n`);
  return installPackages({ folder, dependencies: { "mcp-proxy": proxy, supergateway }, print });
}
