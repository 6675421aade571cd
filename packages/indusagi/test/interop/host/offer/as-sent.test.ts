import { PassThrough } from "node:stream";
import { verifies } from "@indus/testkit";
import fc from "fast-check";
import {
  createProviderHost,
  createServerEndpoint,
  type HttpListener,
  linkedTransports,
  type ProtocolEra,
  type ServerEndpoint,
  serveHttp,
  serveStdio,
} from "indusagi/interop";
import type { ToolCall } from "indusagi/runtime";
import { afterAll, beforeAll, expect } from "vitest";
import { boxOf } from "../box-of.ts";
import { legacyOnly } from "../host-pair.ts";
import {
  inSession,
  legacyCall,
  modernRequest,
  openSession,
  type RawMessage,
  send,
} from "../http/raw-http.ts";

/** Names that objects, prototypes or the SDK treat specially, and ordinary ones. */
const memberName = fc.oneof(
  fc.constantFrom(
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "hasOwnProperty",
    "__defineGetter__",
    "then",
    "toJSON",
    "0",
    "",
  ),
  fc.string({ maxLength: 6 }),
);

/** JSON texts of objects. Built as text, so that every name becomes an own member when it is parsed. */
const objectText: fc.Arbitrary<string> = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("null", "true", "1", '"text"', '{"polluted":true}'),
    tie("object"),
  ),
  object: fc
    .uniqueArray(fc.tuple(memberName, tie("value")), { maxLength: 4, selector: ([name]) => name })
    .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`),
})).object;

const EXAMPLES: [string, string][] = ["__proto__", "constructor", "prototype"].map((name) => {
  const text = `{"${name}":{"polluted":true},"a":1}`;
  return [text, text];
});

const PLACE = { args: '"@args"', meta: '"@meta":1' };

let seen: ToolCall[] = [];
let listener: HttpListener;
const host = createProviderHost(
  boxOf({
    echo: (call) => {
      seen.push(call);
      const meta = call.meta ?? {};
      return { content: [{ kind: "text", text: "seen" }], structured: call.input, meta };
    },
  }),
);

beforeAll(async () => {
  listener = await serveHttp(host, { port: 0 });
});
afterAll(() => listener.close());

/** Sends one message as text. Resolves when it is answered. */
type SendText = (text: string, headers?: { readonly [name: string]: string }) => Promise<unknown>;

function callText(era: ProtocolEra, args: string, meta: string): string {
  const message =
    era === "legacy"
      ? legacyCall(7, "echo", "@args", { "@meta": 1 })
      : modernRequest(7, "tools/call", { name: "echo", arguments: "@args", _meta: { "@meta": 1 } }).body;
  const members = meta.slice(1, -1);
  return JSON.stringify(message)
    .replace(PLACE.args, () => args)
    .replace(members === "" ? /,?"@meta":1/ : PLACE.meta, () => members);
}

async function overHttp(era: ProtocolEra): Promise<SendText> {
  const headers =
    era === "legacy"
      ? inSession(await openSession(listener.url))
      : modernRequest(7, "tools/call", { name: "echo" }).headers;
  return (body) => send(listener.url, { headers, body });
}

async function overStdio(era: ProtocolEra): Promise<SendText> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  await serveStdio(host, { stdin, stdout });
  const sendText: SendText = async (text) => {
    const answered = new Promise<RawMessage>((resolve) =>
      stdout.once("data", (line: Buffer) => resolve(JSON.parse(line.toString("utf8")) as RawMessage)),
    );
    stdin.write(`${text}\n`);
    return answered;
  };
  const opening = { jsonrpc: "2.0", id: 1, method: "initialize", params: INITIALIZE };
  if (era === "legacy") await sendText(JSON.stringify(opening));
  return sendText;
}

const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "raw", version: "1.0.0" },
};

for (const era of ["legacy", "modern"] as const)
  for (const [transport, open] of Object.entries({ http: overHttp, stdio: overStdio })) {
    verifies(
      "host:as-sent",
      `${era}, ${transport}: arguments and _meta reach the tool with every member, whatever its name`,
      async () => {
        const sendText = await open(era);
        await fc.assert(
          fc.asyncProperty(objectText, objectText, async (args, meta) => {
            seen = [];
            await sendText(callText(era, args, meta));
            expect(JSON.stringify(seen.at(-1)?.input)).toBe(JSON.stringify(JSON.parse(args)));
            expect(JSON.stringify(seen.at(-1)?.meta ?? {})).toBe(JSON.stringify(JSON.parse(meta)));
            expect(Object.getPrototypeOf(seen.at(-1)?.input)).toBe(Object.prototype);
            expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
          }),
          { numRuns: 60, examples: EXAMPLES },
        );
      },
    );
  }

interface Members {
  readonly [name: string]: unknown;
}

function without(name: string, object: Members): Members {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

async function endpointOf(era: ProtocolEra, kind: "http" | "linked"): Promise<ServerEndpoint> {
  const options = era === "legacy" ? { eras: legacyOnly } : {};
  if (kind === "http") {
    const config = { kind: "streamable-http", id: "host", url: listener.url } as const;
    return createServerEndpoint(config, undefined, options);
  }
  const [ours, theirs] = linkedTransports();
  await host.connect(theirs);
  return createServerEndpoint({ kind: "stdio", id: "host", command: "unused" }, ours, options);
}

for (const era of ["legacy", "modern"] as const)
  for (const kind of ["http", "linked"] as const) {
    verifies(
      "host:as-sent",
      `${era}, ${kind}: arguments, _meta and results pass our own client in both directions`,
      async () => {
        const endpoint = await endpointOf(era, kind);
        // The SDK's HTTP client gives us a copy of each message, in which the `_meta` of a result has no `__proto__`.
        const kept = (meta: Members): Members => (kind === "http" ? without("__proto__", meta) : meta);
        try {
          await endpoint.open();
          await fc.assert(
            fc.asyncProperty(objectText, objectText, async (args, meta) => {
              const input: unknown = JSON.parse(args);
              const answer = await endpoint.invoke("echo", input, { meta: JSON.parse(meta) as Members });
              expect(JSON.stringify(seen.at(-1)?.input)).toBe(JSON.stringify(input));
              expect(JSON.stringify(seen.at(-1)?.meta ?? {})).toBe(JSON.stringify(JSON.parse(meta)));
              expect(JSON.stringify(answer.structuredContent)).toBe(JSON.stringify(input));
              const { "io.modelcontextprotocol/serverInfo": _, ...answered } = answer.meta ?? {};
              expect(JSON.stringify(answered)).toBe(JSON.stringify(kept(JSON.parse(meta) as Members)));
            }),
            { numRuns: 60, examples: EXAMPLES },
          );
        } finally {
          await endpoint.close();
        }
      },
    );
  }
