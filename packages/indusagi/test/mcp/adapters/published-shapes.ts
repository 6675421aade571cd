import { expect } from "vitest";

/**
 * What the providers' published references say a request may hold, as small literal checks. Written from the
 * references, never from our own types: a change of ours that a provider would refuse turns these red.
 */

type Members = Record<string, unknown>;

function members(value: unknown, required: readonly string[], optional: readonly string[] = []): Members {
  expect(value).toBeTypeOf("object");
  const keys = Object.keys(value as Members);
  expect(keys).toEqual(expect.arrayContaining([...required]));
  expect([...required, ...optional]).toEqual(expect.arrayContaining(keys));
  return value as Members;
}

const isBase64 = (value: unknown): boolean => typeof value === "string" && /^[A-Za-z0-9+/]+=*$/.test(value);

/** An object schema at the root, as all three ask for. */
function objectSchema(schema: unknown): void {
  const { type, properties } = schema as Members;
  expect(type).toBe("object");
  expect(properties).toBeTypeOf("object");
  for (const keyword of ["anyOf", "oneOf", "allOf", "$ref", "enum", "not"])
    expect(schema).not.toHaveProperty(keyword);
}

/** POST /v1/chat/completions, `tools[]`. */
export function openAIChatTool(tool: unknown): void {
  const { type, function: fn } = members(tool, ["type", "function"]);
  expect(type).toBe("function");
  const { name, description, parameters } = members(fn, ["name"], ["description", "parameters", "strict"]);
  expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  expect(description).toBeTypeOf("string");
  objectSchema(parameters);
}

/** POST /v1/chat/completions, a message of role tool. */
export function openAIToolMessage(message: unknown): void {
  const { role, tool_call_id, content } = members(message, ["role", "tool_call_id", "content"]);
  expect(role).toBe("tool");
  expect(tool_call_id).toBeTypeOf("string");
  expect(content).toBeTypeOf("string");
}

/** POST /v1/responses, `tools[]`. */
export function openAIResponsesTool(tool: unknown): void {
  const { type, name, parameters, strict } = members(
    tool,
    ["type", "name", "parameters", "strict"],
    ["description"],
  );
  expect(type).toBe("function");
  expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  expect(strict).toBeTypeOf("boolean");
  objectSchema(parameters);
}

/** POST /v1/responses, an input item of type function_call_output. */
export function openAIFunctionCallOutput(item: unknown): void {
  const { type, call_id, output } = members(item, ["type", "call_id", "output"], ["id", "status"]);
  expect(type).toBe("function_call_output");
  expect(call_id).toBeTypeOf("string");
  for (const part of Array.isArray(output) ? output : []) {
    const { type: kind } = part as Members;
    if (kind === "input_text") expect(members(part, ["type", "text"])["text"]).toBeTypeOf("string");
    else if (kind === "input_image")
      expect(members(part, ["type", "image_url"], ["detail", "file_id"])["image_url"]).toMatch(
        /^data:image\//,
      );
    else {
      expect(kind).toBe("input_file");
      members(part, ["type"], ["file_data", "filename", "file_id", "file_url"]);
    }
  }
  if (!Array.isArray(output)) expect(output).toBeTypeOf("string");
}

/** POST /v1/messages, `tools[]`. */
export function anthropicTool(tool: unknown): void {
  const { name, input_schema } = members(tool, ["name", "input_schema"], ["description"]);
  expect(name).toMatch(/^[a-zA-Z0-9_-]{1,128}$/);
  objectSchema(input_schema);
}

/** POST /v1/messages, a content block of type tool_result. */
export function anthropicToolResult(block: unknown): void {
  const { type, tool_use_id, content, is_error } = members(
    block,
    ["type", "tool_use_id"],
    ["content", "is_error", "cache_control"],
  );
  expect(type).toBe("tool_result");
  expect(tool_use_id).toBeTypeOf("string");
  if (is_error !== undefined) expect(is_error).toBeTypeOf("boolean");
  for (const part of content as unknown[]) {
    const { type: kind } = part as Members;
    if (kind === "text") {
      expect(members(part, ["type", "text"])["text"]).not.toBe("");
      continue;
    }
    const source = members(members(part, ["type", "source"])["source"], ["type", "media_type", "data"]);
    expect(source["type"]).toBe("base64");
    expect(isBase64(source["data"])).toBe(true);
    const types = kind === "image" ? /^image\/(png|jpeg|gif|webp)$/ : /^application\/pdf$/;
    expect(source["media_type"]).toMatch(types);
  }
}

/** POST models/…:generateContent, `tools[]`. */
export function geminiTool(tool: unknown): void {
  const { functionDeclarations } = members(tool, ["functionDeclarations"]);
  for (const declaration of functionDeclarations as unknown[]) {
    const { name, parameters } = members(declaration, ["name", "description"], ["parameters"]);
    expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/);
    if (parameters === undefined) continue;
    objectSchema(parameters);
    expect(Object.keys((parameters as Members)["properties"] as object)).not.toEqual([]);
  }
}

/** POST models/…:generateContent, a part that is a function's response. */
export function geminiFunctionResponse(part: unknown): void {
  const { functionResponse } = members(part, ["functionResponse"]);
  const { name, response, parts = [] } = members(functionResponse, ["name", "response"], ["id", "parts"]);
  expect(name).toBeTypeOf("string");
  expect(Object.keys(response as object)).toHaveLength(1);
  for (const one of parts as unknown[]) {
    const { mimeType, data } = members(members(one, ["inlineData"])["inlineData"], ["mimeType", "data"]);
    expect(mimeType).toMatch(/^(image\/(png|jpeg|webp)|application\/pdf|text\/plain)$/);
    expect(isBase64(data)).toBe(true);
  }
}
