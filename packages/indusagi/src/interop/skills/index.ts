export { type CheckedSkillFile, checkSkillFile } from "./check-skill-file.ts";
export {
  type FoundSkill,
  type SkillsFolder,
  type SkillsFolderOptions,
  skillsFolder,
} from "./skills-folder.ts";
