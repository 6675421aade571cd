// The public MCP conformance suite as a program to run: where it lives, and what its report says.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const SUITE = "0.2.0-alpha.12";
export const root = fileURLToPath(new URL("..", import.meta.url));
export const scratch = join(root, "node_modules/.cache/indus/conformance");

/** Installs the suite once. It needs Node 22 or later; on an older one it runs on a Node 24 from npm. */
export function installSuite() {
  const hasOwnNode = Number(process.versions.node.split(".")[0]) >= 22;
  const nodePackage = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const node = hasOwnNode
    ? process.execPath
    : join(scratch, "node_modules", nodePackage, "bin", process.platform === "win32" ? "node.exe" : "node");
  const suite = join(scratch, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
  if (!existsSync(suite) || !existsSync(node)) {
    mkdirSync(scratch, { recursive: true });
    writeFileSync(join(scratch, "package.json"), JSON.stringify({ private: true }));
    const packages = [
      `@modelcontextprotocol/conformance@${SUITE}`,
      ...(hasOwnNode ? [] : [`${nodePackage}@24`]),
    ];
    execFileSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...packages], {
      cwd: scratch,
      stdio: ["ignore", "ignore", "inherit"],
      shell: process.platform === "win32",
    });
  }
  return { node, suite };
}

/** One run of the suite: its rows, and everything it printed. */
export function runSuite({ node, suite }, args) {
  const run = spawnSync(node, [suite, ...args], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    timeout: 15 * 60_000,
  });
  const text = `${run.stdout}\n${run.stderr}`;
  return { rows: parseReport(text), text };
}

/** One scenario of an extension, which the suite runs only by its name: its row, which is never scored. */
export function runExtensionScenario(suite, args, { name, revision }) {
  const { text } = runSuite(suite, [...args, "--scenario", name, "--spec-version", revision, "--force"]);
  const [message = "did not run", passed = "0", all = "0", failed = "0"] =
    /^Passed: (\d+)\/(\d+), (\d+) failed.*$/m.exec(text) ?? [];
  // A scenario that skipped every check has shown nothing.
  return { name, message, passed: passed === all && passed !== "0" && failed === "0", scored: false };
}

/** The lines `✓ name: …` and `✗ name: …` of a report. Which of them do not count is said in a list below them. */
function parseReport(text) {
  const [report, ...rest] = text.replaceAll(/\x1b\[[0-9;]*m/g, "").split(/^Not scored /m);
  const unscored = new Set(
    [...rest.join("\n").matchAll(/^\s+[✓✗~]\s+([\w./-]+) \(/gm)].map(([, name]) => name),
  );
  return [...report.matchAll(/^\s*([✓✗~])\s+([\w./-]+):\s*(.*)$/gm)].map(([, mark, name, message]) => ({
    name,
    message,
    // A scenario that checked nothing has shown nothing.
    passed: mark === "✓" && !message.startsWith("0 passed"),
    scored: !unscored.has(name),
  }));
}
