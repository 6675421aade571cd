import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The gateways that ours is compared with. */
const PEERS = { "mcp-proxy": "6.7.19", supergateway: "4.0.0" } as const;

type PeerName = keyof typeof PEERS;

const folder = join(tmpdir(), "indus-bench-peers");
const INSTALL_MS = 300_000;

/** Installs the peers into a folder for temporary files, unless they are there. They are no dependencies of ours. */
export function installPeers(): void {
  const identity = JSON.stringify(PEERS);
  const done = join(folder, "installed.txt");
  if (existsSync(done) && readFileSync(done, "utf8") === identity) return;
  const npm = process.env["npm_execpath"];
  if (!npm || !existsSync(npm)) throw new Error("cannot find npm; start this script with: npm run bench");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: PEERS }));
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const options = { cwd: folder, encoding: "utf8", timeout: INSTALL_MS } as const;
  const { status, stderr } = spawnSync(process.execPath, [npm, ...args], options);
  if (status !== 0) throw new Error(`the peers cannot be installed: ${stderr}`);
  writeFileSync(done, identity);
}

/** The script that starts a peer. */
export function peerScript(name: PeerName): string {
  const own = join(folder, "node_modules", name);
  const { bin } = JSON.parse(readFileSync(join(own, "package.json"), "utf8")) as {
    readonly bin: string | { readonly [name: string]: string };
  };
  const script = typeof bin === "string" ? bin : bin[name];
  if (script === undefined) throw new Error(`${name} has no command of its name`);
  return join(own, script);
}
