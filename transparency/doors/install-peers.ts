import { join } from "node:path";
import { installPackages } from "./install-packages.ts";
import { type InstalledPeers, PEER_PACKAGES } from "./peers.ts";

const NODE_24 = {
  name: `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`,
  version: "24.21.0",
};

/** Installs the other gateways once, at pinned versions, and a Node 24 for the one that needs it. */
export function installPeers(folder: string, print: (line: string) => void): InstalledPeers {
  const hasOwnNode = Number(process.versions.node.split(".")[0]) >= 24;
  const dependencies = { ...PEER_PACKAGES, ...(hasOwnNode ? {} : { [NODE_24.name]: NODE_24.version }) };
  const { folderOf, programOf } = installPackages({ folder, dependencies, print });
  const executable = process.platform === "win32" ? "node.exe" : "node";
  return {
    node24: hasOwnNode ? process.execPath : join(folderOf(NODE_24.name), "bin", executable),
    programOf,
  };
}
