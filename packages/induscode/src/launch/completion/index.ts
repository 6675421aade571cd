export { completionScript } from "./completion-script.ts";
