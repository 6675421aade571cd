import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The Node that runs this script if it has the right major version, else one from npm, installed below `scratch`. */
export function nodeBinary(major: string, scratch: string): string {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const platform = process.platform === "win32" ? "win" : process.platform;
  return installedNode(major, scratch, `${platform}-${process.arch}`);
}

/** A Node from npm for any platform, such as `win-x64`, installed below `scratch`. */
export function installedNode(major: string, scratch: string, platform: string): string {
  const isWindows = platform.startsWith("win");
  // The package `node` only downloads this one in an install script; scripts stay off here.
  const name = `node-${platform}`;
  const folder = join(scratch, major);
  const binary = join(folder, "node_modules", name, "bin", isWindows ? "node.exe" : "node");
  if (existsSync(binary)) return binary;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  // Forced: it may be one for another platform.
  const install = ["install", "--ignore-scripts", "--force", "--no-audit", "--no-fund", `${name}@${major}`];
  execFileSync(process.execPath, [npmScript(), ...install], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return binary;
}

export function npmScript(): string {
  const npm = process.env["npm_execpath"];
  if (!npm) throw new Error("cannot find npm; start this script with npm run");
  return npm;
}
