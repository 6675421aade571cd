import { atSize, isFullSize, recordFigure, spentMs, verifies } from "@indus/testkit";
import { createProviderHost, type HttpListener, serveHttp } from "indusagi/interop";
import { textResult } from "indusagi/runtime";
import { afterAll, beforeAll, expect } from "vitest";
import { boxOf } from "../box-of.ts";
import {
  errorOf,
  inSession,
  legacyCall,
  modernRequest,
  openSession,
  type RawAnswer,
  send,
  textOf,
} from "../http/raw-http.ts";

const MIB = 1024 * 1024;
const BODY_CAP = 4 * MIB;
const seen: unknown[] = [];
let listener: HttpListener;

beforeAll(async () => {
  const box = boxOf({
    echo: ({ input }) => {
      seen.push(input);
      return textResult(JSON.stringify(input));
    },
  });
  listener = await serveHttp(createProviderHost(box), { port: 0 });
});
afterAll(() => listener.close());

/** A modern tool call whose arguments are this JSON text. */
function callWith(args: string): { headers: Record<string, string>; body: string } {
  const { headers, body } = modernRequest(1, "tools/call", { name: "echo", arguments: "HERE" });
  return { headers: { ...headers }, body: JSON.stringify(body).replace('"HERE"', () => args) };
}

/** JSON of about this many bytes that consists of structure only. */
const BOMBS: { readonly [name: string]: (bytes: number) => string } = {
  "an array of numbers": (bytes) => `{"a":[${"0,".repeat(bytes / 2)}0]}`,
  "an object of a million keys": (bytes) =>
    `{${Array.from({ length: bytes / 9 }, (_, at) => `"${at.toString(36)}":0`).join(",")}}`,
  "arrays in arrays": (bytes) => `{"a":${"[".repeat(bytes / 2)}${"]".repeat(bytes / 2)}}`,
  "empty objects": (bytes) => `{"a":[${"{},".repeat(bytes / 3)}{}]}`,
};

for (const [name, make] of Object.entries(BOMBS)) {
  verifies(
    "host-threats:element-bomb",
    `${name}: refused before it is parsed, others are served`,
    async () => {
      const { headers, body } = callWith(make(BODY_CAP - 2048));
      const bomb = { headers, body: Buffer.from(body) };
      const calm = modernRequest(1, "tools/call", { name: "echo", arguments: { calm: true } });
      await Promise.all([send(listener.url, bomb), send(listener.url, calm)]);
      const rounds = atSize({ quick: 2, full: 20 });
      const before = process.memoryUsage().rss;
      const ms = await spentMs(async () => {
        for (let round = 0; round < rounds; round += 1) {
          const [refused, served] = await Promise.all([send(listener.url, bomb), send(listener.url, calm)]);
          expect(refused.status).toBe(400);
          expect(errorOf(refused)?.code).toBe(-32600);
          expect(textOf(served)).toBe('{"calm":true}');
        }
      });
      const each = ms / rounds;
      const grown = (process.memoryUsage().rss - before) / MIB;
      expect(each).toBeLessThan(atSize({ quick: 3000, full: 200 }));
      if (isFullSize) expect(grown).toBeLessThan(100);
      recordFigure({
        what: `element bomb: ${name}, 4 MiB`,
        size: `${rounds} bombs`,
        found: `refused in ${each.toFixed(0)} ms each, memory grew by ${grown.toFixed(0)} MiB`,
      });
    },
  );
}

verifies("host-threats:element-bomb", "a body with as much structure as allowed is accepted", async () => {
  const args = `{"a":[${"0,".repeat(190_000)}0]}`;
  expect(textOf(await send(listener.url, callWith(args)))).toBe(args);
});

verifies(
  "host-threats:body-cap",
  "a byte over the limit is 413, with or without a declared length; the limit itself is read",
  async () => {
    const { headers, body } = callWith('{"a":"HERE"}');
    const padded = (bytes: number): string => body.replace("HERE", () => "x".repeat(bytes - body.length + 4));
    expect((await send(listener.url, { headers, body: padded(BODY_CAP) })).status).toBe(200);
    const over = padded(BODY_CAP + 1);
    const told = await send(listener.url, { headers, body: over });
    const untold = await send(listener.url, {
      headers: { ...headers, "transfer-encoding": "chunked" },
      body: over,
    });
    for (const refused of [told, untold]) {
      expect(refused.status).toBe(413);
      expect(errorOf(refused)).toMatchObject({
        code: -32000,
        message: expect.stringContaining("4194304 bytes"),
      });
    }
  },
);

verifies(
  "host-threats:batch-cap",
  "101 messages in one body are refused, and none of them runs",
  async () => {
    const session = await openSession(listener.url);
    const ran = seen.length;
    const calls = Array.from({ length: 101 }, (_, at) => legacyCall(at, "echo"));
    const answer = await send(listener.url, { headers: inSession(session), body: calls });
    expect(answer.status).toBe(400);
    expect(errorOf(answer)?.code).toBe(-32600);
    expect(seen.length).toBe(ran);
  },
);

const MISSPELT = {
  Method: (text: string) => text.replaceAll('"method"', '"Method"'),
  METHOD: (text: string) => text.replaceAll('"method"', '"METHOD"'),
  Params: (text: string) => text.replaceAll('"params"', '"Params"'),
  Name: (text: string) => text.replaceAll('"name":"echo"', '"Name":"echo"'),
  "a long s": (text: string) => text.replaceAll('"params"', '"paramſ"'),
} as const;

for (const [key, misspell] of Object.entries(MISSPELT)) {
  verifies(
    "host-threats:exact-keys",
    `"${key}" is not read as the key it resembles, in either era`,
    async () => {
      const session = await openSession(listener.url);
      const modern = modernRequest(1, "tools/call", { name: "echo", arguments: { a: 1 } });
      const ran = seen.length;
      const answers: RawAnswer[] = [
        await send(listener.url, { ...modern, body: misspell(JSON.stringify(modern.body)) }),
        await send(listener.url, {
          headers: inSession(session),
          body: misspell(JSON.stringify(legacyCall(1, "echo", { a: 1 }))),
        }),
      ];
      for (const answer of answers) expect(answer.messages.some(({ result }) => result)).toBe(false);
      expect(seen.length).toBe(ran);
    },
  );
}

verifies("host-threats:exact-keys", '"Arguments" brings no arguments', async () => {
  const modern = modernRequest(1, "tools/call", { name: "echo", Arguments: { a: 1 } });
  expect(textOf(await send(listener.url, modern))).toBe("{}");
});

verifies("host-threats:duplicate-keys", "of two equal keys every reader uses the last", async () => {
  const twice = callWith('{"a":1,"a":2}');
  const answer = await send(listener.url, twice);
  expect(textOf(answer)).toBe('{"a":2}');
  expect(seen.at(-1)).toEqual({ a: 2 });
  // A proxy that routes by headers must see the method and name that will run: the headers match the last of two
  // equal keys, or nothing runs.
  const ran = seen.length;
  const hidden = callWith("{}");
  const name = await send(listener.url, {
    ...hidden,
    body: hidden.body.replace('"name":"echo"', '"name":"echo","name":"other"'),
  });
  const method = await send(listener.url, {
    ...hidden,
    body: hidden.body.replace('"method":"tools/call"', '"method":"tools/call","method":"tools/list"'),
  });
  for (const refused of [name, method]) expect(refused).toMatchObject({ status: 400 });
  expect(seen.length).toBe(ran);
});

const POLLUTERS = [
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"a":{"__proto__":{"polluted":true},"toString":1,"hasOwnProperty":2}}',
  '{"a":[{"__proto__":null}]}',
];

verifies("host-threats:pollution", "keys with a special meaning elsewhere pollute nothing", async () => {
  const session = await openSession(listener.url);
  const names = Object.getOwnPropertyNames(Object.prototype).sort();
  for (const args of POLLUTERS) {
    const { headers, body } = callWith(args);
    const meta = JSON.stringify(legacyCall(1, "echo", {}, {})).replace(
      '"_meta":{}',
      () => `"_meta":${args},"__proto__":${args}`,
    );
    const whole = `{"__proto__":{"method":"tools/call"},${JSON.stringify(legacyCall(1, "echo")).slice(1)}`;
    await send(listener.url, { headers, body });
    await send(listener.url, { headers: inSession(session), body: meta });
    await send(listener.url, { headers: inSession(session), body: whole });
    await send(listener.url, { headers: inSession(session), body: args });
  }
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(names);
});

const UNREADABLE: { readonly [name: string]: string | Uint8Array } = {
  nothing: "",
  "no JSON": "{",
  "a number": "1",
  null: "null",
  "an empty batch": "[]",
  "bytes that are no text": Uint8Array.of(0xff, 0xfe, 0x00),
  "a batch of rubbish": '[1,"a",null,[[]]]',
  "an id that is an object": '{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
};

for (const [name, body] of Object.entries(UNREADABLE)) {
  verifies("host-threats:rubbish", `${name} is a client error, and the next request is served`, async () => {
    const session = await openSession(listener.url);
    for (const headers of [{}, inSession(session), modernRequest(1, "tools/list").headers]) {
      const answer = await send(listener.url, { headers, body });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(errorOf(answer)).toBeDefined();
    }
    expect(textOf(await send(listener.url, callWith("{}")))).toBe("{}");
  });
}
