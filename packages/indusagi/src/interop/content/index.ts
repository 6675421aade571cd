export { projectContent } from "./project-content.ts";
