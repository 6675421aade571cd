import { constants } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { bytesHash, createSingleFlight, describeError, errorCode, isInside } from "../../core/index.ts";
import { directoryOf, skillProblem, typeOf } from "../content/index.ts";
import {
  type RawResult,
  type ResourceProvider,
  SKILL_LIMITS,
  type SkillEntry,
  type SkillFile,
  type SkillProvider,
} from "../contract/index.ts";
import { readFrontmatter } from "./check-skill-file.ts";

export interface SkillsFolderOptions {
  /** Called once with each problem, such as a broken `SKILL.md`, in one line. Other skills are not affected. */
  readonly report?: (message: string) => void;
}

/** A skill in a folder. Its files have not been read, except for `SKILL.md`. */
export interface FoundSkill {
  readonly name: string;
  readonly description: string;
  /** The path of its `SKILL.md`. */
  readonly path: string;
}

/** A folder of skills, ready for a host: give both providers to `createProviderHost`. */
export interface SkillsFolder {
  readonly skills: Required<SkillProvider>;
  /** The files of the skills. Lists each `SKILL.md`. */
  readonly resources: Required<Pick<ResourceProvider, "list" | "read">>;
  /** The skills that are in the folder now. */
  find(): Promise<readonly FoundSkill[]>;
}

/**
 * Offers the skills in a folder: every folder below it with a `SKILL.md` is one. The folder is read with each list, so changes
 * show up in the next one. Hidden files and links that lead out of the folder are left out, as is a skill that is malformed or too
 * large. A missing folder has no skills.
 */
export function skillsFolder(path: string, { report }: SkillsFolderOptions = {}): SkillsFolder {
  const reported = new Set<string>();
  const note = (problem: string): void => {
    if (reported.has(problem)) return;
    reported.add(problem);
    report?.(problem);
  };
  const digests = new Digests();
  const flights = createSingleFlight<"scan">();
  let files: ReadonlyMap<string, PublishedFile> = new Map();
  const scan = (): Promise<readonly SkillEntry[]> =>
    flights.run("scan", async () => {
      const published = await Promise.all(
        (await findSkills(path, note)).map((skill) => publish(skill, { digests, note })),
      );
      const skills = published.flatMap((each) => each ?? []);
      files = new Map(skills.flatMap((skill) => skill.files.map((file) => [file.uri, file])));
      return skills.map(({ entry }) => entry);
    });
  /** A URI is looked up, never turned into a path. */
  const lookUp = async (uri: string): Promise<PublishedFile | undefined> => {
    if (!files.has(uri)) await scan();
    return files.get(uri);
  };
  return {
    skills: {
      list: async () => ({ skills: await scan() }),
      get: async (uri) => {
        const skill = (await scan()).find((each) => each.uri === uri);
        return skill && { skill };
      },
      directory: async (uri) => {
        await scan();
        return directoryOf(uri, files.keys());
      },
    },
    resources: {
      list: async () => ({ resources: (await scan()).map(manifestResource) }),
      read: async (uri) => {
        const file = await lookUp(uri);
        return file && { contents: [contentOf(uri, await readRegular(file.real))] };
      },
    },
    find: async () =>
      (await findSkills(path, note)).map(({ frontmatter: { name, description }, files: [first] }) => ({
        name,
        description,
        path: first?.real ?? path,
      })),
  };
}

interface FolderFile {
  readonly uri: string;
  /** Its real path, inside the folder of skills. */
  readonly real: string;
}

type PublishedFile = FolderFile & SkillFile;

interface LocalSkill {
  readonly uri: string;
  readonly frontmatter: SkillEntry["frontmatter"];
  /** `SKILL.md` first. */
  readonly files: readonly FolderFile[];
}

const MANIFEST = "SKILL.md";
/** A `SKILL.md` is read by models; a larger one is a mistake. */
const MAX_MANIFEST_BYTES = 1024 * 1024;
const MAX_DEPTH = 8;
const MAX_FOLDERS = 5_000;

/** One pass through the folder. */
interface Walk {
  readonly root: string;
  readonly note: (problem: string) => void;
  /** The real folders that were entered: links may lead in a circle. */
  readonly entered: Set<string>;
}

async function findSkills(path: string, note: Walk["note"]): Promise<readonly LocalSkill[]> {
  try {
    const root = await realpath(path);
    const walk = { root, note, entered: new Set<string>() };
    const children = await childrenOf({ real: root, uri: "skill:/", isFolder: true, depth: 0 }, walk);
    if (children.some(({ real }) => basename(real) === MANIFEST))
      note(`${join(path, MANIFEST)} is not used: a skill is a folder inside ${path}`);
    return await skillsBelow(children, walk);
  } catch (thrown) {
    if (errorCode(thrown) !== "ENOENT")
      note(`the folder of skills ${path} cannot be read: ${describeError(thrown)}`);
    return [];
  }
}

/** Something in the folder that may be used. */
interface Child extends FolderFile {
  readonly isFolder: boolean;
  readonly depth: number;
}

async function skillsBelow(children: readonly Child[], walk: Walk): Promise<readonly LocalSkill[]> {
  const found: LocalSkill[] = [];
  for (const folder of children.filter(({ isFolder }) => isFolder)) {
    const inside = await childrenOf(folder, walk);
    const manifest = inside.find(({ uri, isFolder }) => !isFolder && uri === `${folder.uri}/${MANIFEST}`);
    if (!manifest) found.push(...(await skillsBelow(inside, walk)));
    else found.push(...(await readSkill(manifest, inside, walk)));
  }
  return found;
}

async function readSkill(
  manifest: Child,
  inside: readonly Child[],
  walk: Walk,
): Promise<readonly LocalSkill[]> {
  try {
    const bytes = await readRegular(manifest.real, MAX_MANIFEST_BYTES);
    const text = new TextDecoder().decode(bytes);
    const frontmatter = (await readFrontmatter(text)) as SkillEntry["frontmatter"];
    const { uri } = manifest;
    const problem = skillProblem({ uri, frontmatter, resources: "dynamic" });
    if (problem !== undefined) throw new Error(problem);
    const others = (await filesBelow(inside, walk)).filter((file) => file.uri !== uri);
    return [{ uri, frontmatter, files: [manifest, ...others] }];
  } catch (thrown) {
    walk.note(`the skill ${manifest.real} is left out: ${describeError(thrown)}`);
    return [];
  }
}

async function filesBelow(children: readonly Child[], walk: Walk): Promise<readonly FolderFile[]> {
  const files: FolderFile[] = [];
  for (const child of children) {
    if (!child.isFolder) files.push(child);
    else files.push(...(await filesBelow(await childrenOf(child, walk), walk)));
    if (files.length > SKILL_LIMITS.files) throw new Error(`it has more than ${SKILL_LIMITS.files} files`);
  }
  return files;
}

/** What is in a folder, sorted by name: neither hidden, nor outside of the root, nor a device. */
async function childrenOf({ real: folder, uri, depth }: Child, walk: Walk): Promise<readonly Child[]> {
  if (walk.entered.has(folder)) return [];
  walk.entered.add(folder);
  if (depth > MAX_DEPTH || walk.entered.size > MAX_FOLDERS) {
    walk.note(`the folder ${folder} is left out: ${walk.root} is too deep or has too many folders`);
    return [];
  }
  const names = (await readdir(folder)).filter((name) => !name.startsWith(".") && name !== "node_modules");
  const children = names.sort().map(async (name): Promise<readonly Child[]> => {
    const path = join(folder, name);
    try {
      const real = await realpath(path);
      if (!isInside(real, [walk.root])) throw new Error("it is a link that leads out of the folder");
      const info = await stat(real);
      if (!info.isFile() && !info.isDirectory()) throw new Error("it is not a regular file");
      const childUri = `${uri}/${encodeURIComponent(name)}`;
      return [{ real, uri: childUri, isFolder: info.isDirectory(), depth: depth + 1 }];
    } catch (thrown) {
      walk.note(`${path} is left out: ${describeError(thrown)}`);
      return [];
    }
  });
  return (await Promise.all(children)).flat();
}

interface PublishedSkill {
  readonly entry: SkillEntry;
  readonly files: readonly PublishedFile[];
}

/** The entry of a skill, with digests. Undefined, with a note, if it cannot be published. */
async function publish(
  { uri, frontmatter, files: found }: LocalSkill,
  { digests, note }: { readonly digests: Digests; readonly note: Walk["note"] },
): Promise<PublishedSkill | undefined> {
  try {
    const files: PublishedFile[] = [];
    let left = SKILL_LIMITS.bytes;
    for (const file of found) {
      const hashed = await digests.of(file.real, left);
      left -= hashed.size;
      files.push({ ...file, ...hashed });
    }
    const resources = files.map(({ uri: fileUri, digest, size }) => ({ uri: fileUri, digest, size }));
    const entry: SkillEntry = { uri, frontmatter, resources };
    const problem = skillProblem(entry);
    if (problem !== undefined) throw new Error(problem);
    return { entry, files };
  } catch (thrown) {
    note(`the skill ${found[0]?.real ?? uri} is left out: ${describeError(thrown)}`);
    return undefined;
  }
}

/** The digests of files, computed again only for files that have changed. */
class Digests {
  readonly #known = new Map<string, SkillFileHash & { readonly version: string }>();

  /** Rejects if the file is larger than `maxBytes`. */
  async of(path: string, maxBytes: number): Promise<SkillFileHash> {
    const { size, mtimeMs, ctimeMs, ino } = await stat(path);
    if (size > maxBytes) throw new Error("its files are larger than 16 MiB in all");
    const version = [size, mtimeMs, ctimeMs, ino].join(" ");
    const known = this.#known.get(path);
    if (known?.version === version) return { digest: known.digest, size: known.size };
    const bytes = await readRegular(path, maxBytes);
    const hash = { digest: `sha256:${bytesHash(bytes)}`, size: bytes.length };
    this.#known.set(path, { ...hash, version });
    return hash;
  }
}

type SkillFileHash = Pick<SkillFile, "digest" | "size">;

/** A regular file at a real path: no link has taken its place meanwhile, and a pipe is not waited for. */
async function readRegular(real: string, maxBytes: number = SKILL_LIMITS.bytes): Promise<Buffer> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants; // Windows lacks the last two; `|` takes undefined as 0.
  const file = await open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const info = await file.stat();
    if (!info.isFile()) throw new Error("it is not a regular file");
    if (info.size > maxBytes) throw new Error(`${basename(real)} is larger than ${maxBytes} bytes`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function manifestResource({ uri, frontmatter: { name, description } }: SkillEntry): RawResult {
  return { uri, name, description, mimeType: "text/markdown" };
}

/** A file as text if that loses nothing, since digests cover its bytes. */
function contentOf(uri: string, bytes: Buffer): RawResult {
  const type = typeOf(uri);
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { uri, mimeType: "text/plain", ...type, text };
  } catch {
    return { uri, mimeType: "application/octet-stream", ...type, blob: bytes.toString("base64") };
  }
}
