import { verifies } from "@indus/testkit";
import { mountProtocolBridge, relayFleet, serveHttp } from "indusagi/interop";
import type { Caller, ToolOutcome } from "indusagi/runtime";
import { expect } from "vitest";
import { serveEvilHttp } from "../../../../../../test/servers/evil-http.mjs";
import { legacyCall, modernRequest, openSession, send } from "../../host/http/raw-http.ts";
import { hostOn } from "../../host/lane/both-ways.ts";

const LONG = "é\\u0041".repeat(20_000);
const block = (text: string): string => `{"type" : "text","text":"${text}"}`;
/** With spaces that we would not write. */
const RESULT = `{ "resultType":"complete", "content":[ ${block(LONG)} ], "more" : 1.50 }`;
const OLD_RESULT = RESULT.replace('"resultType":"complete",', "");
/** For short failures: the long text is not shown, but counted. */
const brief = (value: unknown): string =>
  (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).replace(
    /(?:éA|é\\u0041){9,}/,
    (found) => `<${found.length}>`,
  );
const message = (result: string): string => `{"jsonrpc":"2.0", "id":$ID, "result":${result} }`;
const event = (data: string, end = "\n"): string => `event: message${end}data: ${data}${end}${end}`;
const note =
  '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":$ID,"progress":7}}';

/** How a server may send a large answer: `do`, and its text. */
const KEPT: { readonly [how: string]: readonly [string, string] } = {
  "a body": ["raw-json", `${message(RESULT)}\n`],
  "a compressed body": ["raw-gzip", message(RESULT)],
  "an event": ["raw-events", event(message(RESULT))],
  "an event with carriage returns": ["raw-events", event(message(RESULT), "\r\n")],
  "an event without a space": ["raw-events", `data:${message(RESULT)}\n\n`],
  "a primed stream": ["raw-events", `id: 1\ndata: \n\nid: 2\n${event(message(RESULT))}`],
  "after progress": ["raw-events", event(note) + event(message(RESULT))],
  twice: ["raw-events", event(message(RESULT)) + event(message(RESULT))],
};
const PARSED: { readonly [how: string]: readonly [string, string] } = {
  "a line end in the result": ["raw-json", message(RESULT.replace(" }", "\n}"))],
  "a carriage return in the result": ["raw-json", message(RESULT.replace(" }", "\r}"))],
  "an event on several lines": ["raw-events", event(message(RESULT).replaceAll(", ", ",\ndata:"))],
  "carriage returns alone": ["raw-events", `${event(message(RESULT), "\r")}: end\n`],
  "a name with escapes": ["raw-json", message(RESULT.replace("content", "\\u0063ontent"))],
  "a text as id": ["raw-json", message(RESULT).replace("$ID", '"$ID"')],
};

for (const era of ["legacy", "modern"] as const)
  verifies(
    "endpoint:bytes",
    `${era}: of a large answer over HTTP the bytes are kept, from a body and from an event; anything odd is parsed`,
    async () => {
      await using server = await serveEvilHttp({ era });
      const config = { kind: "streamable-http", id: "h", url: server.url } as const;
      const { box, fleet } = await mountProtocolBridge({ servers: [config] });
      const told: unknown[] = [];
      const caller: Caller = { key: "client", can: {}, progress: ({ progress }) => void told.push(progress) };
      const run = ([misdeed, text]: readonly [string, string], by?: Caller): Promise<ToolOutcome> =>
        box.runner.run({ id: "1", name: "h__act", input: { do: misdeed, text } }, undefined, by);
      const value = brief(JSON.parse(RESULT));
      for (const [how, sent] of Object.entries(KEPT)) {
        const { wire, isError } = await run(sent, caller);
        expect(brief(wire?.bytes && Buffer.from(wire.bytes()).toString()), how).toBe(brief(RESULT));
        expect([brief(wire?.value()), isError], how).toEqual([value, false]);
        // Our own code reads the values.
        const { wire: own } = await run(sent);
        expect([own?.bytes, brief(own?.value())], how).toEqual([undefined, value]);
      }
      expect(told).toEqual([7]);
      for (const [how, sent] of Object.entries(PARSED)) {
        const { wire } = await run(sent, caller);
        expect([wire?.bytes, brief(wire?.value())], how).toEqual([undefined, value]);
      }
      const failed = await run(["raw-json", message(`{"isError":true,${RESULT.slice(1)}`)], caller);
      expect([failed.isError, failed.wire?.bytes === undefined]).toEqual([true, false]);
      // A byte that is no text is replaced, as in any answer.
      const torn = await run(["raw-latin1", message(RESULT.replace("}", ',"a":"\xff"}'))], caller);
      expect([torn.wire?.bytes, JSON.stringify(torn.wire?.value())]).toEqual([
        undefined,
        expect.stringContaining('"a":"\uFFFD"'),
      ]);
      expect(server.seen.filter((seen) => seen.startsWith("GET")).length).toBeLessThanOrEqual(1);
      await fleet.tearDown();
    },
  );

verifies(
  "endpoint:bytes",
  "through a gateway the result of an HTTP server arrives byte by byte, unless a URI in it has to be renamed",
  async () => {
    await using one = await serveEvilHttp({ era: "legacy" });
    await using two = await serveEvilHttp({ era: "legacy" });
    const servers = [one, two].map(
      ({ url }, at) => ({ kind: "streamable-http", id: at === 0 ? "one" : "two", url }) as const,
    );
    const { box, fleet } = await mountProtocolBridge({ servers });
    const listener = await serveHttp(hostOn("lane", relayFleet(fleet).relayedBox(box)), { port: 0 });
    const session = {
      "mcp-session-id": await openSession(listener.url),
      "mcp-protocol-version": "2025-06-18",
    };
    const call = (name: string, result: string, how = "raw-json"): Promise<{ readonly text: string }> => {
      const text = how === "raw-json" ? message(result) : event(message(result));
      return send(listener.url, { headers: session, body: legacyCall(1, name, { do: how, text }) });
    };
    for (const how of ["raw-json", "raw-events"]) {
      const { text } = await call("one__act", OLD_RESULT, how);
      expect(brief(text)).toBe(brief(`{"result":${OLD_RESULT},"jsonrpc":"2.0","id":1}`));
      const modern = await send(
        listener.url,
        modernRequest("a", "tools/call", {
          name: "one__act",
          arguments: {
            do: how,
            text: how === "raw-json" ? message(OLD_RESULT) : event(message(OLD_RESULT)),
          },
        }),
      );
      expect(modern.text.startsWith(`{"result":${OLD_RESULT.slice(0, -1)},"resultType":"complete",`)).toBe(
        true,
      );
    }
    const linked = OLD_RESULT.replace(
      "[",
      '[{"type":"resource","resource":{"uri":"x://same","text":"same"}},',
    );
    await call("one__act", linked);
    const { text } = await call("two__act", linked);
    expect(brief(text)).toContain('"uri":"indus://resource/two/x://same"');
    await listener.close();
    await fleet.tearDown();
  },
);
