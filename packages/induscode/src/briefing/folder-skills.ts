import { realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { escapeForDisplay, isInside, workTreeOf } from "indusagi/core";
import { skillsFolder } from "indusagi/interop";
import type { BriefingSkill } from "./compose-briefing.ts";

/** The skills in the folders of a project and of its user. */
export interface FolderSkills {
  readonly skills: readonly BriefingSkill[];
  /** The real folder of each skill. The agent may read them. */
  readonly folders: readonly string[];
  /** What was left out, one line each. */
  readonly problems: readonly string[];
}

export interface SkillPlaces {
  readonly cwd: string;
  /** The folder of the user's configuration, which may have one of skills. */
  readonly config?: string | undefined;
  readonly home?: string | undefined;
}

/** Below the project's root and its working folder. */
const PROJECT_FOLDERS = [".indusvx/skills", ".claude/skills"];

/**
 * Finds the skills of the project first, then those of the user. Only `SKILL.md` is read, and nothing runs. A project's folder that
 * is a link out of the project is not used: the agent would be allowed to read what it leads to.
 */
export async function findFolderSkills({ cwd, config, home }: SkillPlaces): Promise<FolderSkills> {
  const here = realpathSync(cwd);
  const root = workTreeOf(here) ?? here;
  const problems: string[] = [];
  const ofProject = [...new Set([root, here])].flatMap((folder) =>
    PROJECT_FOLDERS.map((name) => join(folder, name)),
  );
  const ofUser = [config && join(config, "skills"), home && join(home, ".claude/skills")];
  const found = [
    ...realFolders(ofProject).map((path) => ({ path, whose: "the project's" })),
    ...realFolders(ofUser).map((path) => ({ path, whose: "the user's" })),
  ].filter(({ path, whose }, at, all) => {
    const isOutside = whose === "the project's" && !isInside(path, [root]);
    if (isOutside)
      problems.push(`a folder of skills is not used: it is a link out of the project, to ${path}`);
    // In a home that is the project itself, a folder is found twice.
    return !isOutside && all.findIndex((each) => each.path === path) === at;
  });
  const report = (problem: string): void => void problems.push(problem);
  const lists = await Promise.all(
    found.map(async ({ path, whose }) =>
      (await skillsFolder(path, { report }).find()).map((skill) => ({ ...skill, whose })),
    ),
  );
  const skills = lists.flat();
  return {
    skills: skills.map(({ name, description, path, whose }) => ({
      name,
      description,
      where: `${whose}: read ${escapeForDisplay(path)}`,
      tool: "read",
    })),
    folders: skills.map(({ path }) => dirname(path)),
    problems,
  };
}

/** Where folders really are. Those that do not exist are left out. */
function realFolders(paths: readonly (string | undefined)[]): readonly string[] {
  return paths.flatMap((path) => {
    if (path === undefined || !statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [];
    return [realpathSync(path)];
  });
}
