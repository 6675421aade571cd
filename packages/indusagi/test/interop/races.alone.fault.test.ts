import { atSize, machinePace, recordFigure, verifies } from "@indus/testkit";
import fc from "fast-check";
import {
  createServerEndpoint,
  linkedTransports,
  ProtocolFault,
  type RpcMessage,
  type ServerConfig,
  startServerFleet,
} from "indusagi/interop";
import { expect } from "vitest";
import { RpcLane } from "../../src/interop/wire/index.ts";
import { becomesTrue } from "../core/process-tree/tree-shapes.ts";
import { act, evil, evilInProcess, faultOf, type OpenEndpoint, opened, timed } from "./kit/evil.ts";
import { percentile } from "./kit/percentile.ts";
import { watchProcess } from "./kit/watch-process.ts";

watchProcess();

/** Events of one call, in the order that the scheduler chooses. */
const fate = fc.record({
  isAbortedBefore: fc.boolean(),
  aborts: fc.nat({ max: 2 }),
  answers: fc.nat({ max: 2 }),
  isRefused: fc.boolean(),
  sendFails: fc.boolean(),
});

verifies(
  "faults:b27-cancel-races",
  "one outcome and at most one notification, in every order of events",
  async () => {
    const numRuns = atSize({ quick: 150, full: 2000 });
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fate, { minLength: 1, maxLength: 4 }),
        async (scheduler, fates) => {
          const sent: RpcMessage[] = [];
          const lane = new RpcLane({
            server: "s",
            cancelsByStream: false,
            transport: {
              send: async (message) => {
                const call = sent.push(message) - 1;
                await scheduler.schedule(Promise.resolve(), `sent ${call}`);
                if (message.method === "tools/call" && fates[Number(message.params?.["index"])]?.sendFails)
                  throw new Error("broken pipe");
              },
            },
            translate: () => new ProtocolFault("transport", "could not be sent"),
          });
          const outcomes = fates.map(() => 0);
          const aborted = new Error("enough");
          for (const [index, plan] of fates.entries()) {
            const abort = new AbortController();
            if (plan.isAbortedBefore) abort.abort(aborted);
            void lane
              .request({
                method: "tools/call",
                params: { index },
                timeoutMs: 60_000,
                totalMs: 60_000,
                signal: abort.signal,
              })
              .catch((thrown: unknown) => thrown)
              .then(() => (outcomes[index] = (outcomes[index] ?? 0) + 1));
            const id = sent.find((message) => message.params?.["index"] === index)?.id;
            for (let i = 0; i < plan.aborts; i++)
              void scheduler.schedule(Promise.resolve(), `abort ${index}`).then(() => abort.abort(aborted));
            const answer = plan.isRefused ? { error: { code: 1, message: "no" } } : { result: {} };
            for (let i = 0; i < plan.answers; i++)
              void scheduler
                .schedule(Promise.resolve(), `answer ${index}`)
                .then(() => id !== undefined && lane.accept({ jsonrpc: "2.0", id, ...answer }));
          }
          await scheduler.waitIdle();
          lane.lose(new ProtocolFault("transport", "over"));
          await scheduler.waitIdle();
          await new Promise((resolve) => setImmediate(resolve));
          expect(outcomes).toEqual(fates.map(() => 1));
          expect(lane.inFlight).toBe(0);
          const notices = sent.filter(({ method }) => method === "notifications/cancelled");
          expect(new Set(notices.map(({ params }) => params?.["requestId"])).size).toBe(notices.length);
          for (const { params } of notices)
            expect(
              sent.some(({ id, method }) => id === params?.["requestId"] && method === "tools/call"),
            ).toBe(true);
        },
      ),
      { numRuns },
    );
    recordFigure({
      what: "B27 orders of abort, answer, failure and loss",
      size: `${numRuns} schedules`,
      found: "one outcome each, at most one notice",
    });
  },
  { timeoutMs: 120_000 },
);

for (const era of ["legacy", "modern"] as const) {
  verifies(
    "faults:b27-cancel-races",
    `${era}: after an abort at any moment of a real call, the connection is usable`,
    async () => {
      await using endpoint = await opened(evil("s"), {}, evilInProcess({ era }));
      for (let round = 0; round < atSize({ quick: 60, full: 2000 }); round++) {
        const abort = new AbortController();
        const reason = new Error("enough");
        const call = act(endpoint, "echo", { text: `${round}` }, abort.signal).catch(
          (thrown: unknown) => thrown,
        );
        for (let turn = 0; turn < round % 12; turn++) await Promise.resolve();
        abort.abort(reason);
        abort.abort(new Error("again"));
        expect([`${round}`, reason]).toContain(await call);
      }
      expect(await act(endpoint, "echo", { text: "on" })).toBe("on");
    },
  );
}

verifies("faults:b27-cancel-races", "the handshake is never cancelled by a notification", async () => {
  const [client, server] = linkedTransports();
  const heard: RpcMessage[] = [];
  server.onmessage = (message) => void heard.push(message);
  await server.start();
  const endpoint = createServerEndpoint(evil("mute"), client, { probeMs: 20 });
  const opening = endpoint.open().catch((thrown: unknown) => thrown);
  expect(await becomesTrue(() => heard.some(({ method }) => method === "initialize"))).toBe(true);
  await endpoint.close();
  expect(await opening).toMatchObject({ kind: "not_connected" });
  expect(heard.map(({ method }) => method)).not.toContain("notifications/cancelled");
});

verifies(
  "faults:b28-crowds",
  "each of a thousand concurrent calls on one process gets its own answer",
  async () => {
    const calls = 1000;
    await using endpoint = await opened(evil("one"));
    await act(endpoint, "echo", { text: "warm" });
    const rounds = atSize({ quick: 1, full: 20 });
    const shares: number[] = [];
    const pace = await machinePace();
    for (let round = 0; round < rounds; round++) {
      const { ms, value: answers } = await timed(() =>
        Promise.all(
          Array.from({ length: calls }, (_, i) => act(endpoint, "echo", { text: `secret ${round} ${i}` })),
        ),
      );
      expect(answers).toEqual(answers.map((_, i) => `secret ${round} ${i}`));
      shares.push(ms / calls);
    }
    await pace.check(shares, { hangMs: 200, medianMs: 20 });
    recordFigure({
      what: "B28 calls at once on one process",
      size: `${rounds} times ${calls}`,
      found: `0 wrong answers, ${Math.max(...shares).toFixed(3)} ms a call at worst`,
    });
  },
);

verifies(
  "faults:b28-crowds",
  "a hundred servers with fifty concurrent calls each answer all of them",
  async () => {
    const servers = atSize({ quick: 30, full: 100 });
    const config = (id: string): ServerConfig => ({ kind: "stdio", id, command: "unused" });
    const ids = Array.from({ length: servers }, (_, i) => `s${i}`);
    const fleet = await startServerFleet(
      { servers: ids.map(config) },
      { transport: () => evilInProcess(), probeMs: 15_000 },
    );
    const pace = await machinePace();
    const alone: number[] = [];
    for (let i = 0; i < 200; i++) alone.push((await timed(() => call(fleet, "s0", "x"))).ms);
    const times: number[] = [];
    const jobs = ids.flatMap((id) => Array.from({ length: 50 }, (_, i) => ({ id, text: `${id} ${i}` })));
    const { ms } = await timed(() =>
      Promise.all(
        jobs.map(async ({ id, text }) => {
          const { ms: took, value } = await timed(() => call(fleet, id, text));
          expect(value).toBe(text);
          times.push(took);
        }),
      ),
    );
    await fleet.tearDown();
    recordFigure({
      what: "B28 servers with 50 calls each, all at once",
      size: `${servers} servers, ${jobs.length} calls`,
      found: `0 wrong answers in ${ms.toFixed(0)} ms (${(ms / jobs.length).toFixed(3)} ms a call; alone p99 ${percentile(alone, 99)} ms)`,
    });
    await pace.check([ms / jobs.length], { hangMs: 200, medianMs: 20 });
  },
  { timeoutMs: 60_000 },
);

async function call(
  fleet: Awaited<ReturnType<typeof startServerFleet>>,
  id: string,
  text: string,
): Promise<string> {
  const lease = await fleet.acquire(id);
  try {
    return await act(lease.endpoint as OpenEndpoint, "echo", { text });
  } finally {
    lease.release();
  }
}

verifies(
  "faults:b28-crowds",
  "calls in flight when the server dies all fail with the same fault",
  async () => {
    const endpoint = await opened(evil("one"));
    const waiting = Array.from({ length: 500 }, () => faultOf(act(endpoint, "silent")));
    const fault = await faultOf(act(endpoint, "crash"));
    for (const other of await Promise.all(waiting)) expect(other).toBe(fault);
  },
);
