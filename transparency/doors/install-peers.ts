import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type InstalledPeers, PEER_PACKAGES } from "./peers.ts";

const NODE_24 = {
  name: `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`,
  version: "24.21.0",
};
const INSTALL_MS = 600_000;

/** Installs the other gateways once, at pinned versions, and a Node 24 for the one that needs it. */
export function installPeers(folder: string, print: (line: string) => void): InstalledPeers {
  const hasOwnNode = Number(process.versions.node.split(".")[0]) >= 24;
  const dependencies = { ...PEER_PACKAGES, ...(hasOwnNode ? {} : { [NODE_24.name]: NODE_24.version }) };
  const wanted = JSON.stringify(dependencies);
  const doneFile = join(folder, "installed.json");
  if (!existsSync(doneFile) || readFileSync(doneFile, "utf8") !== wanted) {
    print(`installing ${Object.keys(dependencies).join(", ")} into ${folder}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
    const npm = process.env["npm_execpath"];
    if (!npm) throw new Error("cannot find npm; start this script with: npm run transparency");
    const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    execFileSync(process.execPath, [npm, ...args], {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
      timeout: INSTALL_MS,
    });
    writeFileSync(doneFile, wanted);
  }
  const modules = join(folder, "node_modules");
  const executable = process.platform === "win32" ? "node.exe" : "node";
  return {
    node24: hasOwnNode ? process.execPath : join(modules, NODE_24.name, "bin", executable),
    programOf: (name) => join(modules, name, programIn(join(modules, name, "package.json"), name)),
  };
}

function programIn(file: string, name: string): string {
  const { bin } = JSON.parse(readFileSync(file, "utf8")) as { readonly bin?: unknown };
  const program = typeof bin === "string" ? bin : (bin as { readonly [name: string]: unknown })?.[name];
  if (typeof program === "string") return program;
  throw new Error(`${name} has no program of its name`);
}
