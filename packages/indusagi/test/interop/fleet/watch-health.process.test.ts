import { verifiesTogether } from "@indus/testkit";
import {
  type BridgeOptions,
  type EndpointStatus,
  mountProtocolBridge,
  type ServerConfig,
} from "indusagi/interop";
import type { ToolOutcome } from "indusagi/runtime";
import { expect, vi } from "vitest";
import { flakyHttp } from "./flaky-http.ts";
import { pidOf, rough } from "./rough.ts";

const CALL_MS = 500;
const health = { probeMs: 100 };
const probing = (probeMs: number): BridgeOptions => ({
  relistMs: 60_000,
  supervision: { firstDelayMs: 10, maxDelayMs: 20, health: { probeMs } },
});
const quick = probing(health.probeMs);
/** For a server that answers its probe: the answer ends the wait, so a long limit costs nothing. */
const patient = probing(10_000);

async function mounted(row: ServerConfig, options: BridgeOptions = quick) {
  const { box, fleet } = await mountProtocolBridge({ servers: [row] }, options);
  const seen: EndpointStatus[] = [];
  fleet.onStatus((status) => seen.push(status));
  const status = () => fleet.status().get("s");
  return {
    fleet,
    seen,
    status,
    call: (tool: string, input: object = {}, signal?: AbortSignal): Promise<ToolOutcome> =>
      box.runner.run({ id: tool, name: `s__${tool}`, input }, signal),
    // Not `expect.poll`: it does not know its test while several run.
    until: (wanted: Partial<EndpointStatus>) =>
      vi.waitFor(() => expect(status()).toMatchObject(wanted), { timeout: 10_000, interval: 5 }),
    /** Asks until a call is answered: on a busy machine one call may take longer than the short limit. */
    answers: () =>
      vi.waitFor(
        async () => {
          const outcome = await box.runner.run({ id: "1", name: "s__echo", input: { text: "back" } });
          expect(outcome).toMatchObject({ isError: false, output: "back" });
        },
        { timeout: 10_000 },
      ),
    [Symbol.asyncDispose]: () => fleet.tearDown(),
  };
}

const limited = (row: ServerConfig): ServerConfig => ({ ...row, timeouts: { callMs: CALL_MS } });
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

for (const era of ["legacy", "modern"] as const) {
  const process = (): ServerConfig => limited(rough("s", ...(era === "modern" ? ["--modern"] : [])));

  verifiesTogether(
    "health:hang",
    `${era}, a process: a server that froze after it was ready is restarted`,
    async () => {
      await using server = await mounted(process());
      const pid = await pidOf(server.fleet, "s");
      expect(server.fleet.endpoint("s")?.session().era).toBe(era);
      expect(await server.call("freeze")).toMatchObject({ fault: { kind: "timeout" } });
      expect(server.status()).toMatchObject({ phase: "ready", restarts: 0 });
      expect(await server.call("echo")).toMatchObject({ fault: { kind: "timeout" } });
      await server.until({ phase: "ready", restarts: 1 });
      await server.answers();
      expect(await pidOf(server.fleet, "s")).not.toBe(pid);
      expect(server.seen.find(({ fault }) => fault)).toMatchObject({
        phase: "faulted",
        state: "restarting",
        toolCount: 5,
        summary: expect.stringContaining('server "s" hangs: 2 calls timed out'),
      });
    },
  );

  verifiesTogether(
    "health:hang",
    `${era}, HTTP: a server that answers nothing gets a new connection`,
    async () => {
      await using http = await flakyHttp(era);
      await using server = await mounted(
        limited({ kind: "streamable-http", id: "s", url: http.url, onMismatch: "fail" }),
      );
      const before = http.asked.length;
      http.refuse = () => "hang";
      for (let n = 0; n < 2; n++)
        expect(await server.call("echo")).toMatchObject({ fault: { kind: "timeout" } });
      await server.until({ phase: "faulted", state: "restarting" });
      http.refuse = () => undefined;
      await server.until({ phase: "ready" });
      await server.answers();
      expect(server.status()?.restarts).toBeGreaterThan(0);
      expect(http.asked.length).toBeGreaterThan(before);
    },
  );

  verifiesTogether(
    "health:slow",
    `${era}: a server that answers the probe is slow, and is not restarted`,
    async () => {
      await using server = await mounted(process(), patient);
      const pid = await pidOf(server.fleet, "s");
      for (let n = 0; n < 4; n++)
        expect(await server.call("never")).toMatchObject({ fault: { kind: "timeout" } });
      await server.until({ phase: "ready", state: "slow", restarts: 0, toolCount: 5 });
      expect(server.status()?.summary).toContain("is alive, but its calls time out");
      await server.answers();
      expect(server.status()).toMatchObject({ phase: "ready", restarts: 0 });
      expect(server.status()?.state).toBeUndefined();
      expect(await pidOf(server.fleet, "s")).toBe(pid);
    },
  );
}

verifiesTogether("health:slow", "HTTP: an error status is an answer, so the server is alive", async () => {
  await using http = await flakyHttp("legacy");
  await using server = await mounted(
    limited({ kind: "streamable-http", id: "s", url: http.url, onMismatch: "fail" }),
    patient,
  );
  http.refuse = ({ method }) => {
    if (method === "tools/call" || method === "notifications/cancelled") return "hang";
    return { status: 400, body: "not now" };
  };
  for (let n = 0; n < 2; n++) await server.call("echo");
  await server.until({ phase: "ready", state: "slow", restarts: 0 });
});

verifiesTogether(
  "health:no-alarm",
  "calls that the client cancels never count, however many there are",
  async () => {
    await using server = await mounted(limited(rough("s")));
    const traffic = server.fleet.endpoint("s")?.traffic;
    const frozen = server.call("freeze", {}, AbortSignal.timeout(CALL_MS / 4));
    expect(await frozen).toMatchObject({ fault: { reason: "aborted" } });
    for (let n = 0; n < 6; n++) await server.call("echo", {}, AbortSignal.timeout(CALL_MS / 4));
    expect(traffic?.missed).toBe(0);
    await sleep(CALL_MS + 6 * health.probeMs);
    expect(server.seen).toEqual([]);
    expect(server.status()).toMatchObject({ phase: "ready", restarts: 0 });
  },
);

verifiesTogether(
  "health:no-alarm",
  "one deadline does not count, and neither does one with output meanwhile",
  async () => {
    await using server = await mounted(limited(rough("s")));
    await server.call("mutter");
    await server.call("never");
    await server.call("never");
    await sleep(6 * health.probeMs);
    expect(server.seen).toEqual([]);
    await using silent = await mounted(limited(rough("s")));
    await silent.call("freeze");
    await sleep(6 * health.probeMs);
    expect(silent.seen).toEqual([]);
    expect(silent.fleet.endpoint("s")?.traffic.missed).toBe(1);
  },
);

verifiesTogether(
  "health:running-calls",
  "a call within its own deadline is not cut off; new calls wait, and a server that answers again goes on",
  async () => {
    await using server = await mounted(limited(rough("s")));
    const pid = await pidOf(server.fleet, "s");
    const session = server.fleet.endpoint("s")?.session();
    const late = [server.call("freeze", { ms: 4000 })];
    await sleep(20);
    late.push(server.call("echo"));
    const waits = session?.request(
      "tools/call",
      { name: "echo", arguments: { text: "patient" } },
      { timeoutMs: 20_000 },
    );
    for (const outcome of await Promise.all(late))
      expect(outcome).toMatchObject({ fault: { kind: "timeout" } });
    await server.until({ phase: "faulted", state: "restarting", restarts: 0 });
    const waiting = server.call("echo", { text: "waited" });
    expect(await waits).toMatchObject({ content: [{ text: "patient" }] });
    expect(await waiting).toMatchObject({ isError: false, output: "waited" });
    expect(server.status()).toMatchObject({ phase: "ready", restarts: 0 });
    expect(await pidOf(server.fleet, "s")).toBe(pid);
  },
);

verifiesTogether(
  "health:running-calls",
  "a server that stays silent is restarted as soon as no call waits for it",
  async () => {
    await using server = await mounted(limited(rough("s")));
    const waits = server.fleet
      .endpoint("s")
      ?.session()
      .request("tools/call", { name: "freeze" }, { timeoutMs: 3000 })
      .catch((thrown: unknown) => thrown);
    await Promise.all([server.call("echo"), server.call("echo")]);
    await server.until({ phase: "faulted", state: "restarting", restarts: 0 });
    const waiting = server.call("echo", { text: "next" });
    expect(await waits).toMatchObject({ kind: "timeout", message: expect.stringContaining("3 s") });
    expect(await waiting).toMatchObject({ isError: false, output: "next" });
    expect(server.status()).toMatchObject({ phase: "ready", restarts: 1 });
  },
);

verifiesTogether(
  "health:off",
  "with health off, or without supervision, a hanging server is left alone",
  async () => {
    for (const supervision of [{ health: false } as const, false as const]) {
      await using server = await mounted(limited(rough("s")), { supervision });
      await Promise.all([server.call("freeze"), server.call("echo"), server.call("echo")]);
      await sleep(6 * health.probeMs);
      expect(server.status()).toMatchObject({ phase: "ready", restarts: 0 });
      expect(server.seen).toEqual([]);
    }
  },
);

verifiesTogether(
  "health:patience",
  "with the caller's patience a call outlives the default limit, but not one that its row names",
  async () => {
    const options: BridgeOptions = { ...quick, patience: "caller", timeouts: { callMs: 50, totalMs: 60 } };
    await using server = await mounted(rough("s"), options);
    expect(await server.call("freeze", { ms: 600 })).toMatchObject({ isError: false, output: "thawed" });
    await using strict = await mounted(limited(rough("s")), options);
    expect(await strict.call("never")).toMatchObject({ fault: { kind: "timeout" } });
  },
);

verifiesTogether(
  "health:patience",
  "late calls make a server suspect, but it is restarted only when their callers have given up",
  async () => {
    await using server = await mounted(rough("s"), {
      ...quick,
      patience: "caller",
      timeouts: { callMs: CALL_MS },
    });
    const abort = new AbortController();
    const late = ["freeze", "echo"].map((tool) => server.call(tool, {}, abort.signal));
    await server.until({ state: "restarting", restarts: 0 });
    await sleep(300);
    expect(server.status()).toMatchObject({ state: "restarting", restarts: 0 });
    abort.abort();
    for (const outcome of await Promise.all(late)) expect(outcome.fault).toMatchObject({ reason: "aborted" });
    await server.until({ phase: "ready", restarts: 1 });
    expect(await server.call("echo", { text: "new" })).toMatchObject({ output: "new" });
  },
);
