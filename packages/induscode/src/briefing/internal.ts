// For the other rooms of this package; not exported from it.
export { type FolderSkills, findFolderSkills } from "./folder-skills.ts";
