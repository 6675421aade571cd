export { normalizeSchema } from "./normalize-schema.ts";
