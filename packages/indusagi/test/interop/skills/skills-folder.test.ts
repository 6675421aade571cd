import { mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tempDir, verifies } from "@indus/testkit";
import { createProviderHost, skillsFolder } from "indusagi/interop";
import { createTableBox } from "indusagi/runtime";
import { expect } from "vitest";
import { manifest, officialClient, writeFiles } from "./skill-kit.ts";

const IMAGE = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff]);

for (const era of ["legacy", "modern"] as const)
  verifies("skills:folder", `${era}: the official client lists, gets, verifies and walks them`, async () => {
    await using dir = await tempDir();
    await writeFiles(dir.path, {
      "pdf/SKILL.md": manifest("pdf"),
      "pdf/references/FORMS.md": "\uFEFFForms, with a byte order mark.\r\n",
      "pdf/logo.png": IMAGE,
      "office/sheets/SKILL.md": manifest("sheets"),
      "office/README.md": "not a skill",
    });
    const { skills, resources } = skillsFolder(dir.path);
    const host = createProviderHost(createTableBox().box, undefined, { skills, resources });
    await using client = await officialClient(host, era);

    expect(client.sdk.getServerCapabilities()?.extensions).toEqual({
      "io.modelcontextprotocol/skills": { directoryRead: true },
    });
    const { skills: listed } = await client.skills.list();
    expect(listed.map(({ uri }) => uri)).toEqual(["skill://office/sheets/SKILL.md", "skill://pdf/SKILL.md"]);
    const { skill } = await client.skills.get("skill://pdf/SKILL.md");
    expect(skill).toEqual(listed[1]);
    expect((await client.skills.read(skill)).text).toBe(manifest("pdf"));
    expect((await client.skills.read(skill, "references/FORMS.md")).verified).toBe(true);
    expect((await client.skills.read(skill, "logo.png")).bytes).toEqual(IMAGE);
    const { resources: children } = await client.skills.readDirectory("skill://pdf");
    expect(children.map(({ name, mimeType }) => [name, mimeType])).toEqual([
      ["SKILL.md", "text/markdown"],
      ["logo.png", "image/png"],
      ["references", "inode/directory"],
    ]);

    for (const uri of ["skill://nothing/SKILL.md", "skill://pdf/logo.png", "skill://pdf/../../x/SKILL.md"]) {
      await expect(client.skills.get(uri)).rejects.toMatchObject({ code: -32602 });
      await expect(client.skills.readDirectory(uri)).rejects.toMatchObject({ code: -32602 });
    }
    await expect(client.sdk.readResource({ uri: "skill://office/README.md" })).rejects.toThrow("not found");

    // A change shows up in the next list, with its new digest.
    await writeFile(join(dir.path, "pdf/logo.png"), "another");
    const { skill: changed } = await client.skills.get("skill://pdf/SKILL.md");
    expect((await client.skills.read(changed, "logo.png")).text).toBe("another");
  });

verifies(
  "skills:confined",
  "hidden files, links that lead out and oversized or broken skills are left out, each with a note",
  async () => {
    await using dir = await tempDir();
    const secret = join(dir.path, "secret.txt");
    const folder = await writeFiles(join(dir.path, "skills"), {
      "good/SKILL.md": manifest("good"),
      "good/.env": "TOKEN=1",
      "good/more.md": "more",
      "broken/SKILL.md": "---\nname: [unclosed\n---\n",
      "bare/SKILL.md": "no frontmatter",
      "other-name/SKILL.md": manifest("another"),
      "shouting/SKILL.md": manifest("SHOUTING"),
      "huge/SKILL.md": manifest("huge"),
      "huge/data.bin": "",
      "many/SKILL.md": manifest("many"),
    });
    await writeFile(secret, "private");
    await symlink(secret, join(folder, "good/leak.txt"));
    await symlink(dir.path, join(folder, "outside"));
    await symlink(join(folder, "good/more.md"), join(folder, "good/same.md"));
    await symlink(folder, join(folder, "good/loop"));
    await truncate(join(folder, "huge/data.bin"), 16 * 1024 * 1024);
    await mkdir(join(folder, "many/files"));
    await Promise.all(
      Array.from({ length: 512 }, (_, at) => writeFile(join(folder, `many/files/${at}`), "")),
    );

    const notes: string[] = [];
    const { skills, resources, find } = skillsFolder(folder, { report: (line) => void notes.push(line) });
    const request = { signal: AbortSignal.timeout(60_000), caller: { key: "test", can: {} } };
    const { skills: listed } = (await skills.list({}, request)) as {
      readonly skills: readonly {
        readonly uri: string;
        readonly resources: readonly { readonly uri: string }[];
      }[];
    };
    expect(listed.map(({ uri, resources: files }) => [uri, files.map((file) => file.uri)])).toEqual([
      ["skill://good/SKILL.md", ["skill://good/SKILL.md", "skill://good/more.md", "skill://good/same.md"]],
    ]);
    for (const uri of ["skill://good/.env", "skill://good/leak.txt", "skill://good/../../secret.txt"])
      expect(await resources.read(uri, request)).toBeUndefined();
    for (const name of [
      "broken",
      "bare",
      "other-name",
      "shouting",
      "huge",
      "many",
      "good/leak.txt",
      "outside",
    ])
      expect(
        notes.filter((note) => note.includes(`/${name}`)),
        name,
      ).toHaveLength(1);
    expect(notes.every((note) => !note.includes("\n"))).toBe(true);
    expect((await find()).map(({ name }) => name)).toContain("good");
    expect(await skillsFolder(join(folder, "missing")).find()).toEqual([]);
  },
);
