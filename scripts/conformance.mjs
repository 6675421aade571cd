// Runs the public MCP conformance suite against us, as a client and as a server, and writes docs/conformance.md.
//   node scripts/conformance.mjs [--verbose]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { conformancePage } from "../conformance/page.mjs";
import { installSuite, root, runExtensionScenario, runSuite, scratch } from "../conformance/suite.mjs";

const REVISIONS = ["2025-11-25", "2026-07-28"];
/** The scenarios of extensions, by role. */
const EXTENSIONS = {
  client: ["no-prefetch", "verify-digest", "verify-size", "verify-frontmatter"].map(
    (name) => `sep-2640-client-${name}`,
  ),
  server: ["enumeration", "manifest", "directory"].map((name) => `sep-2640-skills-${name}`),
};
const isVerbose = process.argv.includes("--verbose");

/** Bundles a program into one file: the suite starts it once per scenario, many at a time. */
async function bundle(name) {
  const outfile = join(scratch, `${name}.mjs`);
  await build({
    entryPoints: [join(root, `conformance/${name}.ts`)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
  });
  return outfile;
}

async function clientResults(suite) {
  const command = `${process.execPath} ${await bundle("client")}`;
  return REVISIONS.map((revision) => {
    const args = ["client", "--command", command, "--timeout", "180000"];
    const { rows, text } = runSuite(suite, [...args, "--requirements", revision]);
    const others = EXTENSIONS.client.map((name) => runExtensionScenario(suite, args, { name, revision }));
    return printed({ role: "client", revision, ...byScore([...rows, ...others]), text });
  });
}

/** Starts a program that prints its URL on one line, and calls `use` with it while it runs. */
async function withServer(args, use) {
  const server = spawn(process.execPath, args, {
    cwd: scratch,
    env: { ...process.env, XDG_STATE_HOME: join(scratch, "state"), XDG_CONFIG_HOME: join(scratch, "config") },
    stdio: ["pipe", "pipe", isVerbose ? "inherit" : "ignore"],
  });
  const ended = once(server, "exit");
  try {
    const lines = createInterface({ input: server.stdout });
    const url = await Promise.race([once(lines, "line").then(([line]) => line), ended.then(() => undefined)]);
    if (url === undefined) throw new Error(`${args[0]} did not start; run again with --verbose`);
    return await use(url);
  } finally {
    server.stdin.end();
    server.kill("SIGTERM");
    const killTimer = setTimeout(() => server.kill("SIGKILL"), 10_000);
    await ended;
    clearTimeout(killTimer);
  }
}

/** The fixture server alone, and the same server behind `indus serve`, at the path of this one server. */
async function serverResults(suite) {
  const run = (role, url) =>
    REVISIONS.map((revision) => {
      const args = ["server", "--url", url];
      const { rows, text } = runSuite(suite, [...args, "--requirements", revision]);
      const others = EXTENSIONS.server.map((name) => runExtensionScenario(suite, args, { name, revision }));
      return printed({ role, revision, ...byScore([...rows, ...others]), text });
    });
  return withServer([await bundle("server")], async (url) => {
    const direct = run("server", url);
    const file = join(scratch, "gateway.json");
    writeFileSync(file, JSON.stringify({ servers: { fixture: { url } } }));
    const indus = join(root, "packages/induscode/bin/indus.js");
    const args = [indus, "serve", "--port", "0", "--profile", "none", "--mcp", file];
    return [...direct, ...(await withServer(args, (base) => run("gateway", `${base}/fixture`)))];
  });
}

/** Why scenarios that the suite does not score are not passed, by the beginning of their names. Any other one must pass. */
const REASONS = [
  ["auth/dpop", "tokens bound to a key (DPoP) are not built: servers that require them are not known to us"],
  ["tasks-status-notifications", "the suite itself always skips it"],
];

/** The scenarios that the suite scores, the others, and lines about the latter. */
function byScore(rows) {
  const uncounted = rows.filter((row) => !row.scored);
  const failed = uncounted.filter((row) => !row.passed);
  const reasons = REASONS.filter(([start]) => failed.some(({ name }) => name.startsWith(start)));
  return {
    counted: rows.filter((row) => row.scored),
    uncounted,
    unexplained: failed.filter(({ name }) => !REASONS.some(([start]) => name.startsWith(start))),
    leftOut: [
      ...namesOf("Run but not scored by the suite, passed", uncounted, true),
      ...namesOf("Run but not scored by the suite, not passed", uncounted, false),
      ...reasons.map(([start, why]) => `Why \`${start}…\` is not passed: ${why}.`),
    ],
  };
}

function namesOf(label, rows, passed) {
  const names = rows.filter((row) => row.passed === passed).map(({ name }) => `\`${name}\``);
  return names.length > 0 ? [`${label} (${names.length}): ${names.join(", ")}.`] : [];
}

/** Prints the result of a run and returns it. */
function printed(result) {
  const { role, revision, counted, uncounted, unexplained, text } = result;
  const failed = [...counted.filter((row) => !row.passed), ...unexplained];
  const ratio = (rows) => `${rows.filter((row) => row.passed).length}/${rows.length}`;
  process.stdout.write(
    `${role} ${revision}: ${ratio(counted)} scenarios, ${ratio(uncounted)} that are not scored\n`,
  );
  for (const row of failed) process.stdout.write(`  failed: ${row.name}: ${row.message}\n`);
  if (counted.length === 0 || isVerbose) process.stdout.write(`${text}\n`);
  return result;
}

const suite = installSuite();
const results = [...(await clientResults(suite)), ...(await serverResults(suite))];
writeFileSync(join(root, "docs/conformance.md"), conformancePage(results));
const isGood = ({ counted, unexplained }) =>
  counted.length > 0 && counted.every((row) => row.passed) && unexplained.length === 0;
process.exitCode = results.every(isGood) ? 0 : 1;
