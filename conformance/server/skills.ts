import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type HostProviders, type ResourceProvider, skillsFolder } from "indusagi/interop";

const FILES: { readonly [path: string]: string } = {
  "pdf-forms/SKILL.md":
    "---\nname: pdf-forms\ndescription: Fill PDF forms\nmetadata:\n  version: '1.0'\n---\n\nSee references/fields.md.\n",
  "pdf-forms/references/fields.md": "Fields have names.\n",
  "office/sheets/examples/small.csv": "a,b\n1,2\n",
  "office/sheets/SKILL.md":
    "---\nname: sheets\ndescription: Read spreadsheets\n---\n\nOpen the file first.\n",
};

/** The skills of the conformance surface, from a folder that is removed at the end; their files come after `resources`. */
export function fixtureSkills(
  resources: ResourceProvider,
): Required<Pick<HostProviders, "skills" | "resources">> {
  const folder = mkdtempSync(join(tmpdir(), "indus-conformance-skills-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const { skills, resources: files } = skillsFolder(folder);
  return {
    skills,
    resources: {
      ...resources,
      list: async (list, request) => {
        const lists = await Promise.all([resources.list(list, request), files.list(list, request)]);
        return { resources: lists.flatMap((each) => each["resources"]) };
      },
      read: async (uri, request) => (await files.read(uri, request)) ?? resources.read(uri, request),
    },
  };
}
