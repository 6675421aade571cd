// Runs the public MCP conformance suite against us, as a client and as a server, and writes docs/conformance.md.
//   node scripts/conformance.mjs [--verbose] [--only ROLE]
// ROLE is client, server, gateway, cluster or shim; then nothing is written. The cluster needs nats-server 2.12 or newer.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
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
const only = process.argv.includes("--only") ? process.argv[process.argv.indexOf("--only") + 1] : undefined;
const isWanted = (role) => only === undefined || only === role;

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

/** A cluster ends its gateways and workers first. */
const END_MS = 30_000;

/** Starts a program that prints its URL on one line, and calls `use` with it while it runs. */
async function withServer(args, use, env = {}) {
  const folders = { XDG_STATE_HOME: join(scratch, "state"), XDG_CONFIG_HOME: join(scratch, "config") };
  const server = spawn(process.execPath, args, {
    cwd: scratch,
    env: { ...process.env, ...folders, ...env },
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
    const killTimer = setTimeout(() => server.kill("SIGKILL"), END_MS);
    await ended;
    clearTimeout(killTimer);
  }
}

/** The fixture server alone, behind `indus serve` at the path of this one server, and behind a thin client of the background gateway. */
async function serverResults(suite) {
  const run = (role, url) =>
    REVISIONS.map((revision) => {
      const args = ["server", "--url", url];
      const { rows, text } = runSuite(suite, [...args, "--requirements", revision]);
      const others = EXTENSIONS.server.map((name) => runExtensionScenario(suite, args, { name, revision }));
      return printed({ role, revision, ...byScore([...rows, ...others]), text });
    });
  return withServer([await bundle("server")], async (url) => {
    const direct = isWanted("server") ? run("server", url) : [];
    const file = join(scratch, "gateway.json");
    writeFileSync(file, JSON.stringify({ servers: { fixture: { url } } }));
    const indus = join(root, "packages/induscode/bin/indus.js");
    const args = [indus, "serve", "--port", "0", "--profile", "none", "--mcp", file];
    const isCompared = only === "cluster";
    const gateway =
      isWanted("gateway") || isCompared
        ? await withServer(args, (base) => run("gateway", `${base}/fixture`))
        : [];
    const cluster = isWanted("cluster") ? await comparedCluster(url, gateway, run) : undefined;
    const stdio = [indus, "serve", "--stdio", "--profile", "none", "--mcp", file];
    const shim = isWanted("shim") ? await comparedShim(stdio, run) : undefined;
    return { results: [...direct, ...gateway], cluster, shim };
  });
}

/** Each scenario through a cluster, and through a single gateway. Undefined if there is no NATS server to run one on. */
async function comparedCluster(url, gateway, run) {
  const program = [join(root, "scripts/run-ts.mjs"), join(root, "conformance/cluster.ts"), url];
  return withServer(program, (base) => {
    if (base !== NO_NATS) return compared("cluster", gateway, run("cluster", `${base}/fixture`));
    process.stdout.write(
      "cluster: not run, because nats-server 2.12 or newer is missing; run scripts/ci-extras\n",
    );
    return undefined;
  });
}

/** What `conformance/cluster.ts` prints instead of an address. */
const NO_NATS = "no nats-server";

/** How many scenarios end as in an earlier run, and which do not. */
function compared(role, before, now) {
  const rowsOf = (results) =>
    results.flatMap(({ revision, counted, uncounted }) =>
      [...counted, ...uncounted].map(({ name, passed }) => ({ name: `${name}, ${revision}`, passed })),
    );
  const known = new Map(rowsOf(before).map(({ name, passed }) => [name, passed]));
  const rows = rowsOf(now);
  const differing = rows.filter(({ name, passed }) => known.get(name) !== passed).map(({ name }) => name);
  process.stdout.write(
    `${role}: ${rows.length - differing.length} of ${rows.length} scenarios end as without it\n`,
  );
  for (const name of differing) process.stdout.write(`  differs: ${name}\n`);
  return { count: rows.length, passed: rows.filter(({ passed }) => passed).length, differing };
}

/**
 * Each scenario through a thin client, and with the same command line without a background gateway. The suite speaks HTTP only, and the
 * program between passes neither tasks nor states of requests on, so the scenarios must end alike, not all well.
 */
async function comparedShim(stdio, run) {
  const alone = await throughStdio([...stdio, "--no-share"], 0, (url) => run("stdio", url));
  return compared("shim", alone, await throughStdio(stdio, 1, (url) => run("shim", url)));
}

/** What `indus serve --stdio` serves, over HTTP, while a background gateway runs. Rejects if that has not as many clients. */
async function throughStdio(stdio, clients, use) {
  const home = mkdtempSync(join(tmpdir(), "indus-conformance-"));
  const folders = { XDG_STATE_HOME: join(home, "state"), XDG_CONFIG_HOME: join(home, "config") };
  const env = { HOME: home, XDG_RUNTIME_DIR: home, ...folders, INDUS_TREE: undefined };
  const [indus] = stdio;
  const command = (...words) =>
    spawnSync(process.execPath, [indus, ...words], { env: { ...process.env, ...env }, encoding: "utf8" });
  try {
    command("up");
    const front = [await bundle("shim"), process.execPath, ...stdio];
    return await withServer(
      front,
      async (url) => {
        const results = await use(url);
        const { gateways } = JSON.parse(command("status", "--json").stdout);
        if (gateways[0]?.clients.length !== clients)
          throw new Error(`the background gateway does not have ${clients} clients`);
        return results;
      },
      env,
    );
  } finally {
    command("down");
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
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
const clients = isWanted("client") ? await clientResults(suite) : [];
const servers = only === "client" ? { results: [] } : await serverResults(suite);
const results = [...clients, ...servers.results];
const { cluster, shim } = servers;
if (only === undefined)
  writeFileSync(join(root, "docs/conformance.md"), conformancePage(results, { cluster, shim }));
const isGood = ({ counted, unexplained }) =>
  counted.length > 0 && counted.every((row) => row.passed) && unexplained.length === 0;
const differs = [cluster, shim].some((each) => each !== undefined && each.differing.length > 0);
process.exitCode = results.every(isGood) && !differs ? 0 : 1;
