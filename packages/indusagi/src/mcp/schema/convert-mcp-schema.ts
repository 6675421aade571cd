import type { JsonSchema } from "../../llm/index.ts";
import { applyPassthrough } from "./apply-passthrough.ts";
import { jsonSchemaToTypeBox } from "./json-schema-to-type-box.ts";

/** A listed tool's `inputSchema` as the parameters of an agent's tool. */
export function convertMCPInputSchema(inputSchema: unknown): JsonSchema {
  return applyPassthrough(jsonSchemaToTypeBox(inputSchema));
}

/** The same for `outputSchema`; a tool that promises none has none. */
export function convertMCPOutputSchema(outputSchema: unknown): JsonSchema | undefined {
  return outputSchema ? applyPassthrough(jsonSchemaToTypeBox(outputSchema)) : undefined;
}
