// docs/conformance.md: what the last run of the suite found.
import { execFileSync } from "node:child_process";
import { root, SUITE } from "./suite.mjs";

/** The page for these results: of each role and revision the rows that count, and what is left out; then the comparisons of the cluster and of the thin client. */
export function conformancePage(results, { cluster, shim }) {
  return [
    "# Conformance",
    "",
    `Written by \`npm run conformance\`: the suite \`@modelcontextprotocol/conformance\` ${SUITE} against this project.`,
    `${new Date().toISOString().slice(0, 10)}, commit ${commit()}, Node ${process.version}, MCP SDK ${sdkVersion()}.`,
    "",
    "*client* and *server* are the framework. *gateway* is the same server behind `indus serve`, at its own path `/mcp/fixture`.",
    "Scenarios of extensions, and some others, are run but not scored by the suite. Those that are not passed are named with the reason.",
    "",
    "| role | revision | scored | not scored |",
    "|---|---|---|---|",
    ...results.map(
      ({ role, revision, counted, uncounted }) =>
        `| ${role} | ${revision} | ${share(counted)} | ${share(uncounted)} |`,
    ),
    "",
    cluster === undefined
      ? "*cluster*: not run, because nats-server 2.12 or newer was missing."
      : `*cluster* is the same server behind two gateways and two [workers](guide/cluster.md), with a load balancer that gives each request to the other gateway. ${ending(cluster)} as with the single gateway${exceptions(cluster)}.`,
    "",
    `*shim* is a thin client of the [background gateway](guide/background.md). The suite speaks HTTP only, so a program is between them, which passes neither tasks nor states of requests on; ${shim.passed} of ${shim.count} scenarios pass. ${ending(shim)} as with the same command line without a background gateway${exceptions(shim)}.`,
    "",
    ...results.flatMap(({ role, revision, counted, leftOut }) => [
      `## ${role}, ${revision}: ${share(counted)}`,
      "",
      "| scenario | |",
      "|---|---|",
      ...counted.map((row) => `| ${row.name} | ${row.passed ? "passed" : `**failed**: ${row.message}`} |`),
      "",
      ...leftOut,
      "",
    ]),
  ].join("\n");
}

function ending({ count, differing }) {
  return `${count - differing.length} of ${count} scenarios end`;
}

function exceptions({ differing }) {
  return differing.length === 0 ? "" : `, but not ${differing.join(", ")}`;
}

function share(rows) {
  return `${rows.filter((row) => row.passed).length} of ${rows.length}`;
}

function commit() {
  return execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
}

function sdkVersion() {
  const tree = JSON.parse(
    execFileSync("npm", ["ls", "--json", "--depth=0", "-w", "indusagi"], {
      cwd: root,
      encoding: "utf8",
      shell: process.platform === "win32",
    }),
  );
  return tree.dependencies?.indusagi?.dependencies?.["@modelcontextprotocol/client"]?.version ?? "2.4.0";
}
