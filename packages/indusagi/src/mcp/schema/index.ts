export { applyPassthrough } from "./apply-passthrough.ts";
export { convertMCPInputSchema, convertMCPOutputSchema } from "./convert-mcp-schema.ts";
export { jsonSchemaToTypeBox } from "./json-schema-to-type-box.ts";
