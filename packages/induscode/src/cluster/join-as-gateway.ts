import { join } from "node:path";
import { loadServerConfigs, readConfigValue } from "indusagi/config";
import { describeError, isRecord, replaceFileSync } from "indusagi/core";
import type { Run } from "../boot/internal.ts";
import type { GatewayConfiguration, WorkerLinks } from "../gateway/open/internal.ts";
import { showDiagnostic } from "../servers/internal.ts";
import { type NodeRequest, openClusterRun } from "./cluster-run.ts";
import { StateKey } from "./contract.ts";
import { type GatewayNode, openGatewayNode } from "./gateway-node.ts";
import { keyOfFile, keyOfProcess } from "./key-file.ts";
import { gatewayConfiguration } from "./rows.ts";

/** A gateway of the cluster: what it serves, and how it reaches the servers. */
export interface JoinedGateway {
  readonly run: Run;
  readonly workers: WorkerLinks;
  readonly now: GatewayConfiguration;
  readonly follow: (apply: (configuration: GatewayConfiguration) => void) => void;
}

/** A gateway that has heard nothing for this long may not know that a token was revoked. With a short lease sooner. */
const DEAF_MS = 30_000;
const DEAF_LEASES = 1.5;
const DEAF_CHECK_MS = 1_000;

/** Joins the cluster. Its state is known when this resolves. */
export async function joinAsGateway(parent: Run, request: NodeRequest): Promise<JoinedGateway> {
  // Without a file only this process can open what it sealed.
  const { keyFile } = request;
  const key = keyFile === undefined ? keyOfProcess() : keyOfFile(keyFile, "indus cluster seal");
  const { connection, run, name } = await openClusterRun(parent, "gateway", request);
  const { report } = run;
  // Of this run, not of its parent: it ends after the requests under way, which need it.
  const node = await run.open(openGatewayNode(connection, { name, key, report }));
  const { path } = await run.state.folder();
  keepTokens(node, join(path, "tokens.json"), run);
  const read = configurationReader(node, run);
  return {
    run,
    workers: {
      transport: (config) => node.transport(config),
      onLogin: (listener) => node.onLogin(listener),
      key,
      sessions: node.sessions,
      results: node.sessions,
      places: (token, most) => node.permits.of(token, most),
    },
    now: read(),
    follow: (apply) => {
      const stop = node.onFile((changed) => {
        if (changed === StateKey.SERVERS) apply(read());
      });
      run.defer(stop);
    },
  };
}

/** Reads the configuration as a gateway. Reports each problem once, until it is gone. */
function configurationReader(node: GatewayNode, run: Run): () => GatewayConfiguration {
  let reported: ReadonlySet<string> = new Set();
  return () => {
    const rows = node.rows();
    const given = node.file(StateKey.SERVERS) ?? "{}";
    const file = "the cluster's configuration";
    const { servers, profiles, diagnostics } = loadServerConfigs({
      places: [{ scope: "explicit", file }],
      cwd: run.cwd,
      env: {},
      readText: () => ({ text: withProfiles(gatewayConfiguration(rows.values()), given) }),
    });
    const problems = new Set(diagnostics.map((each) => showDiagnostic(each)));
    for (const problem of problems) if (!reported.has(problem)) run.report(problem);
    reported = problems;
    for (const { server, hash } of rows.values()) run.notes.launches.set(server, hash);
    return { servers: servers.map(({ config }) => config), profiles, rowProblems: [] };
  };
}

function withProfiles(rows: string, given: string): string {
  const reading = readConfigValue(given);
  const profiles = "value" in reading && isRecord(reading.value) ? reading.value["profiles"] : undefined;
  return profiles === undefined ? rows : JSON.stringify({ ...(JSON.parse(rows) as object), profiles });
}

/** Keeps the tokens where the gateway looks for them, and takes them away while it may not know of a revocation. */
function keepTokens(node: GatewayNode, path: string, run: Run): void {
  const none = '{"format":1,"tokens":[]}\n';
  let isDeaf = false;
  const write = (): void => {
    const text = isDeaf ? none : (node.file(StateKey.TOKENS) ?? none);
    try {
      replaceFileSync({ path, content: Buffer.from(text), mode: 0o600 });
    } catch (thrown) {
      run.report(`the tokens cannot be kept in ${path}: ${describeError(thrown)}`);
    }
  };
  write();
  run.defer(
    node.onFile((key) => {
      if (key === StateKey.TOKENS) write();
    }),
  );
  const timer = setInterval(() => {
    const was = isDeaf;
    isDeaf = node.deafMs > Math.min(DEAF_MS, node.leaseMs * DEAF_LEASES);
    if (was === isDeaf) return;
    run.report(
      isDeaf
        ? "NATS cannot be reached: tokens are refused, because one may have been revoked"
        : "NATS can be reached again: tokens are accepted",
    );
    write();
  }, DEAF_CHECK_MS);
  timer.unref();
  run.defer(() => clearInterval(timer));
}
