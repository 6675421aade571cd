import {
  type JsonSchema,
  projectSchema,
  schemaBudgetProblem,
  type ToolDescriptor,
} from "../../../llm/index.ts";
import type {
  RemoteTool,
  ServerConfig,
  SkippedTool,
  ToolDefinition,
  ToolOverride,
} from "../../contract/index.ts";
import { wireName } from "../../naming/index.ts";
import { normalizeSchema, paramHeadersOf } from "../../schema/index.ts";
import type { EndpointOptions, SchemaProfile } from "../connection-context.ts";

export interface DescribeOptions {
  readonly server: string;
  readonly profile: SchemaProfile;
  readonly nameLimit: number;
  /** Names and descriptions from the configuration. */
  readonly overrides: { readonly [tool: string]: ToolOverride };
  /** Whether arguments may be declared as headers: modern era over HTTP. */
  readonly hasParamHeaders: boolean;
}

/** The options for the tools of one server, with defaults. `hasParamHeaders` is known only after connecting. */
export function describeOptions(
  { id: server, toolOverrides: overrides = {} }: Pick<ServerConfig, "id" | "toolOverrides">,
  {
    schemaProfile: profile = "portable",
    nameLimit = 64,
  }: Pick<EndpointOptions, "schemaProfile" | "nameLimit">,
  hasParamHeaders = false,
): DescribeOptions {
  return { server, profile, nameLimit, overrides, hasParamHeaders };
}

const PARAMETERS: { readonly [profile in SchemaProfile]: PropertyDescriptor } = {
  portable: onFirstUse((schema) => projectSchema(schema, "portable").schema),
  seed: onFirstUse(normalizeSchema),
  identity: onFirstUse((schema) => schema),
};

/**
 * Computed on first use: a gateway only passes the definition on, and a thousand schemas would delay its answer too much. One getter
 * for all tools: with a getter each, V8 makes every descriptor a hash table, of four times the size.
 */
function onFirstUse(profile: (schema: JsonSchema) => JsonSchema): PropertyDescriptor {
  const known = new WeakMap<object, JsonSchema>();
  return {
    enumerable: true,
    get(this: { readonly definition: ToolDefinition }): JsonSchema {
      const parameters = known.get(this) ?? profile(this.definition["inputSchema"] as JsonSchema);
      known.set(this, parameters);
      return parameters;
    },
  };
}

/** Converts a listed definition to a tool, or says why it cannot be used. */
export function describeTool(definition: ToolDefinition, options: DescribeOptions): RemoteTool | SkippedTool {
  const { name } = definition;
  const inputSchema = definition["inputSchema"] as JsonSchema;
  const problem = schemaBudgetProblem(inputSchema);
  if (problem !== undefined) return { name, why: `its schema is too large: ${problem}` };
  const headers = options.hasParamHeaders ? paramHeadersOf(inputSchema) : undefined;
  if (headers && !headers.ok) return { name, why: headers.why };
  const { server } = options;
  const shown = Object.hasOwn(options.overrides, name) ? options.overrides[name] : undefined;
  const descriptor = {
    name: wireName({ server, name: shown?.name ?? name }, options.nameLimit),
    description: shown?.description ?? textOf(definition["description"]) ?? "",
  } as Writable<ToolDescriptor>;
  Object.defineProperty(descriptor, "parameters", PARAMETERS[options.profile]);
  // Not spread: a server may have ten thousand tools.
  descriptor.origin = { server, tool: name };
  descriptor.definition = definition;
  const title = textOf(definition["title"]);
  const annotations = objectOf(definition["annotations"]);
  const outputSchema = objectOf(definition["outputSchema"]);
  if (title !== undefined) descriptor.title = title;
  if (annotations) descriptor.annotations = annotations;
  if (outputSchema) descriptor.outputSchema = outputSchema;
  const tool = { ref: { server, name }, descriptor: Object.freeze(descriptor), definition };
  return shown?.name === undefined ? tool : { ...tool, shownName: shown.name };
}

type Writable<Value> = { -readonly [Member in keyof Value]: Value[Member] };

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function objectOf(value: unknown): JsonSchema | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonSchema)
    : undefined;
}
