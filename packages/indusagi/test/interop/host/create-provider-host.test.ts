import { verifies } from "@indus/testkit";
import type { Caller, Questions } from "indusagi/runtime";
import { expect } from "vitest";
import { hostPair } from "./host-pair.ts";
import { TalkingBox } from "./talking-box.ts";

const ERAS = ["legacy", "modern"] as const;
const TEXT = { type: "text" };

/** A caller that answers each form with a name and each roots question with one root. */
function answering(heard: string[] = []): Caller {
  return {
    key: "test",
    can: { elicit: { form: true }, roots: true, sample: {} },
    progress: (note) => heard.push(`progress ${note.progress} ${note.message ?? ""}`.trim()),
    log: (entry) => heard.push(`${entry.level} ${entry.logger} ${String(entry.data)}`),
    ask: async (requests: Questions) =>
      Object.fromEntries(
        Object.entries(requests).map(([key, { method }]) => [
          key,
          method === "roots/list"
            ? { roots: [{ uri: "file:///home/ada" }] }
            : { action: "accept", content: { name: "Ada" } },
        ]),
      ),
  };
}

const relays = { elicit: { form: true }, roots: true, sample: {} };

for (const era of ERAS) {
  verifies("host:catalogue", `${era}: the tools of the box are listed in its order`, async () => {
    const box = new TalkingBox();
    await using pair = await hostPair(era, box);
    expect(pair.endpoint.session().era).toBe(era);
    expect(pair.endpoint.session().serverInfo).toMatchObject({
      name: "indus-provider-host",
      version: "0.1.0",
    });
    const listed = await pair.endpoint.listTools();
    expect(listed.map((tool) => tool.ref.name)).toEqual(box.descriptors().map((tool) => tool.name));
    expect(listed[0]?.definition).toEqual({
      name: "echo",
      description: "The tool echo.",
      inputSchema: { type: "object", properties: {} },
    });
  });

  verifies("host:blocks", `${era}: blocks, structured content and meta go out typed`, async () => {
    await using pair = await hostPair(era, new TalkingBox());
    const result = await pair.endpoint.invoke("picture", {});
    expect(result.content).toEqual([
      { ...TEXT, text: "look" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "hologram", depth: 3 },
      { ...TEXT, text: '{"type":"image","data":"not one"}' },
    ]);
    expect(result.structuredContent).toEqual({ answer: 42 });
    expect(result.meta).toMatchObject({ "example.org/seen": true });
    expect((await pair.endpoint.invoke("fails", {})).isError).toBe(true);
    const unsendable = await pair.endpoint.invoke("bigint", {});
    expect(unsendable).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("cannot be sent") }],
    });
  });

  verifies(
    "host:errors",
    `${era}: an upstream error keeps code and data; an unknown tool is named`,
    async () => {
      await using pair = await hostPair(era, new TalkingBox());
      await expect(pair.endpoint.invoke("upstream_error", {})).rejects.toMatchObject({
        rpc: { code: -32042, message: "log in first", data: { elicitations: [] } },
      });
      await expect(pair.endpoint.invoke("nothing", {})).rejects.toMatchObject({
        rpc: { code: -32602, message: expect.stringContaining("nothing") },
      });
    },
  );

  verifies(
    "host:progress",
    `${era}: progress and logs arrive before the result, and none after it`,
    async () => {
      const heard: string[] = [];
      await using pair = await hostPair(era, new TalkingBox());
      const caller = answering(heard);
      await pair.endpoint.invoke("progress", {}, { caller, onProgress: (note) => caller.progress?.(note) });
      const atResult = [...heard];
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect([...new Set(atResult)]).toEqual(["progress 1 step 1", "progress 2 step 2", "progress 3 step 3"]);
      expect(heard).toEqual(atResult);
    },
  );

  verifies(
    "host:cancel",
    `${era}: a cancelled call aborts its tool; so does a client that disconnects`,
    async () => {
      const box = new TalkingBox();
      await using pair = await hostPair(era, box);
      const abort = new AbortController();
      const hanging = pair.endpoint.invoke("hang", {}, { signal: abort.signal });
      await expect.poll(() => box.calls.length).toBe(1);
      abort.abort(new Error("enough"));
      await expect(hanging).rejects.toThrow("enough");
      await expect.poll(() => box.aborted.length).toBe(1);

      const cutOff = pair.endpoint.invoke("hang", {});
      cutOff.catch(() => {});
      await expect.poll(() => box.calls.length).toBe(2);
      await pair.endpoint.close();
      await expect.poll(() => box.aborted.length).toBe(2);
      await pair.running.waiting();
    },
  );

  verifies(
    "host:questions",
    `${era}: a tool's question reaches the client and its answer the tool`,
    async () => {
      await using pair = await hostPair(era, new TalkingBox(), { relays });
      const { content } = await pair.endpoint.invoke("asks", {}, { caller: answering() });
      expect(JSON.parse((content[0] as { text: string }).text)).toEqual({
        who: { action: "accept", content: { name: "Ada" } },
      });
      const twice = await pair.endpoint.invoke("asks_twice", {}, { caller: answering() });
      expect(JSON.parse((twice.content[0] as { text: string }).text)).toEqual([
        { a: { action: "accept", content: { name: "Ada" } }, b: { roots: [{ uri: "file:///home/ada" }] } },
        { c: { action: "accept", content: { name: "Ada" } } },
      ]);
    },
  );

  verifies("host:list-changed", `${era}: clients are notified of a changed box and list again`, async () => {
    const box = new TalkingBox();
    await using pair = await hostPair(era, box);
    const before = (await pair.endpoint.listTools()).length;
    box.add("one_more");
    await expect
      .poll(async () => (await pair.endpoint.listTools()).length, { timeout: 5000 })
      .toBe(before + 1);
  });
}
