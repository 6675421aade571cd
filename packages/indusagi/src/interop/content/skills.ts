import { isRecord } from "../../core/internal.ts";
import { Extension, type RawResult, SKILL_LIMITS, type SkillEntry } from "../contract/index.ts";

/** What a server with the Skills extension declared; undefined if it did not declare it. */
export function skillAbilities(
  capabilities: RawResult | undefined,
): { readonly directoryRead: boolean } | undefined {
  const extensions = capabilities?.["extensions"];
  const settings = isRecord(extensions) ? extensions[Extension.SKILLS] : undefined;
  return isRecord(settings) ? { directoryRead: settings["directoryRead"] === true } : undefined;
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME_CHARS = 64;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const MANIFEST = "/SKILL.md";

/** What is wrong with a skill, in a few words; undefined if it is a `SkillEntry`. */
export function skillProblem(value: unknown): string | undefined {
  if (!isRecord(value)) return "it is not an object";
  const { uri, frontmatter, resources } = value;
  if (typeof uri !== "string" || !uri.endsWith(MANIFEST)) return "its uri does not end with /SKILL.md";
  if (!isRecord(frontmatter)) return "it has no frontmatter";
  return frontmatterProblem(uri, frontmatter) ?? filesProblem(uri, resources);
}

/** The folder of a skill, without a slash at the end. */
export function skillFolder(manifestUri: string): string {
  return manifestUri.slice(0, -MANIFEST.length);
}

/** Whether a URI is the `SKILL.md` of a skill, or another file of it. */
export function isInSkill({ uri: manifest }: Pick<SkillEntry, "uri">, uri: string): boolean {
  return uri.startsWith(`${skillFolder(manifest)}/`);
}

/** The URIs of all files that a skill names; that of `SKILL.md` if they are not known in advance. */
export function filesOf({ uri, resources }: SkillEntry): readonly string[] {
  return resources === "dynamic" ? [uri] : resources.map((file) => file.uri);
}

/** The same entry under another URI: all its files move along. */
export function rebasedSkill(skill: SkillEntry, uri: string): SkillEntry {
  if (skill.uri === uri) return skill;
  const [before, after] = [skillFolder(skill.uri), skillFolder(uri)];
  const { resources } = skill;
  if (resources === "dynamic") return { ...skill, uri };
  const moved = resources.map((file) => ({ ...file, uri: after + file.uri.slice(before.length) }));
  return { ...skill, uri, resources: moved };
}

const FOLDER_TYPE = "inode/directory";

/**
 * The answer to `resources/directory/read`, from the URIs of all files: the direct children of a folder. Undefined if no file is
 * inside it.
 */
export function directoryOf(folder: string, files: Iterable<string>): RawResult | undefined {
  const prefix = folder.endsWith("/") ? folder : `${folder}/`;
  const children = new Map<string, RawResult>();
  for (const uri of files) {
    if (!uri.startsWith(prefix) || uri.length === prefix.length) continue;
    const [name = "", ...below] = uri.slice(prefix.length).split("/");
    const child = prefix + name;
    if (below.length === 0) children.set(child, { uri, name: decoded(name), ...typeOf(name) });
    else if (!children.has(child))
      children.set(child, { uri: child, name: decoded(name), mimeType: FOLDER_TYPE });
  }
  return children.size > 0 ? { resources: [...children.values()] } : undefined;
}

/** The usual types of files in a skill, by their endings. */
const TYPES: { readonly [ending: string]: string } = {
  css: "text/css",
  csv: "text/csv",
  gif: "image/gif",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript",
  json: "application/json",
  md: "text/markdown",
  pdf: "application/pdf",
  png: "image/png",
  py: "text/x-python",
  sh: "application/x-sh",
  svg: "image/svg+xml",
  ts: "text/x-typescript",
  txt: "text/plain",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
};

/** The MIME type of a file by its name, as a member; empty if it is not known. */
export function typeOf(name: string): { readonly mimeType?: string } {
  const mimeType = TYPES[/\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase() ?? ""];
  return mimeType === undefined ? {} : { mimeType };
}

function frontmatterProblem(uri: string, { name, description }: RawResult): string | undefined {
  if (typeof name !== "string" || name.length > MAX_NAME_CHARS || !NAME.test(name))
    return "its name is not made of lowercase letters, digits and single hyphens (at most 64)";
  if (typeof description !== "string" || description.trim() === "") return "it has no description";
  return skillFolder(uri).endsWith(`/${name}`) ? undefined : `its folder is not named "${name}" as it is`;
}

function filesProblem(manifest: string, files: unknown): string | undefined {
  if (files === "dynamic") return undefined;
  if (!Array.isArray(files)) return "its list of files is missing";
  if (files.length > SKILL_LIMITS.files) return `it has more than ${SKILL_LIMITS.files} files`;
  const uris = new Set<unknown>();
  let bytes = 0;
  for (const file of files as readonly unknown[]) {
    if (!isRecord(file)) return "its list of files is malformed";
    const { uri, digest, size } = file;
    if (typeof uri !== "string" || !isInSkill({ uri: manifest }, uri))
      return "a file lies outside its folder";
    if (typeof digest !== "string" || !DIGEST.test(digest)) return "a file has no SHA-256 digest";
    if (!Number.isSafeInteger(size) || (size as number) < 0) return "a file has no size";
    uris.add(uri);
    bytes += size as number;
  }
  if (bytes > SKILL_LIMITS.bytes) return "its files are larger than 16 MiB in all";
  if (uris.size < files.length) return "a file is listed twice";
  return uris.has(manifest) ? undefined : "SKILL.md is not among its files";
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
