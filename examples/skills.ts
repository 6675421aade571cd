// Publishes a folder of skills, and reads one as a client would: listed first, then read and checked.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  checkSkillFile,
  createProviderHost,
  createServerEndpoint,
  linkedTransports,
  type RawResult,
  type SkillEntry,
  skillsFolder,
} from "indusagi/interop";
import { createTableBox } from "indusagi/runtime";

const folder = mkdtempSync(join(tmpdir(), "skills-"));
mkdirSync(join(folder, "greeting"));
writeFileSync(
  join(folder, "greeting/SKILL.md"),
  "---\nname: greeting\ndescription: Greet people in their language\n---\n\nAsk where they come from first.\n",
);
const tools = createTableBox().box;
const info = { name: "skills", version: "1.0.0" };

// #region folder
const { skills, resources } = skillsFolder(folder, { report: console.error });
const host = createProviderHost(tools, info, { skills, resources });
// #endregion

const [ours, theirs] = linkedTransports();
const running = await host.connect(theirs);
const endpoint = createServerEndpoint({ kind: "stdio", id: "skills", command: "(this process)" }, ours);
await endpoint.open();
const session = endpoint.session();

// #region check
const { skills: listed } = (await session.request("skills/list")) as { skills: SkillEntry[] };
for (const skill of listed) {
  const result = (await session.request("resources/read", { uri: skill.uri })) as RawResult;
  const { text } = await checkSkillFile(skill, skill.uri, result);
  console.log(skill.frontmatter.description, text);
}
// #endregion

assert.deepEqual(
  listed.map(({ uri }) => uri),
  ["skill://greeting/SKILL.md"],
);
await endpoint.close();
await running.close();
rmSync(folder, { recursive: true });
