import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { connect, keptIn, library, named, serveIn } from "./served-library.ts";

const RESOURCE = {
  uri: "x://1",
  name: "one",
  title: "One",
  icons: [{ src: "data:image/png;base64,AA==", mimeType: "image/png" }],
  annotations: { audience: ["user"], priority: 0.5 },
  size: 3,
  _meta: { "example.com/a": { b: [1, null] } },
};
const PROMPT = {
  name: "greet",
  title: "Greet",
  description: "Greets.",
  arguments: [{ name: "who", required: true }],
  icons: [{ src: "https://example.com/i.png" }],
  _meta: { k: "v" },
};

verifies(
  "serve:relay",
  "lists, reads, prompts, links and completion over HTTP in both eras, with every member unchanged",
  async () => {
    await using dir = await tempDir();
    const one = await library(dir, "one", {
      resources: [RESOURCE],
      templates: [{ uriTemplate: "t://{n}", name: "t", _meta: { k: 1 } }],
      prompts: [PROMPT],
      tools: ["make"],
      results: { make: { content: [{ type: "resource_link", uri: "made://1", name: "made" }] } },
      capabilities: { completions: {} },
    });
    const two = await library(dir, "two", { resources: [{ uri: "y://1", name: "y" }] });
    await using served = await serveIn(dir, [one, two]);
    for (const era of ["legacy", "modern"] as const) {
      await using client = await connect(served.url, era);
      const { capabilities } = client.session;
      expect(capabilities).toMatchObject({
        resources: { listChanged: true },
        prompts: { listChanged: true },
        completions: {},
      });
      expect(await client.get("resources/list")).toMatchObject({
        resources: [RESOURCE, { uri: "y://1", name: "y" }],
      });
      expect(await client.get("resources/templates/list")).toMatchObject({
        resourceTemplates: [{ uriTemplate: "t://{n}", name: "t", _meta: { k: 1 } }],
      });
      const read = await client.get("resources/read", { uri: "x://1", _meta: { "example.com/q": [7] } });
      expect(read).toMatchObject({
        contents: [{ uri: "x://1", mimeType: "text/plain", text: `${dir.at("one.json")} x://1` }],
        _meta: { asked: { "example.com/q": [7] } },
      });
      expect(await client.get("resources/read", { uri: "t://7" })).toMatchObject({
        contents: [{ uri: "t://7" }],
      });
      await expect(client.get("resources/read", { uri: "made://1" })).rejects.toThrow("Resource not found");
      await client.get("tools/call", { name: "one__make", arguments: {} });
      expect(await client.get("resources/read", { uri: "made://1" })).toMatchObject({
        contents: [{ uri: "made://1" }],
      });
      expect(await client.get("prompts/list")).toMatchObject({
        prompts: [{ ...PROMPT, name: "one__greet" }],
      });
      const greeting = { name: "one__greet", arguments: { who: "Ada" }, _meta: { k: 1 } };
      expect(await client.get("prompts/get", greeting)).toMatchObject({
        description: "greet",
        messages: [{ content: { text: '{"who":"Ada"}' } }],
        _meta: { asked: { k: 1 } },
      });
      await expect(client.get("prompts/get", { name: "greet" })).rejects.toThrow("Unknown prompt: greet");
      const argument = { name: "who", value: "A" };
      const ref = { type: "ref/prompt", name: "one__greet" };
      expect(await client.get("completion/complete", { ref, argument })).toMatchObject({
        completion: { values: ["greet A"], total: 1, hasMore: false },
      });
    }
  },
  { timeoutMs: 60_000 },
);

verifies(
  "serve:clashes",
  "a clash is an error that names both, and is remembered by the next gateway",
  async () => {
    await using dir = await tempDir();
    const shared = { resources: [{ uri: "x://1", name: "x" }] };
    const one = await library(dir, "one", shared);
    const two = await library(dir, "two", shared);
    {
      await using served = await serveIn(dir, [one, two]);
      await using client = await connect(served.url, "legacy");
      expect(await client.uris()).toEqual([named("one", "x://1"), named("two", "x://1")]);
      await expect(client.get("resources/read", { uri: "x://1" })).rejects.toThrow('servers "one" and "two"');
      expect(await client.get("resources/read", { uri: named("two", "x://1") })).toMatchObject({
        contents: [{ uri: named("two", "x://1"), text: `${dir.at("two.json")} x://1` }],
      });
    }
    await using served = await serveIn(dir, [one]);
    await using client = await connect(served.url, "modern");
    expect(await client.uris()).toEqual([named("one", "x://1")]);
    await expect(client.get("resources/read", { uri: "x://1" })).rejects.toThrow('servers "one" and "two"');
  },
);

verifies(
  "serve:relay-patience",
  "a hanging server is listed from the last run; an unknown one delays a list only so long",
  async () => {
    await using dir = await tempDir();
    const rows = [await library(dir, "one", { resources: [RESOURCE] }), await library(dir, "two", {})];
    {
      await using served = await serveIn(dir, rows);
      await using client = await connect(served.url, "legacy");
      expect(await client.uris()).toEqual(["x://1"]);
      await expect.poll(() => keptIn(dir.at("state")), { timeout: 10_000 }).toContain('"x://1"');
    }
    await library(dir, "one", { resources: [RESOURCE], hangs: ["initialize", "resources/list"] });
    const mute = await library(dir, "mute", { hangs: ["initialize"] });
    await library(dir, "two", { resources: [{ uri: "y://1", name: "y" }], hangs: ["prompts/list"] });
    await using served = await serveIn(dir, [...rows, mute], 300);
    await using client = await connect(served.url, "modern");
    // The second one is connected sooner or later.
    await expect.poll(() => client.uris(), { timeout: 10_000 }).toEqual(["x://1", "y://1"]);
    expect(await client.get("prompts/list")).toMatchObject({ prompts: [] });
  },
);

verifies("relay:advertised", "completion is advertised while a server may support it", async () => {
  await using dir = await tempDir();
  const abilities = async (url: string): Promise<string[]> => {
    await using client = await connect(url, "legacy");
    return Object.keys(client.session.capabilities).sort();
  };
  const rest = ["logging", "prompts", "resources", "tools"];
  const plain = await library(dir, "plain", {});
  {
    await using served = await serveIn(dir, [plain]);
    // It may be known already, if it started before the first client came.
    expect(await abilities(served.url)).toEqual(expect.arrayContaining(rest));
    await expect.poll(() => abilities(served.url), { timeout: 10_000 }).toEqual(rest);
  }
  const more = await library(dir, "more", { capabilities: { completions: {} } });
  {
    await using served = await serveIn(dir, [plain, more]);
    expect(await abilities(served.url)).toEqual(["completions", ...rest]);
  }
  // Also before it runs: from its last run.
  await using served = await serveIn(dir, [plain]);
  expect(await abilities(served.url)).toEqual(rest);
});
