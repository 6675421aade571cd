import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { atSize, isFullSize, machinePace, natsServer, type TempDir, tempDir, verifies } from "@indus/testkit";
import { afterAll, beforeAll, expect } from "vitest";
import { serveHttp } from "../../../../test/servers/server.mjs";
import {
  errorOf,
  inSession,
  legacyCall,
  modernRequest,
  openSession,
  send,
  textOf,
} from "../../../indusagi/test/interop/host/http/raw-http.ts";
import { connectCluster } from "../../src/cluster/connect-cluster.ts";
import { setUpCluster } from "../../src/cluster/set-up-cluster.ts";
import { eventually, scriptedRow } from "../bin/run-indus.ts";
import { tool } from "../servers/pins/sample-server.ts";
import { type StartedCluster, startCluster } from "./started-cluster.ts";

// One cluster for all of these tests, which run in order: processes are slow to start.

const options = { when: natsServer !== undefined, timeoutMs: 120_000 } as const;

/** A killed gateway counts as alive for that long. */
const LEASE_S = 8;
const countingServer = fileURLToPath(new URL("./counting-server.mjs", import.meta.url));

const listedServer = fileURLToPath(new URL("../../../../test/servers/listed.mjs", import.meta.url));

/** What the server "notes" offers from its next start on. */
function offer(change: object): void {
  const tools = [tool(change), tool({ name: "add" })];
  writeFileSync(dir.at("offered.json"), JSON.stringify({ tools }));
}

let dir: TempDir;
let cluster: StartedCluster;

beforeAll(async () => {
  if (!options.when) return;
  dir = await tempDir();
  offer({});
  cluster = await startCluster(dir, {
    rows: {
      notes: { command: process.execPath, args: [listedServer, dir.at("offered.json")] },
      asking: scriptedRow(),
      private: { ...scriptedRow(), share: "principal" },
      single: { ...scriptedRow(), share: "session" },
      counting: { command: process.execPath, args: [countingServer, dir.at("most")] },
    },
    gateways: ["g1", "g2", "g3"],
    serve: ["--preview-over", "8m"],
    workers: ["w1"],
    leaseS: LEASE_S,
  });
}, 180_000);

afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  await dir?.[Symbol.asyncDispose]();
}, 120_000);

const bearer = (token = cluster.token): { readonly authorization: string } => ({
  authorization: `Bearer ${token}`,
});
const urlOf = (gateway: number): string => cluster.urls[gateway] ?? "";

verifies(
  "cluster:sessions",
  "a session is used through other gateways: answers, streams, cancellation, large results and its end",
  async () => {
    const session = await openSession(urlOf(0), bearer());
    const headers = { ...bearer(), ...inSession(session) };
    const at = (gateway: number, body: object): ReturnType<typeof send> =>
      send(urlOf(gateway), { headers, body });
    expect(textOf(await at(1, legacyCall(1, "asking__echo", { text: "forwarded" })))).toBe("forwarded");
    const large = await at(2, legacyCall(2, "asking__huge", { bytes: 5_000_000 }));
    expect(textOf(large)?.length).toBe(5_000_000);

    // Progress arrives while the call runs.
    const seen: string[] = [];
    const slow = send(urlOf(1), {
      headers,
      body: legacyCall(3, "asking__slow", { ms: 600, stepMs: 50 }, { progressToken: "p" }),
      onText: (text) => void seen.push(text),
    });
    await eventually(() => (seen.join("").includes("notifications/progress") ? true : undefined));
    expect(seen.join("")).not.toContain("done");
    expect(textOf(await slow)).toBe("done");

    // A stream of notifications at one gateway; the change is made through another.
    const leave = new AbortController();
    const notes: string[] = [];
    const stream = send(urlOf(2), {
      method: "GET",
      headers: { ...headers, accept: "text/event-stream" },
      signal: leave.signal,
      onText: (text) => void notes.push(text),
    }).catch(() => undefined);
    // Until the stream is open, changes are not sent.
    await eventually(async () => {
      await at(1, legacyCall(4, "asking__change"));
      return notes.join("").includes("tools/list_changed") ? true : undefined;
    });
    leave.abort();
    await stream;

    // Without a valid token the id of a session is worth nothing.
    const stolen = await send(urlOf(1), {
      headers: { ...inSession(session), authorization: "Bearer wrong" },
      body: legacyCall(5, "asking__echo"),
    });
    expect(stolen.status).toBe(401);
    const bob = (await cluster.indus("token", "add", "bob")).out.trim();
    const other = await eventually(async () => {
      const answer = await send(urlOf(1), {
        headers: { ...bearer(bob), ...inSession(session) },
        body: legacyCall(6, "asking__echo"),
      });
      return answer.status === 401 ? undefined : answer;
    });
    expect(other.status).toBe(404);

    expect((await send(urlOf(1), { method: "DELETE", headers })).status).toBeLessThan(300);
    expect((await at(0, legacyCall(7, "asking__echo"))).status).toBe(404);
  },
  options,
);

verifies(
  "cluster:limits",
  "a token with four calls has four at three gateways together, counted at the server",
  async () => {
    const carol = (await cluster.indus("token", "add", "carol", "--calls", "4")).out.trim();
    await eventually(async () => ((await call(0)).status === 401 ? undefined : true));
    async function call(gateway: number): ReturnType<typeof send> {
      return cluster.call(gateway, "counting__work", { ms: 3 }, carol);
    }
    const calls = atSize({ quick: 8, full: 40 });
    const wanted = atSize({ quick: 40, full: 100 });
    let [worked, refused] = [0, 0];
    const caller = async (gateway: number): Promise<void> => {
      // On a busy machine most calls are refused.
      for (let each = 0; each < calls || worked <= wanted; each++) {
        const { text } = await call(gateway);
        if (text.includes("worked")) worked += 1;
        else if (text.includes("may run 4 calls at the same time")) refused += 1;
        else throw new Error(text);
      }
    };
    await Promise.all(Array.from({ length: 18 }, (_, at) => caller(at % 3)));
    expect(worked + refused).toBeGreaterThanOrEqual(18 * calls);
    expect((await readFile(dir.at("most"), "utf8")).trim().split("\n").at(-1)).toBe("4");
  },
  options,
);

verifies(
  "cluster:pins",
  "a tool that its server made dangerous is withheld at every gateway, until one command approves it for all",
  async () => {
    const texts = async (...gateways: readonly number[]): Promise<readonly string[]> =>
      Promise.all(gateways.map(async (at) => (await cluster.call(at, "notes__find", { text: "a" })).text));
    const untilAll = async (part: string, ...gateways: readonly number[]): Promise<readonly string[]> =>
      eventually(async () => {
        const answers = await texts(...gateways);
        return answers.every((text) => text.includes(part)) ? answers : undefined;
      }, 30_000);
    await untilAll("called find", 0, 1, 2);

    offer({ annotations: { readOnlyHint: true }, description: "Reads only." });
    // A changed row starts it again; it is the same program, so what was approved still counts.
    expect((await cluster.indus("mcp", "env", "notes", "ANY=1")).code).toBe(0);
    const [told = ""] = await untilAll("is quarantined", 0, 1, 2);
    expect(told).toContain(`indus mcp approve notes__find --cluster ${cluster.nats.url}`);

    const waiting = await cluster.indus("mcp", "approve");
    expect(waiting.out).toContain("notes__find");
    expect((await cluster.indus("mcp", "refuse", "notes__find", "--yes")).out).toContain("refused 1 change");
    expect((await cluster.indus("mcp", "approve")).err).toContain("nothing waits");
    await untilAll("is quarantined", 0, 1, 2);

    const approved = await cluster.indus("mcp", "approve", "notes__find", "--yes");
    expect(approved.out).toContain("approved 1 change");
    await untilAll("called find", 0, 1, 2);
  },
  options,
);

verifies(
  "cluster:calls",
  "a server behind a URL is reached by its worker for all gateways",
  async () => {
    const remote = await serveHttp();
    const added = await cluster.indus("mcp", "add", "remote", remote.url);
    expect(added.code).toBe(0);
    for (const gateway of [0, 1])
      await eventually(async () => {
        const called = await cluster.call(gateway, "remote__echo", { text: `through ${gateway}` });
        return textOf(called) === `through ${gateway}` ? true : undefined;
      }, 30_000);
    expect((await cluster.indus("mcp", "remove", "remote")).code).toBe(0);
    await remote.close();
  },
  options,
);

verifies(
  "cluster:links",
  "a link in a result that no list has is read at another gateway",
  async () => {
    const { text } = await cluster.call(0, "counting__link");
    const [, uri = ""] = /"uri":"([^"]+)"/.exec(text) ?? [];
    const request = modernRequest(1, "resources/read", { uri });
    const headers = { ...request.headers, "mcp-name": uri, ...bearer() };
    const read = await send(urlOf(1), { ...request, headers });
    expect(read.text).toContain("the text of report://only/here");
  },
  options,
);

verifies(
  "cluster:links",
  "the whole of a result that one gateway previewed is read at the others, by its owner only",
  async () => {
    const { text } = await cluster.call(0, "asking__huge", { bytes: 9_000_000 });
    expect(text.length).toBeLessThan(100_000);
    const [uri = "", id = ""] = /indus:\/\/artifact\/([\w.-]+)/.exec(text) ?? [];
    const readAt = async (gateway: number, token = cluster.token): Promise<string> => {
      const request = modernRequest(1, "resources/read", { uri });
      const headers = { ...request.headers, "mcp-name": uri, ...bearer(token) };
      return (await send(urlOf(gateway), { ...request, headers })).text;
    };
    for (const gateway of [0, 1]) expect((await readAt(gateway)).length).toBeGreaterThan(9_000_000);
    const page = await cluster.call(2, "read_result", { id, offset: 8_999_990 });
    expect(page.text).toContain("xxxxx");
    const mallory = (await cluster.indus("token", "add", "mallory")).out.trim();
    const refused = await eventually(async () => {
      const answer = await readAt(1, mallory);
      return answer.includes("the token is not known") ? undefined : answer;
    });
    expect(refused.length).toBeLessThan(2_000);
  },
  options,
);

verifies(
  "cluster:instances",
  "a process for each principal is the same at all gateways, and each session has its own with a row that says so",
  async () => {
    const dora = (await cluster.indus("token", "add", "dora")).out.trim();
    const pidOf = async (gateway: number, token: string): Promise<string> =>
      eventually(async () => textOf(await cluster.call(gateway, "private__pid", {}, token)), 30_000);
    await eventually(async () => ((await cluster.call(0, "x", {}, dora)).status === 401 ? undefined : true));
    const [own, again, others] = [
      await pidOf(0, cluster.token),
      await pidOf(1, cluster.token),
      await pidOf(1, dora),
    ];
    expect(own).toMatch(/^\d+$/);
    expect(again).toBe(own);
    expect(others).not.toBe(own);

    const sessions = await Promise.all([0, 1].map((at) => openSession(urlOf(at), bearer())));
    const pids = await Promise.all(
      sessions.map(async (session) =>
        textOf(
          await send(urlOf(0), {
            headers: { ...bearer(), ...inSession(session) },
            body: legacyCall(1, "single__pid"),
          }),
        ),
      ),
    );
    expect(new Set(pids).size).toBe(2);
    for (const pid of pids) expect(pid).toMatch(/^\d+$/);
  },
  options,
);

verifies(
  "cluster:revoked",
  "within two seconds of its revocation a token is refused at every gateway, and its streams have ended at all of them",
  async () => {
    const erin = (await cluster.indus("token", "add", "erin")).out.trim();
    const session = await eventually(() => openSession(urlOf(0), bearer(erin)).catch(() => undefined));
    await Promise.all(
      [1, 2].map((at) =>
        eventually(async () => ((await cluster.call(at, "x", {}, erin)).status === 401 ? undefined : true)),
      ),
    );
    const headers = { ...bearer(erin), ...inSession(session) };
    const listen = modernRequest(9, "subscriptions/listen", { notifications: { toolsListChanged: true } });
    const opened: number[] = [];
    const ended: number[] = [];
    const streams = [
      // Of the older protocol: forwarded from the second gateway to the first.
      send(urlOf(1), { method: "GET", headers: { ...headers, accept: "text/event-stream" } }),
      send(urlOf(2), {
        ...listen,
        headers: { ...listen.headers, ...bearer(erin) },
        onText: () => void opened.push(2),
      }),
      // A call that runs.
      send(urlOf(2), { headers, body: legacyCall(3, "asking__silent") }),
    ].map((stream) =>
      stream
        .then(
          () => undefined,
          () => undefined,
        )
        .then(() => void ended.push(performance.now())),
    );
    await eventually(() => (opened.includes(2) ? true : undefined));
    expect(ended).toEqual([]);
    const pace = await machinePace();
    // The command ends some time after NATS has acknowledged the write.
    expect((await cluster.indus("token", "revoke", "erin")).code).toBe(0);
    const revokedMs = performance.now();
    await Promise.all(
      [0, 1, 2].map((at) =>
        eventually(async () => ((await cluster.call(at, "x", {}, erin)).status === 401 ? true : undefined)),
      ),
    );
    const refusedMs = performance.now();
    await Promise.all(streams);
    const times = [refusedMs, ...ended].map((at) => Math.max(0, at - revokedMs));
    await pace.check(times, { what: "the end of a token", hangMs: 2_000, medianMs: 2_000 });
  },
  options,
);

verifies(
  "cluster:sessions",
  "the id of a session shows no gateway, a changed one names none, and the session of a killed gateway is answered with 404",
  async () => {
    const session = await openSession(urlOf(2), bearer());
    const { out } = await cluster.indus("cluster", "status", "--json");
    const { nodes } = JSON.parse(out) as { readonly nodes: readonly { readonly id: string }[] };
    for (const { id } of nodes) expect(session).not.toContain(id);
    const sealed = session.slice(session.lastIndexOf(".") + 1);
    const forged = [`${"0".repeat(59)}.${sealed}`, `${session.slice(0, -3)}AAA`, "nonsense"];
    for (const id of forged) {
      const answer = await send(urlOf(0), {
        headers: { ...bearer(), ...inSession(id) },
        body: legacyCall(1, "asking__echo"),
      });
      expect(answer.status).toBe(404);
    }
    const headers = { ...bearer(), ...inSession(session) };
    const running = send(urlOf(0), { headers, body: legacyCall(2, "asking__silent") });
    await eventually(async () => {
      const { text } = await send(urlOf(0), { headers, body: legacyCall(3, "asking__echo", { text: "on" }) });
      return text.includes('"on"') ? true : undefined;
    });
    // The leases of nodes that run are renewed as often as before, and run out sooner.
    await using connection = await connectCluster({ urls: [cluster.nats.url] }, "test");
    await setUpCluster(connection, { leaseMs: 4_000 });
    cluster.nodes.get("g3")?.child.kill("SIGKILL");
    const next = await send(urlOf(0), { headers, body: legacyCall(4, "asking__echo") });
    expect(next.status).toBe(404);
    const lost = await running;
    await setUpCluster(connection, { leaseMs: LEASE_S * 1_000 });
    expect([lost.status, errorOf(lost)?.message]).toEqual([502, expect.stringContaining("may have run")]);
  },
  // It waits for leases to run out.
  { ...options, when: options.when && isFullSize },
);

verifies(
  "cluster:catalogue",
  "a gateway that starts while no worker runs shows the tools that others listed, and calls them when a worker is there",
  async () => {
    const worker = cluster.nodes.get("w1");
    worker?.child.kill("SIGTERM");
    await worker?.ended;
    const url = await cluster.start("g4", "serve", "--port", "0", "--require-token");
    const request = modernRequest(1, "tools/list");
    const listed = await send(url, { ...request, headers: { ...request.headers, ...bearer() } });
    for (const name of ["notes__find", "asking__echo", "counting__work"])
      expect(listed.text).toContain(`"${name}"`);
    const asked = modernRequest(2, "tools/call", { name: "asking__echo", arguments: { text: "at last" } });
    const calling = send(url, { ...asked, headers: { ...asked.headers, ...bearer() } });
    await cluster.start("w2", "worker");
    expect(textOf(await calling)).toBe("at last");
  },
  options,
);

verifies(
  "cluster:both",
  "one process is gateway and worker, and profiles that change files are refused in a cluster",
  async () => {
    const worker = cluster.nodes.get("w2");
    worker?.child.kill("SIGTERM");
    await worker?.ended;
    const url = await cluster.start("b1", "serve", "--port", "0", "--require-token", "--worker");
    const asked = modernRequest(2, "tools/call", { name: "asking__echo", arguments: { text: "from both" } });
    const answer = await send(url, { ...asked, headers: { ...asked.headers, ...bearer() } });
    expect(textOf(answer)).toBe("from both");
    const { out } = await cluster.indus("cluster", "status", "--json");
    const { nodes } = JSON.parse(out) as {
      readonly nodes: readonly { readonly name: string; readonly role: string }[];
    };
    expect(
      nodes
        .filter(({ name }) => name === "b1")
        .map(({ role }) => role)
        .sort(),
    ).toEqual(["gateway", "worker"]);
    for (const profile of ["full", "all"]) {
      const refused = await cluster.indus("serve", "--port", "0", "--profile", profile);
      expect(refused.code).toBe(2);
      expect(refused.err).toContain(`--profile ${profile} cannot be used with --cluster`);
    }
    expect((await cluster.indus("serve", "--port", "0", "--labels", "gpu")).err).toContain("needs --worker");
  },
  options,
);
