import { mcpBlock, textResult } from "indusagi/runtime";
import type { FixtureTool } from "./fixture-tool.ts";
import { PNG, WAV } from "./samples.ts";

const image = mcpBlock({ type: "image", data: PNG, mimeType: "image/png" });

/** Tools that answer at once: every kind of content, an error, and schemas that must travel unharmed. */
export const contentTools: readonly FixtureTool[] = [
  {
    name: "test_simple_text",
    description: "Answers with a text",
    run: () => textResult("This is a simple text response for testing."),
  },
  {
    name: "test_image_content",
    description: "Answers with an image",
    run: () => ({ content: [image] }),
  },
  {
    name: "test_audio_content",
    description: "Answers with a sound",
    run: () => ({ content: [mcpBlock({ type: "audio", data: WAV, mimeType: "audio/wav" })] }),
  },
  {
    name: "test_embedded_resource",
    description: "Answers with a resource in its result",
    run: () => ({
      content: [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
    }),
  },
  {
    name: "test_multiple_content_types",
    description: "Answers with several kinds of content",
    run: () => ({
      content: [
        { kind: "text", text: "Multiple content types test:" },
        image,
        resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
      ],
    }),
  },
  {
    name: "test_error_handling",
    description: "Always fails",
    run: () => {
      throw new Error("This tool intentionally returns an error for testing");
    },
  },
  {
    name: "json_schema_2020_12_tool",
    description: "Tool with JSON Schema 2020-12 features",
    parameters: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // A word of JSON Schema, not a promise.
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
    run: ({ input }) => textResult(JSON.stringify(input)),
  },
  {
    name: "test_x_mcp_header",
    description: "Takes an argument that must also stand in a request header",
    parameters: {
      type: "object",
      properties: { region: { type: "string", "x-mcp-header": "Region" } },
    },
    run: ({ input }) => textResult(`region: ${String(input["region"])}`),
  },
];

function resource(uri: string, mimeType: string, text: string): ReturnType<typeof mcpBlock> {
  return mcpBlock({ type: "resource", resource: { uri, mimeType, text } });
}
