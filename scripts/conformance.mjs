// Runs the public MCP conformance suite against us and writes docs/conformance.md.
//   node scripts/conformance.mjs [--verbose]
// The suite needs Node 22 or later. On an older one it runs on a Node 24 from npm; our own code runs on this Node.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const SUITE = "0.2.0-alpha.12";
const REVISIONS = ["2025-11-25", "2026-07-28"];
const root = fileURLToPath(new URL("..", import.meta.url));
const scratch = join(root, "node_modules/.cache/indus/conformance");

function install() {
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

/** The suite starts the client once a scenario, many at a time: it gets one finished file, not a compiler. */
async function buildClient() {
  const outfile = join(scratch, "client.mjs");
  await build({
    entryPoints: [join(root, "conformance/client.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
  });
  return outfile;
}

/** The lines `✓ name: …` and `✗ name: …` of a report, and whether they count. */
function parseReport(text) {
  const rows = [];
  let scored = true;
  for (const line of text.replaceAll(/\x1b\[[0-9;]*m/g, "").split("\n")) {
    if (/not scored/i.test(line)) scored = false;
    const match = /^\s*([✓✗~])\s+([\w./-]+):\s*(.*)$/.exec(line);
    if (match) rows.push({ passed: match[1] === "✓", name: match[2], says: match[3], scored });
  }
  return rows;
}

const { node, suite } = install();
const client = await buildClient();
const sections = [];
let failures = 0;
for (const revision of REVISIONS) {
  const args = [
    suite,
    "client",
    "--command",
    `${process.execPath} ${client}`,
    "--requirements",
    revision,
    "--timeout",
    "120000",
  ];
  const run = spawnSync(node, args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    timeout: 15 * 60_000,
  });
  const rows = parseReport(`${run.stdout}\n${run.stderr}`);
  const ours = rows.filter((row) => row.scored && !row.name.startsWith("auth/"));
  const failed = ours.filter((row) => !row.passed);
  failures += failed.length + (ours.length === 0 ? 1 : 0);
  sections.push({
    role: "client",
    revision,
    ours,
    auth: rows.filter((row) => row.scored && row.name.startsWith("auth/")),
  });
  process.stdout.write(
    `client ${revision}: ${ours.length - failed.length}/${ours.length} scored scenarios without auth\n`,
  );
  for (const row of failed) process.stdout.write(`  failed: ${row.name}: ${row.says}\n`);
  if (ours.length === 0 || process.argv.includes("--verbose"))
    process.stdout.write(`${run.stdout}\n${run.stderr}\n`);
}
writeFileSync(join(root, "docs/conformance.md"), page(sections));
process.exitCode = failures === 0 ? 0 : 1;

function page(results) {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], {
    cwd: root,
    encoding: "utf8",
  }).trim();
  const sdk = JSON.parse(
    execFileSync("npm", ["ls", "--json", "--depth=0", "-w", "indusagi"], {
      cwd: root,
      encoding: "utf8",
      shell: process.platform === "win32",
    }),
  );
  const version =
    sdk.dependencies?.indusagi?.dependencies?.["@modelcontextprotocol/client"]?.version ?? "2.4.0";
  return [
    "# Conformance",
    "",
    `Written by \`npm run conformance\`: the suite \`@modelcontextprotocol/conformance\` ${SUITE} against this project.`,
    `${new Date().toISOString().slice(0, 10)}, commit ${commit}, Node ${process.version}, MCP SDK ${version}.`,
    "Login (`auth/*`) is not built yet and not counted.",
    "",
    ...results.flatMap(({ role, revision, ours, auth }) => [
      `## ${role}, ${revision}: ${ours.filter((row) => row.passed).length} of ${ours.length}`,
      "",
      "| scenario | |",
      "|---|---|",
      ...ours.map((row) => `| ${row.name} | ${row.passed ? "passed" : `**failed**: ${row.says}`} |`),
      "",
      `Not counted: ${auth.length} \`auth/*\` scenarios.`,
      "",
    ]),
  ].join("\n");
}
