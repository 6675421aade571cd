import { verifies } from "@indus/testkit";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  createProviderHost,
  type HttpLimits,
  type HttpListener,
  serveHttp,
  type TokenVerifier,
} from "indusagi/interop";
import { textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { boxOf } from "../box-of.ts";
import {
  errorOf,
  inSession,
  legacyCall,
  modernRequest,
  openSession,
  send,
  textOf,
} from "../http/raw-http.ts";
import { hostOn } from "../lane/both-ways.ts";

interface Tokens {
  /** Tokens that are not valid any more. */
  readonly revoked: Set<string>;
  /** When a token ends, in milliseconds since the epoch. */
  readonly expires: Map<string, number>;
  readonly rechecks: string[];
}

/** A listener whose tokens belong to one principal and can end, with a tool that runs until it is aborted. */
async function listening(limits: Partial<HttpLimits> = {}) {
  const tokens: Tokens = { revoked: new Set(), expires: new Map(), rechecks: [] };
  const verifier: TokenVerifier = {
    verify: (token) => {
      const expiresMs = tokens.expires.get(token);
      if (tokens.revoked.has(token)) return undefined;
      const expiry = expiresMs === undefined ? {} : { expiresAt: expiresMs / 1000 };
      return { principal: "alice", audience: "any", ...expiry };
    },
    recheck: (token) => {
      tokens.rechecks.push(token);
      return !tokens.revoked.has(token);
    },
  };
  const state = { started: 0, aborted: 0 };
  const watched = new Set<string>();
  const box = boxOf({
    quick: () => textResult("done"),
    waits: async (_call, signal, caller) => {
      state.started += 1;
      caller?.progress?.({ progress: 1 });
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      state.aborted += 1;
      return textResult("too late");
    },
  });
  const resources = {
    list: () => ({ resources: [] }),
    read: () => undefined,
    watch: (uri: string) => void watched.add(uri),
    unwatch: (uri: string) => void watched.delete(uri),
  };
  const host = createProviderHost(box, { name: "host", version: "1" }, { resources });
  const listener = await serveHttp(host, { port: 0, verifier, limits: { recheckMs: 50, ...limits } });
  return { listener, tokens, state, watched };
}

type End = (tokens: Tokens, url: string) => Promise<void> | void;

/** The verifier gives the token another expiry, which the host learns with the next request. */
const expire: End = async (tokens, url) => {
  const { headers, body } = modernRequest(1, "tools/call", { name: "quick" });
  for (let status = 401; status === 401; ) {
    tokens.expires.set("token", Date.now() + 300);
    ({ status } = await send(url, { headers: { ...headers, ...bearer("token") }, body }));
  }
};

/** How a token ends, and what the client reads about it. */
const ENDS: { readonly [way: string]: readonly [end: End, why: RegExp] } = {
  expired: [expire, /Unauthorized: the token has expired/],
  revoked: [(tokens) => void tokens.revoked.add("token"), /Unauthorized: the token was revoked/],
};

const REVOKED = "Unauthorized: the token was revoked";
const MAY_HAVE_RUN = `${REVOKED}; the call was ended and may have run`;

const bearer = (token: string): { readonly authorization: string } => ({ authorization: `Bearer ${token}` });

async function connect({ url }: HttpListener, era: string, token: string): Promise<Client> {
  const client = new Client(
    { name: "test", version: "1" },
    era === "modern" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {},
  );
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: bearer(token) },
  });
  await client.connect(transport);
  return client;
}

for (const [way, [end, why]] of Object.entries(ENDS))
  for (const era of ["legacy", "modern"]) {
    verifies(
      "host-threats:token-end",
      `${era}: a token that is ${way} ends the running call of a real client, and the next one gets a 401`,
      async () => {
        const { listener, tokens, state } = await listening({ recheckMs: way === "expired" ? 60_000 : 50 });
        const client = await connect(listener, era, "token");
        try {
          const quick = await client.callTool({ name: "quick", arguments: {} });
          expect(quick.content).toEqual([{ type: "text", text: "done" }]);
          const notes: unknown[] = [];
          const running = client.callTool(
            { name: "waits", arguments: {} },
            { onprogress: (note) => notes.push(note), timeout: 10_000 },
          );
          const failed = expect(running).rejects.toThrow(why);
          await expect.poll(() => notes.length).toBe(1);
          await end(tokens, listener.url);
          await failed;
          await expect.poll(() => state).toEqual({ started: 1, aborted: 1 });
          const next = await client
            .callTool({ name: "quick", arguments: {} })
            .catch((thrown: unknown) => thrown);
          expect(String(next)).toMatch(/401|Unauthorized/i);
        } finally {
          await client.close();
          await listener.close();
        }
      },
    );
  }

verifies("host-threats:token-end", "legacy: the notification stream and the session end", async () => {
  const { listener, tokens } = await listening({ keepAliveMs: 50 });
  try {
    const session = inSession(await openSession(listener.url, bearer("token")));
    let isOpen = false;
    const stream = send(listener.url, {
      method: "GET",
      headers: { ...bearer("token"), ...session },
      onText: () => (isOpen = true),
    });
    await expect.poll(() => isOpen).toBe(true);
    tokens.revoked.add("token");
    expect((await stream).status).toBe(200);
    const after = (token: string) =>
      send(listener.url, { headers: { ...bearer(token), ...session }, body: legacyCall(1, "quick") });
    const refused = await after("token");
    expect(refused.status).toBe(401);
    expect(refused.headers["www-authenticate"]).toContain('error="invalid_token"');
    expect((await after("another")).status).toBe(404);
  } finally {
    await listener.close();
  }
});

verifies(
  "host-threats:token-end",
  "legacy: a session that goes on with a newer token stays open",
  async () => {
    const { listener, tokens, state } = await listening();
    try {
      const session = inSession(await openSession(listener.url, bearer("old")));
      const headers = { ...bearer("old"), ...session };
      const call = send(listener.url, { headers, body: legacyCall(1, "waits") });
      const stream = send(listener.url, { method: "GET", headers });
      await expect.poll(() => state.started).toBe(1);
      const renewed = { ...bearer("new"), ...session };
      const other = send(listener.url, { headers: renewed, body: legacyCall(2, "waits") });
      await expect.poll(() => state.started).toBe(2);
      tokens.revoked.add("old");
      expect(errorOf(await call)?.message).toBe(MAY_HAVE_RUN);
      await stream;
      await expect.poll(() => state.aborted).toBe(1);
      const quick = await send(listener.url, { headers: renewed, body: legacyCall(3, "quick") });
      expect(textOf(quick)).toBe("done");
      tokens.revoked.add("new");
      expect(errorOf(await other)?.message).toBe(MAY_HAVE_RUN);
      await expect.poll(() => state.aborted).toBe(2);
    } finally {
      await listener.close();
    }
  },
);

verifies(
  "host-threats:token-end",
  "modern: a subscription ends with an error, and its watches too",
  async () => {
    const { listener, tokens, watched } = await listening();
    try {
      const params = { notifications: { resourceSubscriptions: ["x://1"] } };
      const { headers, body } = modernRequest(7, "subscriptions/listen", params);
      const stream = send(listener.url, { headers: { ...headers, ...bearer("token") }, body });
      await expect.poll(() => [...watched]).toEqual(["x://1"]);
      tokens.revoked.add("token");
      const last = (await stream).messages.at(-1);
      expect(last).toMatchObject({ id: 7, error: { message: REVOKED } });
      await expect.poll(() => [...watched]).toEqual([]);
    } finally {
      await listener.close();
    }
  },
);

const FORM = { mode: "form", message: "Go on?", requestedSchema: { type: "object", properties: {} } };

for (const way of ["lane", "sdk"] as const)
  verifies(
    "host-threats:token-end-told",
    `${way}: a client is told whether its call may have run when its token is revoked`,
    async () => {
      let isRevoked = false;
      let waiting = 0;
      const verifier: TokenVerifier = {
        verify: () => (isRevoked ? undefined : { principal: "alice", audience: "any" }),
        recheck: () => !isRevoked,
      };
      const untilEnd = (signal: AbortSignal) => {
        waiting += 1;
        return new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      };
      const box = boxOf({
        waits: (_call, signal) => untilEnd(signal).then(() => textResult("late")),
        streams: async (_call, signal, caller) => {
          caller?.progress?.({ progress: 1 });
          await untilEnd(signal);
          return textResult("late");
        },
        asks: async (_call, signal, caller) => {
          await caller?.ask?.({ go: { method: "elicitation/create", params: FORM } });
          await untilEnd(signal);
          return textResult("late");
        },
      });
      // A list waits for its hint, so this request runs and no tool has it.
      const toolHint = () => {
        waiting += 1;
        return new Promise<undefined>(() => {});
      };
      const host = hostOn(way, box, {}, { toolHint });
      const listener = await serveHttp(host, { port: 0, verifier, limits: { recheckMs: 50 } });
      const { url } = listener;
      try {
        const modern = (id: number, method: string, params: object) => {
          const { headers, body } = modernRequest(id, method, { ...params });
          return send(url, { headers: { ...headers, ...bearer("token") }, body });
        };
        const session = inSession(await openSession(url, bearer("token")));
        const legacy = (body: object) => send(url, { headers: { ...session, ...bearer("token") }, body });
        const asked = (await modern(1, "tools/call", { name: "asks" })).messages[0]?.result;
        const { requestState } = asked ?? {};
        const answered = { requestState, inputResponses: { go: { action: "accept", content: {} } } };
        const streamed = { _meta: { progressToken: 1 } };
        const running = [
          modern(2, "tools/call", { name: "waits" }),
          modern(3, "tools/call", { name: "streams", ...streamed }),
          modern(4, "tools/call", { name: "asks", ...answered }),
          legacy(legacyCall(5, "waits")),
          legacy(legacyCall(6, "streams", {}, streamed._meta)),
          modern(7, "tools/list", {}),
        ];
        await expect.poll(() => waiting).toBe(running.length);
        isRevoked = true;
        const ends = (await Promise.all(running)).map((answer) => {
          const challenged = answer.headers["www-authenticate"] !== undefined;
          const last = answer.messages.at(-1);
          return [last?.id, answer.status, challenged, last?.error?.code, last?.error?.message];
        });
        expect(ends).toEqual([
          [2, 401, true, -32_000, MAY_HAVE_RUN],
          [3, 200, false, -32_000, MAY_HAVE_RUN],
          [4, 401, true, -32_000, MAY_HAVE_RUN],
          [5, 200, false, -32_000, MAY_HAVE_RUN],
          [6, 200, false, -32_000, MAY_HAVE_RUN],
          [7, 401, true, -32_000, REVOKED],
        ]);
        const refused = await modern(8, "tools/call", { name: "waits" });
        expect([refused.status, errorOf(refused)?.message]).toEqual([
          401,
          "Unauthorized: the token is not known here",
        ]);
        expect(waiting).toBe(running.length);
      } finally {
        await listener.close();
      }
    },
  );

verifies("host-threats:token-end", "a recheck that fails or hangs ends what the token started", async () => {
  for (const recheck of [() => Promise.reject(new Error("down")), () => new Promise<boolean>(() => {})]) {
    const verifier: TokenVerifier = { verify: () => ({ principal: "alice", audience: "any" }), recheck };
    const box = boxOf({
      waits: (_call, signal) =>
        new Promise((resolve) => signal.addEventListener("abort", () => resolve(textResult("late")))),
    });
    const listener = await serveHttp(createProviderHost(box), {
      port: 0,
      verifier,
      limits: { recheckMs: 50 },
    });
    const { headers, body } = modernRequest(1, "tools/call", { name: "waits" });
    const answer = await send(listener.url, { headers: { ...headers, ...bearer("token") }, body });
    expect(errorOf(answer)?.message).toMatch(/^Unauthorized/);
    await listener.close();
  }
});

verifies(
  "host-threats:token-end",
  "a token is checked again only while something of it is open",
  async () => {
    const { listener, tokens } = await listening();
    try {
      const { headers, body } = modernRequest(1, "tools/call", { name: "quick" });
      await send(listener.url, { headers: { ...headers, ...bearer("token") }, body });
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(tokens.rechecks).toEqual([]);
    } finally {
      await listener.close();
    }
  },
);
