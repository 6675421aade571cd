import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { atSize, recordFigure, type TempDir, tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { openRun, workspaceTokens } from "../../src/boot/internal.ts";
import { serveRows } from "./serving-gateway.ts";
import { WhisperingClient } from "./whispering-client.ts";

const CLIENTS = atSize({ quick: 12, full: 300 });
const PRINCIPALS = atSize({ quick: 4, full: 100 });
const ROUNDS = atSize({ quick: 2, full: 6 });
/** Calls of one client at the same time. */
const AT_ONCE = 3;
const MAX_MS = 40;
/** In this time all clients have come. */
const START_MS = atSize({ quick: 0, full: 2_000 });

const features = fileURLToPath(new URL("../../../../test/servers/features/server.mjs", import.meta.url));
const rows = Object.fromEntries(
  ["legacy", "modern"].map((era) => [era, { command: process.execPath, args: [features, "--era", era] }]),
);

/** A token for each principal, as `indus token add` makes it. */
async function makeTokens(dir: TempDir, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const terminal = { out: () => {}, err: () => {} };
  const signal = new AbortController().signal;
  await using run = await openRun({ terminal, signal, cwd: dir.path, env });
  const tokens = await workspaceTokens(run);
  const given: string[] = [];
  for (let at = 0; at < PRINCIPALS; at += 1) given.push((await tokens.add(`principal-${at}`, {})).token);
  return given;
}

interface Life {
  readonly own: RegExp;
  readonly heard: string;
  readonly answered: number;
  readonly cancelled: number;
}

/** One client: rounds of calls to both servers, some of them cancelled; some clients leave in the middle. */
async function live(url: string, client: number, token: string): Promise<Life> {
  const whisperer = new WhisperingClient({ url, client, token, era: client % 2 === 0 ? "legacy" : "modern" });
  // Not all in the same moment: a machine has a limited queue of connections.
  await pause(Math.random() * START_MS);
  await whisperer.open();
  const leaves = client % 7 === 3;
  let answered = 0;
  let cancelled = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    if (leaves && round === ROUNDS - 1) void pause(Math.random() * MAX_MS).then(() => whisperer.leave());
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, at) => {
        const isCancelled = Math.random() < 1 / 3;
        const server = at % 2 === 0 ? "modern" : "legacy";
        const secret = `secret-${client}-${round}-${at}.`;
        const answer = await whisperer.whisper({
          id: round * AT_ONCE + at + 1,
          secret,
          server,
          waitMs: Math.random() * MAX_MS,
          // Whose call a question of a legacy server belongs to is not known while several clients use it.
          asks: server === "modern" && Math.random() < 1 / 2,
          ...(isCancelled ? { cancelAfterMs: Math.random() * MAX_MS } : {}),
        });
        const isAnswered = answer?.includes(`"secret":"${secret}"`) ?? false;
        if (!isCancelled && !leaves) expect(isAnswered, `${secret} ${server}: ${answer}`).toBe(true);
        if (isAnswered) answered += 1;
        else cancelled += 1;
        for (const [, name] of (answer ?? "").matchAll(/"name":"([^"]*)"/g)) expect(name).toBe(secret);
      }),
    );
  }
  whisperer.leave();
  return { own: new RegExp(`^secret-${client}-`), heard: whisperer.heard, answered, cancelled };
}

verifies(
  "gateway-proof:cross-talk",
  "clients of many principals with equal ids, cancels and disconnects receive no byte of each other",
  async () => {
    await using dir = await tempDir();
    const env = { XDG_STATE_HOME: dir.at("state") };
    const given = await makeTokens(dir, env);
    // A process of its own: the clients must not take the time of the gateway.
    await using served = await serveRows(dir, { name: "whisper", rows, env, args: ["--require-token"] });
    // Alone, because a legacy server's log messages reach no one while several clients use it.
    const first = await live(served.url, CLIENTS, given[0] ?? "");
    const crowd = await Promise.all(
      Array.from({ length: CLIENTS }, (_, client) =>
        live(served.url, client, given[client % PRINCIPALS] ?? ""),
      ),
    );
    const lives = [...crowd, first];
    const secrets = lives.map(({ heard }) => heard.match(/secret-\d+-\d+-\d+/g) ?? []);
    const foreign = secrets.flatMap((heard, client) =>
      heard.filter((secret) => !lives[client]?.own.test(secret)).map((secret) => `${client} heard ${secret}`),
    );
    expect([...new Set(foreign)]).toEqual([]);
    // Otherwise that nothing foreign was found in them would prove nothing.
    const everything = lives.map(({ heard }) => heard).join("");
    for (const kind of ["notifications/progress", "notifications/message", "elicitation/create"])
      expect(everything.includes(`"${kind}"`), kind).toBe(true);
    const sum = (pick: (life: Life) => number): number =>
      lives.reduce((total, life) => total + pick(life), 0);
    expect(sum(({ answered }) => answered)).toBeGreaterThan(CLIENTS);
    recordFigure({
      what: "gateway: equal ids, random delays, cancels and disconnects",
      size: `${CLIENTS} clients, ${PRINCIPALS} principals, ${sum(({ answered }) => answered)} answered and ${sum(({ cancelled }) => cancelled)} cancelled calls`,
      found: `0 foreign secrets in ${secrets.flat().length} received in results, progress, logs and questions`,
    });
  },
  { timeoutMs: atSize({ quick: 60_000, full: 10 * 60_000 }) },
);
