import { atSize, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { backgroundUser, said } from "./background-user.ts";
import { scriptedRow, untilGone } from "./run-indus.ts";
import type { ScriptedClient } from "./scripted-client.ts";

const CLIENTS = atSize({ quick: 4, full: 300 });
const ROUNDS = atSize({ quick: 1, full: 50 });
/** So many run at a time. */
const TOGETHER = 20;
const LIMIT = { timeoutMs: atSize({ quick: 120_000, full: 1_800_000 }) };

async function leave(client: ScriptedClient): Promise<void> {
  client.indus.child.stdin.end();
  await client.indus.ended;
}

verifies(
  "background:apart",
  "clients with folders and tokens at random see only their own secret, and share exactly where both are the same",
  async () => {
    await using user = await backgroundUser();
    await user.rows({ s: { ...scriptedRow(), env: { TOKEN: "${TOKEN}" } } });
    await user.indus(["up"]);
    for (let done = 0; done < CLIENTS; done += TOGETHER) {
      const count = Math.min(TOGETHER, CLIENTS - done);
      const chosen = Array.from({ length: count }, () => ({
        folder: `folder-${Math.floor(Math.random() * 3)}`,
        token: `canary-${Math.floor(Math.random() * 4)}`,
      }));
      const clients = await Promise.all(
        chosen.map(async ({ folder, token }, at) =>
          user.client(`c${done + at}`, await user.folder(folder), { TOKEN: token }),
        ),
      );
      const seen = await Promise.all(
        clients.map(async (client) => ({
          env: await said(client, "s__env"),
          pid: await said(client, "s__pid"),
        })),
      );
      const kinds = new Map<string, Set<string>>();
      for (const [at, { env, pid }] of seen.entries()) {
        const { folder = "", token = "" } = chosen[at] ?? {};
        expect((JSON.parse(env) as { readonly TOKEN?: string }).TOKEN).toBe(token);
        const kind = `${folder} ${token}`;
        kinds.set(kind, (kinds.get(kind) ?? new Set()).add(pid));
      }
      expect([...kinds.values()].map(({ size }) => size)).toEqual([...kinds].map(() => 1));
      expect(new Set([...kinds.values()].flatMap((pids) => [...pids])).size).toBe(kinds.size);
      await Promise.all(clients.map(leave));
    }
  },
  LIMIT,
);

verifies(
  "background:killed",
  "kill -9 of the gateway and of every client at once leaves no process of a server",
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await using user = await backgroundUser();
      await user.rows({ s: scriptedRow(), t: scriptedRow("--era", "legacy") });
      await user.indus(["up"]);
      const folder = await user.folder("one");
      const clients = await Promise.all(["a", "b"].map((name) => user.client(name, folder)));
      const pids = await Promise.all(
        ["s__pid", "t__pid"].map((tool) => said(clients[0] as ScriptedClient, tool)),
      );
      const { pid = 0 } = (await user.status()) ?? {};
      for (const client of clients) client.indus.child.kill("SIGKILL");
      process.kill(pid, "SIGKILL");
      await untilGone([pid, ...pids.map(Number)]);
    }
  },
  LIMIT,
);
