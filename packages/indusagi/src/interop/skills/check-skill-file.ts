import { bytesHash, describeError } from "../../core/index.ts";
import { isRecord, sameJson } from "../../core/internal.ts";
import { isInSkill } from "../content/index.ts";
import { ProtocolFault, type RawResult, type SkillEntry } from "../contract/index.ts";

/** A file of a skill that is what its entry promises. */
export interface CheckedSkillFile {
  readonly bytes: Uint8Array;
  /** Absent if the server sent the file as bytes. */
  readonly text?: string;
  readonly mimeType?: string;
}

/**
 * Checks the result of `resources/read` for a file of a skill against the skill's entry: size and digest, and for `SKILL.md` the
 * frontmatter too. Rejects with a `protocol` fault if they differ: such a file must not be used.
 */
export async function checkSkillFile(
  skill: SkillEntry,
  uri: string,
  result: RawResult,
): Promise<CheckedSkillFile> {
  const refuse = (why: string): never => {
    throw new ProtocolFault("protocol", `the skill file ${uri} is not used: ${why}`);
  };
  const file = contentOf(result, uri) ?? refuse("the server sent no content for it");
  if (!isInSkill(skill, uri)) refuse(`it does not belong to the skill ${skill.frontmatter.name}`);
  if (skill.resources !== "dynamic") {
    const listed = skill.resources.find((each) => each.uri === uri);
    if (!listed) return refuse("the skill does not list it");
    if (file.bytes.length !== listed.size)
      refuse(`it has ${file.bytes.length} bytes, and the skill promises ${listed.size}`);
    if (`sha256:${bytesHash(file.bytes)}` !== listed.digest)
      refuse("its content does not have the promised digest");
  }
  if (uri !== skill.uri) return file;
  const text = file.text ?? new TextDecoder().decode(file.bytes);
  const frontmatter = await readFrontmatter(text).catch((thrown: unknown) => refuse(describeError(thrown)));
  if (!sameJson(frontmatter, skill.frontmatter)) refuse("its frontmatter differs from the one in the list");
  return file;
}

/** The content with this URI; if there is only one, that one. */
function contentOf({ contents }: RawResult, uri: string): CheckedSkillFile | undefined {
  const all = Array.isArray(contents) ? (contents as readonly unknown[]).filter(isRecord) : [];
  const content = all.find((each) => each["uri"] === uri) ?? (all.length === 1 ? all[0] : undefined);
  const { text, blob, mimeType } = content ?? {};
  const type = typeof mimeType === "string" ? { mimeType } : {};
  if (typeof text === "string") return { bytes: Buffer.from(text, "utf8"), text, ...type };
  return typeof blob === "string" ? { bytes: Buffer.from(blob, "base64"), ...type } : undefined;
}

const BLOCK = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;
/** Aliases of YAML can make a short text very large. */
const MAX_ALIASES = 20;

/** The YAML between `---` lines at the beginning of a `SKILL.md`, as JSON. Throws, with the reason in one line. */
export async function readFrontmatter(text: string): Promise<RawResult> {
  const block = BLOCK.exec(text)?.[1];
  if (block === undefined) throw new Error("SKILL.md does not begin with YAML between two lines of ---");
  // Loaded with the first skill: most runs have none.
  const { parse } = await import("yaml");
  let value: unknown;
  try {
    value = parse(block, { maxAliasCount: MAX_ALIASES, logLevel: "error" });
  } catch (thrown) {
    const [line = ""] = describeError(thrown).split("\n");
    throw new Error(`the YAML of SKILL.md cannot be read: ${line.replace(/:$/, "")}`, { cause: thrown });
  }
  if (!isRecord(value)) throw new Error("the YAML of SKILL.md is not a list of names with values");
  return JSON.parse(JSON.stringify(value)) as RawResult;
}
