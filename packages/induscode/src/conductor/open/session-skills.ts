import { dirname } from "node:path";
import type { ToolContext } from "indusagi/capabilities";
import { homeFolder, userConfigPath } from "indusagi/config";
import { describeError, isRecord, Listeners, settlesWithin, showName } from "indusagi/core";
import { checkSkillFile, Extension, isProtocolFault, listSkills, type SkillEntry } from "indusagi/interop";
import { failureResult, type ToolResult, textResult } from "indusagi/runtime";
import type { Run } from "../../boot/internal.ts";
import type { BriefingSkill } from "../../briefing/index.ts";
import { findFolderSkills } from "../../briefing/internal.ts";
import { defineCard } from "../../deck/cards/internal.ts";
import type { Capability, CapabilitySource } from "../../deck/contract/index.ts";
import type { OpenServers } from "../../servers/open/index.ts";

/** The skills of a session. */
export interface SessionSkills {
  /** Those of folders, then those of the servers that are there now. */
  list(): readonly BriefingSkill[];
  /** The folders of skills, which the agent may read even outside of the workspace. */
  readonly folders: readonly string[];
  /** `read_skill`, once a server has skills. */
  readonly reader: CapabilitySource;
}

/** Finds the skills in the folders of the project and of the user, and follows those of the servers. */
export async function openSessionSkills(run: Run, servers: OpenServers | undefined): Promise<SessionSkills> {
  const { cwd, env, report } = run;
  const config = userConfigPath({ env });
  const places = { cwd, home: homeFolder({ env }), config: config && dirname(config) };
  const ofServers = servers && new ServerSkills(servers, report);
  if (ofServers) run.defer(async () => ofServers.close());
  const [found] = await Promise.all([findFolderSkills(places), ofServers?.refresh()]);
  for (const problem of found.problems) report(problem);
  return {
    list: () => [...found.skills, ...(ofServers?.described() ?? [])],
    folders: found.folders,
    reader: ofServers ?? { list: () => [], onChange: () => () => {} },
  };
}

/** How long the start of a session waits for lists of skills. Later ones join with the next turn. */
const WAIT_MS = 3_000;
const LIST_MS = 20_000;
const READ_MS = 60_000;
const READ_SKILL = "read_skill";
const MANIFEST = "SKILL.md";

interface OfferedSkill {
  readonly server: string;
  readonly skill: SkillEntry;
}

interface ReadInput {
  readonly skill: string;
  readonly file?: string;
}

/**
 * The skills of a session's servers, and the tool that reads them. Listing a skill reads none of its files; each file that the
 * agent reads is checked against the list.
 */
class ServerSkills implements CapabilitySource {
  readonly #servers: OpenServers;
  readonly #report: (message: string) => void;
  readonly #changes = new Listeners();
  /** What the servers said whose skills were asked for: a new connection says it anew. */
  readonly #asked = new WeakSet<object>();
  readonly #lists = new Map<string, readonly SkillEntry[]>();
  readonly #stop: () => void;
  #tools: readonly Capability[] = [];

  constructor(servers: OpenServers, report: (message: string) => void) {
    this.#servers = servers;
    this.#report = report;
    this.#stop = servers.onListed(() => void this.refresh());
  }

  close(): void {
    this.#stop();
  }

  /** Lists the skills of servers that are new since the last time. Waits for a few seconds at most. Never rejects. */
  async refresh(): Promise<void> {
    const asking = this.#servers.configs().flatMap(({ id, enabled = true, pending = false }) => {
      const said = enabled && !pending ? this.#servers.introductionOf(id) : undefined;
      if (!said || this.#asked.has(said) || !offersSkills(said.capabilities)) return [];
      this.#asked.add(said);
      return [this.#ask(id)];
    });
    await settlesWithin(Promise.all(asking), WAIT_MS);
  }

  list(): readonly Capability[] {
    return this.#tools;
  }

  onChange(listener: () => void): () => void {
    return this.#changes.add(listener);
  }

  described(): readonly BriefingSkill[] {
    return [...this.#offered()].map(([key, { server, skill }]) => ({
      name: skill.frontmatter.name,
      description: skill.frontmatter.description,
      where: `of server ${showName(server)}: ${READ_SKILL} ${JSON.stringify({ skill: key })}`,
      tool: READ_SKILL,
    }));
  }

  async #ask(server: string): Promise<void> {
    try {
      const { skills, leftOut } = await listSkills(this.#servers.relay, server, { timeoutMs: LIST_MS });
      for (const problem of leftOut) this.#report(`server "${server}": ${problem}`);
      this.#lists.set(server, skills);
      // A new object, so that the briefing is composed again.
      this.#tools = this.#offered().size > 0 ? [this.#readerTool()] : [];
      this.#changes.emit();
    } catch (thrown) {
      // Why a server does not start is reported elsewhere.
      if (isProtocolFault(thrown) && thrown.rpc)
        this.#report(`the skills of server "${server}" cannot be listed: ${describeError(thrown)}`);
    }
  }

  /** The skills by the names that the agent uses for them: `SERVER:NAME`, or the URI if a server has two of one name. */
  #offered(): ReadonlyMap<string, OfferedSkill> {
    const offered = new Map<string, OfferedSkill>();
    for (const { id: server } of this.#servers.configs())
      for (const skill of this.#lists.get(server) ?? []) {
        const key = `${server}:${skill.frontmatter.name}`;
        offered.set(offered.has(key) ? skill.uri : key, { server, skill });
      }
    return offered;
  }

  #readerTool(): Capability {
    return defineCard<ReadInput>({
      name: READ_SKILL,
      label: "Read a skill",
      description:
        "Read a skill of a server: its SKILL.md, or with file another file of it. What was read has been checked against the server's list of skills.",
      parameters: {
        type: "object",
        properties: {
          skill: { type: "string", description: "The skill, as the list of skills names it." },
          file: { type: "string", description: "A path in the folder of the skill. Default: SKILL.md." },
        },
        required: ["skill"],
      },
      annotations: { readOnlyHint: true, openWorldHint: true },
      effect: () => ({ readOnly: true, paths: [] }),
      run: (input, ctx) => this.#read(input, ctx),
    });
  }

  async #read({ skill: key, file = MANIFEST }: ReadInput, ctx: ToolContext): Promise<ToolResult> {
    const offered = this.#offered();
    const found = offered.get(key);
    if (!found) {
      const names = [...offered.keys()].join(", ");
      return failureResult(
        `${READ_SKILL}: there is no skill ${JSON.stringify(key)}; the skills are ${names}`,
      );
    }
    const { server, skill } = found;
    const uri = fileUri(skill, file);
    if (uri === undefined)
      return failureResult(
        `${READ_SKILL}: the skill has no file ${JSON.stringify(file)}${otherFiles(skill)}`,
      );
    try {
      const { signal, caller } = ctx;
      const options = { signal, timeoutMs: READ_MS, ...(caller && { caller }) };
      const result = await this.#servers.relay.readResource(server, uri, options);
      const { text, bytes, mimeType = "unknown" } = await checkSkillFile(skill, uri, result);
      if (text === undefined) return textResult(`(not text: ${bytes.length} bytes of type ${mimeType})`);
      return textResult(uri === skill.uri ? `${text}${otherFiles(skill)}` : text);
    } catch (thrown) {
      if (ctx.signal.aborted) throw thrown;
      if (!isProtocolFault(thrown) || thrown.kind !== "protocol" || thrown.rpc)
        return failureResult(`${READ_SKILL}: ${describeError(thrown)}`);
      // The server may have changed it since it was listed.
      await this.#ask(server);
      return failureResult(
        `${READ_SKILL}: ${describeError(thrown)}; the list was read again, so try once more`,
      );
    }
  }
}

function offersSkills({ extensions }: { readonly [capability: string]: unknown }): boolean {
  return isRecord(extensions) && isRecord(extensions[Extension.SKILLS]);
}

/** The URI of a file by its path in the skill. Undefined if the skill does not list it, or if it lies outside. */
function fileUri({ uri, resources }: SkillEntry, path: string): string | undefined {
  const segments = path.replace(/^\.\//, "").split("/");
  if (segments.some((segment) => segment === ".." || segment === ".")) return undefined;
  const folder = uri.slice(0, -MANIFEST.length);
  const candidates = [segments.join("/"), segments.map(encodeURIComponent).join("/")].map(
    (end) => folder + end,
  );
  if (resources === "dynamic") return candidates[1];
  return resources.find((file) => candidates.includes(file.uri))?.uri;
}

const MAX_NAMED = 50;

/** A line that names the other files. Empty if there are none. */
function otherFiles({ uri, resources }: SkillEntry): string {
  if (resources === "dynamic") return "";
  const folder = uri.slice(0, -MANIFEST.length);
  const names = resources.filter((file) => file.uri !== uri).map((file) => file.uri.slice(folder.length));
  if (names.length === 0) return "";
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  return `\n\n(other files of this skill: ${names.slice(0, MAX_NAMED).map(showName).join(", ")}${more})`;
}
