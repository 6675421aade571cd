import { tempDir, verifies } from "@indus/testkit";
import { McpServer } from "@modelcontextprotocol/server";
import { memorySkillFiles, SkillsExtension } from "@modelcontextprotocol/server/ext/skills";
import {
  createProviderHost,
  type HostProviders,
  type InjectedTransport,
  linkedTransports,
  type RelayFleetOptions,
  type RelayScope,
  relayFleet,
  skillsFolder,
} from "indusagi/interop";
import { createTableBox } from "indusagi/runtime";
import { expect } from "vitest";
import { shelfFleet } from "../relay/shelf-fleet.ts";
import { manifest, type OfficialClient, officialClient, writeFiles } from "./skill-kit.ts";

interface SkillGateway extends AsyncDisposable {
  client(scope?: RelayScope, era?: "legacy" | "modern"): Promise<OfficialClient>;
}

/** A gateway in front of servers with skills, all in this process. */
async function skillGateway(
  servers: { readonly [id: string]: HostProviders },
  {
    others = {},
    ...options
  }: RelayFleetOptions & { readonly others?: Parameters<typeof shelfFleet>[1] } = {},
): Promise<SkillGateway> {
  const fleet = await shelfFleet(servers, others);
  const relay = relayFleet(fleet, options);
  return {
    client: (scope = {}, era = "modern") =>
      officialClient(createProviderHost(createTableBox().box, undefined, relay.clientProviders(scope)), era),
    [Symbol.asyncDispose]: () => fleet.tearDown(),
  };
}

const CAPABILITY = "io.modelcontextprotocol/skills";
/** A server without skills. */
const plain: HostProviders = { resources: { list: () => ({ resources: [] }), read: () => undefined } };

/** The providers of a folder, without the folders themselves if `directory` is false. */
async function shelf(
  path: string,
  files: { readonly [path: string]: string | Uint8Array },
  directory = true,
): Promise<HostProviders> {
  const { skills, resources } = skillsFolder(await writeFiles(path, files));
  return { resources, skills: directory ? skills : { list: skills.list, get: skills.get } };
}

for (const era of ["legacy", "modern"] as const)
  verifies("skills:relay", `${era}: unchanged, verified by the official client, and filtered`, async () => {
    await using dir = await tempDir();
    const one = {
      "pdf/SKILL.md": manifest("pdf"),
      "pdf/a/b.md": "b",
      "pdf/logo.png": Uint8Array.of(0, 255, 1),
    };
    const two = { "deep/er/sheets/SKILL.md": manifest("sheets"), "deep/er/sheets/x.md": "x" };
    const three = { "deep/slides/SKILL.md": manifest("slides") };
    await using gateway = await skillGateway({
      "one-legacy": await shelf(dir.at("one"), one),
      two: await shelf(dir.at("two"), two, false),
      three: await shelf(dir.at("three"), three),
      none: plain,
    });
    await using client = await gateway.client({}, era);
    expect(client.sdk.getServerCapabilities()?.extensions).toEqual({ [CAPABILITY]: { directoryRead: true } });
    const { skills } = await client.skills.list();
    const direct = await skillsFolder(dir.at("one")).skills.list({}, {} as never);
    expect(skills.map(({ uri }) => uri)).toEqual([
      "skill://pdf/SKILL.md",
      "skill://deep/er/sheets/SKILL.md",
      "skill://deep/slides/SKILL.md",
    ]);
    expect(skills.slice(0, 1)).toEqual(direct["skills"]);
    for (const skill of skills) {
      expect((await client.skills.get(skill.uri)).skill).toEqual(skill);
      for (const { uri } of skill.resources as { uri: string }[])
        expect((await client.skills.read(skill, uri)).verified).toBe(true);
    }

    // The second server cannot list folders: the answer comes from the files that its skills name.
    const names = async (uri: string): Promise<unknown> =>
      (await client.skills.readDirectory(uri)).resources.map((child) => [child.uri, child.mimeType]);
    expect(await names("skill://pdf")).toContainEqual(["skill://pdf/a", "inode/directory"]);
    expect(await names("skill://deep/er/sheets")).toEqual([
      ["skill://deep/er/sheets/SKILL.md", "text/markdown"],
      ["skill://deep/er/sheets/x.md", "text/markdown"],
    ]);
    expect(await names("skill://deep/er/")).toEqual([["skill://deep/er/sheets", "inode/directory"]]);
    // A folder above the skills of two servers.
    expect(await names("skill://deep")).toEqual([
      ["skill://deep/er", "inode/directory"],
      ["skill://deep/slides", "inode/directory"],
    ]);
    for (const uri of ["skill://pdf/SKILL.md", "skill://deep/er/sheets/x.md", "skill://nothing"])
      await expect(client.skills.readDirectory(uri)).rejects.toMatchObject({ code: -32602 });
    await expect(client.skills.get("skill://nothing/SKILL.md")).rejects.toMatchObject({ code: -32602 });

    // What a client may not see does not exist for it.
    await using guest = await gateway.client({ keeps: (server) => server === "two" }, era);
    expect(guest.sdk.getServerCapabilities()?.extensions).toEqual({ [CAPABILITY]: {} });
    expect((await guest.skills.list()).skills.map(({ uri }) => uri)).toEqual([
      "skill://deep/er/sheets/SKILL.md",
    ]);
    await expect(guest.skills.get("skill://pdf/SKILL.md")).rejects.toMatchObject({ code: -32602 });
    await expect(guest.sdk.readResource({ uri: "skill://pdf/a/b.md" })).rejects.toThrow("not found");
    await using nobody = await gateway.client({ keeps: (server) => server === "none" }, era);
    expect(nobody.sdk.getServerCapabilities()?.extensions).toBeUndefined();
    await expect(nobody.sdk.request({ method: "skills/list" } as never, ANY as never)).rejects.toMatchObject({
      code: -32601,
    });
  });

/** Accepts every result. */
const ANY = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } };

verifies(
  "skills:clashes",
  "the server is in front, consistently; one server alone keeps its names",
  async () => {
    await using dir = await tempDir();
    const files = (text: string) => ({
      "pdf/SKILL.md": manifest("pdf", text),
      [`pdf/only-${text}.md`]: text,
      [`own-${text}/SKILL.md`]: manifest(`own-${text}`),
    });
    await using gateway = await skillGateway({
      a: await shelf(dir.at("a"), files("a")),
      b: await shelf(dir.at("b"), files("b"), false),
      // Its skill reads like the one of server `a` under its clash name.
      c: await shelf(dir.at("c"), { "a/pdf/SKILL.md": manifest("pdf", "c") }),
    });
    await using client = await gateway.client();
    // Before any list: the answer must not depend on what is known by chance.
    expect(await client.skills.get("skill://a/pdf/SKILL.md")).toMatchObject({
      skill: { frontmatter: { description: "a" } },
    });
    await expect(client.sdk.readResource({ uri: "skill://pdf/SKILL.md" })).rejects.toThrow(
      "read skill://a/pdf/SKILL.md or skill://b/pdf/SKILL.md instead",
    );
    const { skills } = await client.skills.list();
    expect(skills.map(({ uri }) => uri)).toEqual([
      "skill://own-a/SKILL.md",
      "skill://a/pdf/SKILL.md",
      "skill://own-b/SKILL.md",
      "skill://b/pdf/SKILL.md",
      "skill://c/a/pdf/SKILL.md",
    ]);
    for (const skill of skills) {
      expect((await client.skills.get(skill.uri)).skill).toEqual(skill);
      for (const { uri } of skill.resources as { uri: string }[])
        expect((await client.skills.read(skill, uri)).verified, uri).toBe(true);
    }
    const text = async (uri: string): Promise<unknown> =>
      (await client.sdk.readResource({ uri })).contents.map((content) =>
        "text" in content ? content.text : "",
      );
    for (const server of ["a", "b"]) {
      expect(await text(`skill://${server}/pdf/only-${server}.md`)).toEqual([server]);
      const { resources } = await client.skills.readDirectory(`skill://${server}/pdf`);
      expect(resources.map(({ uri }) => uri)).toEqual([
        `skill://${server}/pdf/SKILL.md`,
        `skill://${server}/pdf/only-${server}.md`,
      ]);
    }
    expect(await text("skill://c/a/pdf/SKILL.md")).toEqual([manifest("pdf", "c")]);
    // Not a folder of any server, although it is in front of some names.
    await expect(client.skills.readDirectory("skill://b")).rejects.toMatchObject({ code: -32602 });
    await expect(client.skills.get("skill://pdf/SKILL.md")).rejects.toThrow("ambiguous");

    await using alone = await gateway.client({ only: "b" });
    expect((await alone.skills.list()).skills.map(({ uri }) => uri)).toEqual([
      "skill://own-b/SKILL.md",
      "skill://pdf/SKILL.md",
    ]);
    expect((await alone.sdk.readResource({ uri: "skill://pdf/only-b.md" })).contents).toMatchObject([
      { text: "b" },
    ]);
  },
);

verifies("skills:clashes", "what the gateway publishes itself keeps its names", async () => {
  await using dir = await tempDir();
  const own = skillsFolder(await writeFiles(dir.at("own"), { "pdf/SKILL.md": manifest("pdf", "ours") }));
  await using gateway = await skillGateway(
    { a: await shelf(dir.at("a"), { "pdf/SKILL.md": manifest("pdf", "theirs") }) },
    { skills: own },
  );
  await using client = await gateway.client();
  const { skills } = await client.skills.list();
  expect(skills.map(({ uri, frontmatter }) => [uri, frontmatter.description])).toEqual([
    ["skill://a/pdf/SKILL.md", "theirs"],
    ["skill://pdf/SKILL.md", "ours"],
  ]);
  for (const skill of skills)
    expect((await client.skills.read(skill)).text).toContain(skill.frontmatter.description);
});

/** A server of the official SDK with skills, which it serves by a template. */
async function officialServer(files: Record<string, string>): Promise<() => InjectedTransport> {
  const catalog = await SkillsExtension.load(memorySkillFiles(files));
  return () => {
    const server = new McpServer({ name: "official", version: "1" });
    catalog.attach(server);
    const [ours, theirs] = linkedTransports();
    void server.connect(theirs as never);
    return ours;
  };
}

verifies(
  "skills:relay",
  "two servers of the official SDK, each with a template for every skill",
  async () => {
    const one = {
      "pdf/SKILL.md": manifest("pdf", "one"),
      "pdf/a.md": "a",
      "only/SKILL.md": manifest("only"),
    };
    const two = { "pdf/SKILL.md": manifest("pdf", "two"), "pdf/b.md": "b" };
    const others = { one: await officialServer(one), two: await officialServer(two) };
    await using gateway = await skillGateway({}, { others });
    await using client = await gateway.client();
    const { skills } = await client.skills.list();
    expect(skills.map(({ uri }) => uri)).toEqual([
      "skill://only/SKILL.md",
      "skill://one/pdf/SKILL.md",
      "skill://two/pdf/SKILL.md",
    ]);
    for (const skill of skills)
      for (const { uri } of skill.resources as { uri: string }[])
        expect((await client.skills.read(skill, uri)).verified, uri).toBe(true);
    const { resources } = await client.skills.readDirectory("skill://two/pdf");
    expect(resources.map(({ uri }) => uri)).toEqual(["skill://two/pdf/SKILL.md", "skill://two/pdf/b.md"]);
  },
);

verifies(
  "skills:relay",
  "skills in no list, and files that are not known in advance, have their server",
  async () => {
    const uri = "skill://made/up/SKILL.md";
    const entry = { uri, frontmatter: { name: "up", description: "How to up" }, resources: "dynamic" };
    const maker: HostProviders = {
      skills: {
        list: () => ({ skills: [] }),
        get: (asked) => (asked === uri ? { skill: entry } : undefined),
      },
      resources: {
        list: () => ({ resources: [] }),
        read: (asked) =>
          asked.startsWith("skill://made/up/")
            ? { contents: [{ uri: asked, text: asked === uri ? manifest("up") : "made" }] }
            : undefined,
      },
    };
    await using dir = await tempDir();
    const other = await shelf(dir.at("other"), { "pdf/SKILL.md": manifest("pdf") });
    await using gateway = await skillGateway({ other, maker });
    await using client = await gateway.client();
    const { skill } = await client.skills.get(uri);
    expect(skill).toEqual(entry);
    expect((await client.skills.read(skill)).text).toBe(manifest("up"));
    expect((await client.skills.read(skill, "any/file.md")).text).toBe("made");
  },
);

verifies("skills:partial", "the others are listed, within the patience, and hints are merged", async () => {
  await using dir = await tempDir();
  const good = await shelf(dir.at("good"), { "pdf/SKILL.md": manifest("pdf") });
  const entries = (await good.skills?.list({}, {} as never))?.["skills"] as readonly object[];
  const reports: string[] = [];
  const failing: HostProviders = {
    ...plain,
    skills: {
      list: () => {
        throw new Error("no");
      },
      get: () => undefined,
    },
  };
  await using gateway = await skillGateway(
    {
      good: {
        ...good,
        skills: {
          list: () => ({ skills: entries, ttlMs: 9_000, cacheScope: "public" }),
          get: () => undefined,
        },
      },
      failing,
      hanging: { ...plain, skills: { list: () => new Promise(() => {}), get: () => undefined } },
      malformed: {
        ...plain,
        skills: {
          list: ({ cursor }) =>
            cursor === undefined
              ? { skills: [{ uri: "x" }, 7], nextCursor: "2", ttlMs: 5_000, cacheScope: "public" }
              : {
                  skills: [...entries.map((skill) => ({ ...skill, resources: "dynamic" }))],
                  ttlMs: 8_000,
                  cacheScope: "public",
                },
          get: () => undefined,
        },
      },
    },
    { patienceMs: () => 300, report: (line) => void reports.push(line) },
  );
  const listed = async (from: OfficialClient): Promise<unknown> => {
    const { skills, ttlMs, cacheScope } = await from.skills.list();
    return { uris: skills.map(({ uri }) => uri), ttlMs, cacheScope };
  };
  // Polled: a busy machine may need longer than the patience.
  const soon = (from: OfficialClient) => expect.poll(() => listed(from), { timeout: 20_000 });
  await using client = await gateway.client();
  const uris = ["skill://good/pdf/SKILL.md", "skill://malformed/pdf/SKILL.md"];
  await soon(client).toEqual({ uris, ttlMs: 5_000, cacheScope: "public" });
  expect(reports.filter((line) => line.includes("malformed"))).toHaveLength(2);
  await using guest = await gateway.client({ keeps: (server) => server !== "malformed" });
  await soon(guest).toEqual({ uris: uris.slice(0, 1), ttlMs: 9_000, cacheScope: "private" });
  // A filter that is the same for all clients makes nothing private.
  await using equal = await gateway.client({
    keeps: (server) => server === "good",
    isSameForAll: () => true,
  });
  await soon(equal).toEqual({ uris: uris.slice(0, 1), ttlMs: 9_000, cacheScope: "public" });
});
