import type { JsonSchema } from "../../llm/index.ts";
import { applyPassthrough } from "./apply-passthrough.ts";
import { jsonSchemaToTypeBox } from "./json-schema-to-type-box.ts";

/** Converts a listed tool's `inputSchema` to the parameters of an agent's tool. */
export function convertMCPInputSchema(inputSchema: unknown): JsonSchema {
  return applyPassthrough(jsonSchemaToTypeBox(inputSchema));
}

/** Like `convertMCPInputSchema`, for `outputSchema`. Returns `undefined` if there is none. */
export function convertMCPOutputSchema(outputSchema: unknown): JsonSchema | undefined {
  return outputSchema ? applyPassthrough(jsonSchemaToTypeBox(outputSchema)) : undefined;
}
