// For the other rooms of this package; not exported from it.
export { findFolderSkills } from "./folder-skills.ts";
