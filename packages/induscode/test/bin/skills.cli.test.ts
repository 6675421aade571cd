import { tempDir, verifies } from "@indus/testkit";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { expect } from "vitest";
import { manifest, writeFiles } from "../../../indusagi/test/interop/skills/skill-kit.ts";
import { serveRows } from "../gateway/serving-gateway.ts";
import { indusBin, runIndus } from "./run-indus.ts";

verifies(
  "serve:skills",
  "two gateways in a row: the official client lists, verifies and walks the skills of both folders, in both eras",
  async () => {
    await using dir = await tempDir();
    const inner = await writeFiles(dir.at("inner"), {
      "pdf/SKILL.md": manifest("pdf", "inner"),
      "pdf/deep/logo.bin": Uint8Array.of(0, 255, 128),
      "sheets/SKILL.md": manifest("sheets"),
    });
    await writeFiles(dir.at("outer"), {
      "pdf/SKILL.md": manifest("pdf", "outer"),
      "broken/SKILL.md": "\u001b[31mnothing",
    });
    const serve = [indusBin, "serve", "--stdio", "--profile", "none", "--skills", inner, "--no-tools"];
    await using gateway = await serveRows(dir, {
      name: "servers",
      rows: { a: { command: process.execPath, args: serve } },
      args: ["--skills", "outer"],
    });
    for (const mode of ["auto", "legacy"] as const) {
      const client = new Client({ name: "official", version: "1" }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
      const skills = new SkillsClient(client);
      expect([skills.supported, skills.directoryRead]).toEqual([true, true]);
      const uris = async (): Promise<string[]> => (await skills.list()).skills.map(({ uri }) => uri);
      // The server may still be starting.
      await expect
        .poll(uris, { timeout: 60_000 })
        .toEqual(["skill://a/pdf/SKILL.md", "skill://sheets/SKILL.md", "skill://pdf/SKILL.md"]);
      const { skills: listed } = await skills.list();
      for (const skill of listed)
        for (const { uri } of skill.resources as { uri: string }[])
          expect((await skills.read(skill, uri)).verified, uri).toBe(true);
      expect((await skills.read(listed[2] as never)).text).toBe(manifest("pdf", "outer"));
      const { resources } = await skills.readDirectory("skill://a/pdf");
      expect(resources.map(({ uri }) => uri)).toEqual(["skill://a/pdf/SKILL.md", "skill://a/pdf/deep"]);
      await client.close();

      // On the server's own route, as the server sends it.
      const alone = new Client({ name: "official", version: "1" }, { versionNegotiation: { mode } });
      await alone.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/a`)));
      const own = await new SkillsClient(alone).list();
      expect(own.skills.map(({ uri }) => uri)).toEqual(["skill://pdf/SKILL.md", "skill://sheets/SKILL.md"]);
      await alone.close();
    }
    expect(gateway.indus.err()).toMatch(
      /the skill \S+broken\S+ is left out: SKILL.md does not begin with YAML/,
    );

    const refused = await runIndus(["serve", "--stdio", "--skills", "missing"], { cwd: dir.path });
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toContain(`--skills: there is no folder ${dir.at("missing")}`);
  },
);
