import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { modernRequest, send, textOf } from "../packages/indusagi/test/interop/host/http/raw-http.ts";
import { serveLogin } from "../test/servers/login.mjs";
import type { Proof } from "./proof.ts";
import { Cluster, until } from "./set-up.ts";

export interface AccessProof {
  readonly revocations: number;
  readonly renewals: number;
  readonly calls: number;
  readonly print: (line: string) => void;
}

const LIMIT = 5;
const CALLERS = 24;
const REVOKED_MS = 2_000;
const DEAF_MS = 30_000;
const START_MS = 120_000;

/** Tokens at several gateways: revoked, limited, and used while a gateway cannot ask. And one login that all workers use. */
export async function proveAccess({ revocations, renewals, calls, print }: AccessProof): Promise<Proof> {
  await using login = await startLoginServer();
  await using cluster = await Cluster.start({ servers: ["s1"], rows: rowsOf(login.url) });
  const key = ["--key-file", join(cluster.folder, "key")];
  for (const name of WORKERS) await cluster.worker(name, {}, ["--labels", name, ...key]);
  const urls: string[] = [];
  for (const name of ["g1", "g2", "g3"]) urls.push((await cluster.gateway(name)).url);
  const late: number[] = [];
  let slowestMs = 0;
  for (let round = 0; round < revocations; round++) {
    const name = `t${round}`;
    const token = (await cluster.must("token", "add", name)).trim();
    for (const url of urls)
      await until(async () => (await statusOf(url, token)) !== 401 || undefined, "an accepted token");
    await cluster.must("token", "revoke", name);
    // The write was acknowledged before the command ended.
    const startMs = performance.now();
    await Promise.all(
      urls.map(async (url) => {
        await until(async () => (await statusOf(url, token)) === 401 || undefined, "a refusal");
        const tookMs = performance.now() - startMs;
        slowestMs = Math.max(slowestMs, tookMs);
        if (tookMs > REVOKED_MS) late.push(tookMs);
      }),
    );
  }
  print(`access: ${revocations} tokens revoked`);
  await logIn(cluster, key);
  const renewed = await renewAtOnce({ cluster, login, urls, rounds: renewals });
  print(`access: a login renewed ${login.counts.redemptions} times`);
  const limited = (await cluster.must("token", "add", "limited", "--calls", String(LIMIT))).trim();
  for (const url of urls)
    await until(async () => (await statusOf(url, limited)) !== 401 || undefined, "an accepted token");
  let left = calls;
  let answered = 0;
  let refused = 0;
  let most = 0;
  const failures: string[] = [];
  const caller = async (at: number): Promise<void> => {
    for (let round = at; left > 0; round++) {
      left -= 1;
      const { status, text, told } = await hold(urls[round % urls.length] ?? "", limited);
      const atOnce = Number(text);
      if (status === 200 && atOnce > 0) {
        answered += 1;
        most = Math.max(most, atOnce);
      } else if (status === 429 || /at a time|at once|limit/i.test(told)) refused += 1;
      else failures.push(`HTTP ${status} ${told}`);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, at) => caller(at)));
  print(`access: ${answered} of ${calls} limited calls answered, ${refused} refused`);
  for (const node of cluster.nats.nodes) process.kill(node.pid, "SIGSTOP");
  await pause(DEAF_MS + 3_000);
  let accepted = 0;
  for (const url of urls) if ((await statusOf(url, cluster.token)) !== 401) accepted += 1;
  for (const node of cluster.nats.nodes) process.kill(node.pid, "SIGCONT");
  let again = 0;
  for (const url of urls)
    await until(
      async () => (await statusOf(url, cluster.token)) !== 401 || undefined,
      "an accepted token",
      60_000,
    ).then(
      () => (again += 1),
      () => {},
    );
  return {
    title: "Tokens",
    did: `3 gateways and ${WORKERS.length} workers. ${revocations} tokens were revoked; ${renewals} times one login expired that ${WORKERS.length} workers use, and was then used by all of them at once, through all gateways; ${calls} calls of ${CALLERS} callers at once shared a token with --calls ${LIMIT}; and all NATS servers stood still (SIGSTOP) for ${DEAF_MS / 1_000 + 3} s.`,
    goals: [
      { goal: "gateways that accepted a revoked token for more than 2 s", wanted: 0, found: late.length },
      {
        goal: `calls above the limit of ${LIMIT} that ran at once`,
        wanted: 0,
        found: Math.max(0, most - LIMIT),
      },
      { goal: "limited calls that failed otherwise", wanted: 0, found: failures.length },
      {
        goal: `renewals of the expired login besides the ${renewals} that were needed`,
        wanted: 0,
        found: Math.abs(login.counts.redemptions - renewals),
      },
      {
        goal: "renewals that the authorization server refused: with a refresh token that another worker had used",
        wanted: 0,
        found: login.counts.refusals,
      },
      { goal: "calls that failed while the login was renewed", wanted: 0, found: renewed.failures.length },
      { goal: "gateways that accept tokens 33 s after they last heard of NATS", wanted: 0, found: accepted },
      {
        goal: "gateways that still refuse a token when NATS is there again",
        wanted: 0,
        found: urls.length - again,
      },
    ],
    notes: [
      `The last gateway refused a revoked token ${Math.round(slowestMs)} ms after the command had ended.`,
      `${answered} limited calls were answered, up to ${most} at once; ${refused} were refused because of the limit.`,
      `${renewed.calls} calls of ${WORKERS.length} servers, each on another worker, used the login that was renewed.`,
    ],
    texts: [...new Set([...failures, ...renewed.failures])],
  };
}

const WORKERS = ["w1", "w2", "w3"];

/** A server for each worker, all of one address: they have one login. */
function rowsOf(url: string): { readonly [id: string]: object } {
  return Object.fromEntries(WORKERS.map((name) => [`notes-${name}`, { url, placement: { labels: [name] } }]));
}

type LoginServer = Awaited<ReturnType<typeof serveLogin>>;

/** A real authorization server, with refresh tokens that are valid once, and slow enough that renewals would meet. */
async function startLoginServer(): Promise<LoginServer & AsyncDisposable> {
  const server = await serveLogin({ tokenDelayMs: 100 });
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.close() });
}

async function logIn(cluster: Cluster, key: readonly string[]): Promise<void> {
  const command = cluster.command("mcp", "login", `notes-${WORKERS[0]}`, "--no-browser", ...key);
  const ended = once(command, "close");
  let said = "";
  for (const stream of [command.stdout, command.stderr])
    stream?.on("data", (chunk) => (said += String(chunk)));
  const address = await until(() => /^ {2}(http\S+)$/m.exec(said)?.[1], "the address of a login");
  await fetch(address);
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`the login failed: ${said}`);
}

interface RenewalRounds {
  readonly cluster: Cluster;
  readonly login: LoginServer;
  readonly urls: readonly string[];
  readonly rounds: number;
}

/** Lets the login expire, and uses it at once through each gateway at each worker. */
async function renewAtOnce({
  cluster,
  login,
  urls,
  rounds,
}: RenewalRounds): Promise<{ readonly calls: number; readonly failures: readonly string[] }> {
  const call = async (url: string, name: string): Promise<string | undefined> => {
    const { headers, body } = modernRequest(1, "tools/call", {
      name: `notes-${name}__echo`,
      arguments: { text: "renewed" },
    });
    const bearer = { authorization: `Bearer ${cluster.token}` };
    const answer = await send(url, { body, headers: { ...headers, ...bearer } });
    return textOf(answer) === "renewed" ? undefined : answer.text.slice(0, 300);
  };
  const everywhere = (): Promise<readonly (string | undefined)[]> =>
    Promise.all(urls.flatMap((url) => WORKERS.map((name) => call(url, name))));
  await until(
    async () => (await everywhere()).every((failure) => failure === undefined) || undefined,
    "servers that use the login",
    START_MS,
  );
  const failures: string[] = [];
  for (let round = 0; round < rounds; round++) {
    login.expire();
    for (const failure of await everywhere()) if (failure !== undefined) failures.push(failure);
  }
  return { calls: rounds * urls.length * WORKERS.length, failures };
}

async function statusOf(url: string, token: string): Promise<number> {
  const { headers, body } = modernRequest(1, "tools/list");
  const answer = await send(url, { body, headers: { ...headers, authorization: `Bearer ${token}` } });
  return answer.status;
}

/** A call that tells how many run at once. */
async function hold(
  url: string,
  token: string,
): Promise<{ readonly status: number; readonly text: string; readonly told: string }> {
  const { headers, body } = modernRequest(1, "tools/call", { name: "s1__hold", arguments: { waitMs: 5 } });
  const answer = await send(url, { body, headers: { ...headers, authorization: `Bearer ${token}` } });
  const text = textOf(answer) ?? "";
  return { status: answer.status, text, told: answer.text.slice(0, 300) };
}
