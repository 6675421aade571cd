import { verifies } from "@indus/testkit";
import { bytesHash } from "indusagi/core";
import { checkSkillFile, type SkillEntry } from "indusagi/interop";
import { expect } from "vitest";
import { manifest } from "./skill-kit.ts";

const URI = "skill://pdf/SKILL.md";
const MORE = "skill://pdf/more.md";
const TEXT = manifest("pdf");
const fileOf = (uri: string, text: string) => ({
  uri,
  digest: `sha256:${bytesHash(text)}`,
  size: Buffer.byteLength(text),
});
const ENTRY: SkillEntry = {
  uri: URI,
  frontmatter: { name: "pdf", description: "How to pdf" },
  resources: [fileOf(URI, TEXT), fileOf(MORE, "more")],
};
const read = (uri: string, text: string) => ({ contents: [{ uri, mimeType: "text/markdown", text }] });

verifies(
  "skills:verified",
  "a file is used only if size, digest and frontmatter are as promised",
  async () => {
    expect(await checkSkillFile(ENTRY, URI, read(URI, TEXT))).toMatchObject({ text: TEXT });
    const blob = Buffer.from("more").toString("base64");
    expect((await checkSkillFile(ENTRY, MORE, { contents: [{ uri: MORE, blob }] })).bytes).toEqual(
      Buffer.from("more"),
    );

    const wrong = TEXT.replace("How to", "How tO");
    const sneaky: SkillEntry = { ...ENTRY, resources: [fileOf(URI, wrong)] };
    for (const [entry, uri, result, why] of [
      [ENTRY, URI, read(URI, `${TEXT} `), "bytes"],
      [ENTRY, URI, read(URI, TEXT.replace("# pdf", "# PDF")), "digest"],
      [sneaky, URI, read(URI, wrong), "frontmatter"],
      [{ ...ENTRY, resources: "dynamic" }, URI, read(URI, wrong), "frontmatter"],
      [{ ...ENTRY, resources: "dynamic" }, URI, read(URI, "no yaml"), "does not begin with YAML"],
      [ENTRY, "skill://pdf/other.md", read("skill://pdf/other.md", ""), "does not list it"],
      [ENTRY, "skill://pdfs/SKILL.md", read("skill://pdfs/SKILL.md", ""), "does not belong"],
      [ENTRY, MORE, { contents: [] }, "no content"],
    ] as const)
      await expect(checkSkillFile(entry, uri, result), why).rejects.toMatchObject({
        kind: "protocol",
        message: expect.stringContaining(why),
      });
  },
);
