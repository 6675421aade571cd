import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { linkedTransports, type MessageTransport, type RpcMessage } from "indusagi/interop";
import { expect } from "vitest";
import {
  type HandshakeOptions,
  type Peer,
  shakeHands,
} from "../../../../src/interop/endpoint/connect/handshake.ts";
import { shakeHandsBySdk } from "../../../../src/interop/endpoint/connect/sdk-handshake.ts";
import { TappedTransport } from "../../../../src/interop/wire/index.ts";

/** A server as a function: gets each message of the client and may send any. */
type Server = (message: RpcMessage, send: (message: object) => void, close: () => void) => void;

/** What a handshake led to: what is known of the server, or only that it was refused, and everything the client sent. */
interface Outcome {
  readonly peer: unknown;
  readonly sent: readonly RpcMessage[];
}

const CAPABILITIES = { elicitation: { form: {} }, roots: { listChanged: true } };

/** Servers that answer get all the time they need; those that are silent are not waited for. */
const PATIENT = { identity: { name: "test", version: "1" }, probeMs: 30_000, connectMs: 30_000 };
const SHORT_PROBE = { ...PATIENT, probeMs: 30 };
const SHORT = { ...PATIENT, probeMs: 30, connectMs: 700 };

async function outcomeOf(
  shake: (options: HandshakeOptions) => Promise<Peer>,
  server: Server,
  { era, times = PATIENT }: { era?: HandshakeOptions["era"]; times?: typeof PATIENT } = {},
): Promise<Outcome> {
  const [client, far] = linkedTransports();
  const sent: RpcMessage[] = [];
  far.onmessage = (message) => {
    sent.push(message);
    server(message, sendFrom(far), () => void far.close());
  };
  await far.start();
  const transport = new TappedTransport(client, () => false);
  const options: HandshakeOptions = {
    transport,
    capabilities: CAPABILITIES,
    era,
    ...times,
    signal: AbortSignal.timeout(times.connectMs),
    onClosed: () => {},
  };
  try {
    const peer = await shake(options);
    await new Promise((resolve) => setTimeout(resolve, 5)); // For answers to requests of the server.
    const { era: spoken, protocolVersion, capabilities, serverInfo, instructions } = peer;
    return { peer: { era: spoken, protocolVersion, capabilities, serverInfo, instructions }, sent };
  } catch {
    return { peer: "refused", sent };
  } finally {
    await transport.close();
  }
}

function sendFrom(far: MessageTransport): (message: object) => void {
  return (message) => void far.send({ jsonrpc: "2.0", ...message } as RpcMessage).catch(() => {});
}

/** The order of answers to requests does not matter, only that of our own messages. */
function inOrder(sent: readonly RpcMessage[]): object {
  const isAnswer = ({ method }: RpcMessage): boolean => method === undefined;
  const answers = sent
    .filter(isAnswer)
    .toSorted((one, other) => String(one.id).localeCompare(String(other.id)));
  // The SDK withdraws a request that took too long, also `initialize`, which the protocol forbids.
  const own = sent.filter((message) => !isAnswer(message) && message.method !== "notifications/cancelled");
  return { own, answers };
}

const INTRODUCTION = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: { listChanged: true }, logging: {} },
  serverInfo: { name: "odd", version: "1" },
  instructions: "ask",
};
const DISCOVERY = {
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: { listChanged: true } },
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "new", version: "2" } },
};
const UNKNOWN = { code: -32601, message: "Method not found" };

/** Answers the probe with an error, and `initialize` with this result. */
function legacy(result: unknown = INTRODUCTION): Server {
  return ({ id, method }, send) => {
    if (method === "server/discover") send({ id, error: UNKNOWN });
    if (method === "initialize") send({ id, result });
  };
}

function modern(result: unknown): Server {
  return ({ id, method }, send) => {
    if (method === "server/discover") send({ id, result });
    if (method === "initialize") send({ id, result: INTRODUCTION });
  };
}

/** Refuses the revision of the probe, and names these instead. */
function refusing(supported: unknown, times = Number.POSITIVE_INFINITY): Server {
  let left = times;
  return ({ id, method }, send) => {
    if (method === "initialize") send({ id, result: INTRODUCTION });
    if (method !== "server/discover") return;
    if (left-- > 0) send({ id, error: { code: -32022, message: "no such revision", data: { supported } } });
    else send({ id, result: DISCOVERY });
  };
}

const ODD: { readonly [name: string]: () => Server } = {
  "a legacy server": () => legacy(),
  "a modern server": () => modern(DISCOVERY),
  "a modern server without a name": () => modern({ ...DISCOVERY, _meta: {} }),
  "a modern server with a malformed name": () =>
    modern({ ...DISCOVERY, _meta: { "io.modelcontextprotocol/serverInfo": { name: 1 } } }),
  "one that answers the probe with something else": () => modern({ tools: [] }),
  "one that speaks only a later revision": () => modern({ ...DISCOVERY, supportedVersions: ["2027-01-01"] }),
  "one that ignores the probe": () => (message, send) => {
    if (message.method === "initialize") send({ id: message.id, result: INTRODUCTION });
  },
  "one that never answers": () => () => {},
  "one that ends at the probe": () => (_, __, close) => close(),
  "one that ends at initialize": () => (message, send, close) => {
    if (message.method === "initialize") close();
    else send({ id: message.id, error: UNKNOWN });
  },
  "an error for initialize":
    () =>
    ({ id }, send) =>
      send({ id, error: { code: -32603, message: "no" } }),
  "a revision that nobody knows": () => legacy({ ...INTRODUCTION, protocolVersion: "1999-01-01" }),
  "a modern revision in answer to initialize": () =>
    legacy({ ...INTRODUCTION, protocolVersion: "2026-07-28" }),
  "the oldest revision": () => legacy({ ...INTRODUCTION, protocolVersion: "2024-10-07" }),
  "ids as strings":
    () =>
    ({ id, method }, send) => {
      if (method === "server/discover") send({ id, error: UNKNOWN });
      if (method === "initialize") send({ id: String(id), result: INTRODUCTION });
    },
  "answers to requests that nobody sent": () => (message, send) => {
    send({ id: 77, result: {} });
    send({ id: "x", error: UNKNOWN });
    legacy()(message, send, () => {});
  },
  "notifications before the answer": () => (message, send) => {
    send({ method: "notifications/message", params: { level: "info", data: "hello" } });
    send({ method: "notifications/progress", params: { progressToken: 0, progress: 1 } });
    send({ method: "notifications/unheard" });
    legacy()(message, send, () => {});
  },
  "requests during the handshake and after it": () => (message, send) => {
    const { method } = message;
    const ask = (name: string): void => {
      send({ id: `${name}-1`, method: "ping" });
      send({ id: `${name}-2`, method: "things/do", params: { a: 1 } });
      send({ id: `${name}-3`, method: "tasks/list", params: {} });
    };
    if (method === "server/discover" || method === "initialize" || method === "notifications/initialized")
      ask(method);
    legacy()(message, send, () => {});
  },
  "a late answer to the probe": () => {
    let probe: RpcMessage["id"];
    return ({ id, method }, send) => {
      if (method === "server/discover") probe = id;
      if (method !== "initialize") return;
      send({ id: probe, result: DISCOVERY });
      send({ id, result: INTRODUCTION });
    };
  },
  "a refusal that names our revision, once": () => refusing(["2026-07-28"], 1),
  "a refusal that names our revision, each time": () => refusing(["2026-07-28"]),
  "a refusal that names later revisions only": () => refusing(["2027-01-01"]),
  "a refusal that names legacy revisions only": () => refusing(["2025-11-25"]),
  "a refusal that names nothing": () => refusing(undefined),
  "a refusal that names no strings": () => refusing([1]),
  "a result that is empty": () => legacy({}),
};

const TIMES: { readonly [name: string]: typeof PATIENT } = {
  "one that ignores the probe": SHORT_PROBE,
  "a late answer to the probe": SHORT_PROBE,
  "one that never answers": SHORT,
};

verifies(
  "endpoint:handshake",
  "odd servers: the same messages and conclusions as the SDK's client",
  async () => {
    await Promise.all(
      Object.entries(ODD).map(async ([name, server]) => {
        const options = { times: TIMES[name] ?? PATIENT };
        const ours = await outcomeOf(shakeHands, server(), options);
        const oracle = await outcomeOf(shakeHandsBySdk, server(), options);
        expect({ name, peer: ours.peer, sent: inOrder(ours.sent) }).toEqual({
          name,
          peer: oracle.peer,
          sent: inOrder(oracle.sent),
        });
      }),
    );
  },
);

verifies(
  "endpoint:handshake",
  "a server remembered as legacy is not probed, one remembered as modern is",
  async () => {
    const methods = async (era: HandshakeOptions["era"]): Promise<unknown> =>
      (await outcomeOf(shakeHands, legacy(), { era })).sent.map(({ method }) => method);
    expect(await methods("legacy")).toEqual(["initialize", "notifications/initialized"]);
    expect(await methods("modern")).toEqual(["server/discover", "initialize", "notifications/initialized"]);
  },
);

/** One wrong or unusual member somewhere in an answer. */
const value = fc.oneof(
  fc.constantFrom(null, true, false, 1, "text", [], ["x"], {}, { listChanged: true }, { listChanged: "yes" }),
  fc.constantFrom({ a: {} }, { a: 1 }, [{ src: "i" }], [{ src: 1 }], [{ src: "i", theme: "blue" }]),
  fc.constantFrom({ requests: { tools: { call: {} } } }, { requests: { tools: 1 } }, { list: [] }),
);
const PATHS: readonly string[] = [
  ...["protocolVersion", "capabilities", "serverInfo", "instructions", "supportedVersions", "extra"],
  ...["tools", "prompts", "resources", "logging", "completions", "experimental", "extensions", "tasks"].map(
    (name) => `capabilities.${name}`,
  ),
  ...["name", "version", "title", "icons", "websiteUrl", "description"].map((name) => `serverInfo.${name}`),
];

function withValue(answer: object, path: string, set: unknown): object {
  const [first = "", second] = path.split(".");
  const members = answer as { readonly [name: string]: unknown };
  const inner = second === undefined ? set : { ...(members[first] as object | undefined), [second]: set };
  return { ...answer, [first]: inner };
}

/** The SDK leaves out members that it does not know; we keep them. */
function known(peer: unknown): unknown {
  if (typeof peer !== "object" || peer === null) return peer;
  const { capabilities, ...rest } = peer as { capabilities: { readonly [name: string]: unknown } };
  const flags = (name: string): unknown => {
    const { listChanged } = (capabilities[name] ?? {}) as { readonly listChanged?: unknown };
    return { is: name in capabilities, listChanged };
  };
  return { ...rest, lists: ["tools", "prompts", "resources"].map(flags), logging: capabilities["logging"] };
}

verifies("endpoint:handshake", "any single wrong member is accepted or refused as by the SDK", async () => {
  const change = fc.tuple(fc.constantFrom(...PATHS), value, fc.boolean());
  await fc.assert(
    fc.asyncProperty(change, async ([path, set, isModern]) => {
      const server = isModern
        ? modern(withValue(DISCOVERY, path, set))
        : legacy(withValue(INTRODUCTION, path, set));
      const options = isModern ? {} : ({ era: "legacy" } as const);
      const ours = await outcomeOf(shakeHands, server, options);
      const oracle = await outcomeOf(shakeHandsBySdk, server, options);
      expect(known(ours.peer)).toEqual(known(oracle.peer));
    }),
    { numRuns: 120 },
  );
});

verifies(
  "endpoint:handshake",
  "an answer with neither a result nor an error is refused at once",
  async () => {
    const { peer } = await outcomeOf(shakeHands, ({ id }, send) => send({ id, result: 7 }), {
      era: "legacy",
    });
    expect(peer).toBe("refused"); // The time limit of this test is shorter than that of the handshake.
  },
);
