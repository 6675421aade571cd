import { verifies } from "@indus/testkit";
import { createProviderHost, createServerEndpoint, serveHttp } from "indusagi/interop";
import { expect } from "vitest";
import { legacyOnly } from "../host-pair.ts";
import { TalkingBox } from "../talking-box.ts";

for (const era of ["legacy", "modern"] as const) {
  verifies("host:http", `${era}: listing, calling, progress and cancelling over HTTP`, async () => {
    const box = new TalkingBox();
    const listener = await serveHttp(createProviderHost(box), { port: 0 });
    const endpoint = createServerEndpoint(
      { kind: "streamable-http", id: "host", url: listener.url },
      undefined,
      {
        ...(era === "legacy" ? { eras: legacyOnly } : {}),
        relays: { elicit: { form: true }, roots: true },
        relistMs: 600_000, // Only a notification may cause a new listing.
      },
    );
    try {
      await endpoint.open();
      expect(endpoint.session().era).toBe(era);
      expect((await endpoint.listTools()).length).toBe(box.descriptors().length);
      const echoed = await endpoint.invoke("echo", { a: [1, { b: "é" }] });
      expect(echoed.content).toEqual([{ type: "text", text: '{"a":[1,{"b":"é"}]}' }]);
      const notes: number[] = [];
      await endpoint.invoke("progress", {}, { onProgress: ({ progress }) => void notes.push(progress) });
      expect(notes).toEqual([1, 2, 3]);

      const asked = await endpoint.invoke(
        "asks",
        {},
        {
          caller: {
            key: "me",
            can: { elicit: { form: true } },
            ask: async (requests) =>
              Object.fromEntries(
                Object.keys(requests).map((key) => [key, { action: "accept", content: { name: "Ada" } }]),
              ),
          },
        },
      );
      expect(JSON.parse((asked.content[0] as { text: string }).text)).toEqual({
        who: { action: "accept", content: { name: "Ada" } },
      });

      const abort = new AbortController();
      const hanging = endpoint.invoke("hang", {}, { signal: abort.signal });
      await expect.poll(() => box.calls.some((call) => call.name === "hang")).toBe(true);
      abort.abort(new Error("enough"));
      await expect(hanging).rejects.toThrow("enough");
      await expect.poll(() => box.aborted.length).toBe(1);

      const before = (await endpoint.listTools()).length;
      box.add("one_more");
      await expect.poll(async () => (await endpoint.listTools()).length, { timeout: 5000 }).toBe(before + 1);
    } finally {
      await endpoint.close();
      await listener.close();
    }
    await expect(fetch(listener.url)).rejects.toThrow();
  });
}

verifies(
  "host:poll",
  "the stream of a long call is closed, and the client that returns misses nothing",
  async () => {
    const listener = await serveHttp(createProviderHost(new TalkingBox()), {
      port: 0,
      limits: { pollAfterMs: 50 },
    });
    const streams: string[] = [];
    const watched: typeof fetch = (url, init) => {
      if (init?.method === "GET") streams.push(new Headers(init.headers).get("last-event-id") ?? "none");
      return fetch(url, init);
    };
    const endpoint = createServerEndpoint(
      { kind: "streamable-http", id: "host", url: listener.url },
      undefined,
      {
        eras: legacyOnly,
        fetch: watched,
      },
    );
    try {
      await endpoint.open();
      const notes: unknown[] = [];
      const { content } = await endpoint.invoke(
        "slow",
        {},
        { onProgress: ({ message }) => void notes.push(message) },
      );
      expect(content).toEqual([{ type: "text", text: "slow" }]);
      expect(notes).toEqual(["late"]);
      expect(streams.filter((id) => id !== "none").length).toBeGreaterThanOrEqual(1);
    } finally {
      await endpoint.close();
      await listener.close();
    }
  },
);
