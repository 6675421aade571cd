import { verifies } from "@indus/testkit";
import { createProviderHost, serveHttp } from "indusagi/interop";
import { jsonResult } from "indusagi/runtime";
import { expect } from "vitest";
import { boxOf } from "../box-of.ts";
import { errorOf, inSession, legacyCall, modernRequest, openSession, send } from "../http/raw-http.ts";

verifies(
  "host-threats:measured-once",
  "over HTTP a host with a smaller budget than its listener measures arguments itself",
  async () => {
    const box = boxOf({ echo: ({ input }) => jsonResult(input) });
    const host = createProviderHost(box, undefined, {}, { json: { depth: 2 } });
    const listener = await serveHttp(host, { port: 0 });
    try {
      const session = await openSession(listener.url);
      for (const [args, code] of [
        [{ a: [1] }, undefined],
        [{ a: [[1]] }, -32602],
      ] as const) {
        const modern = modernRequest(1, "tools/call", { name: "echo", arguments: args });
        expect(errorOf(await send(listener.url, modern))?.code).toBe(code);
        const legacy = { headers: inSession(session), body: legacyCall(2, "echo", args) };
        expect(errorOf(await send(listener.url, legacy))?.code).toBe(code);
      }
    } finally {
      await listener.close();
    }
  },
);
