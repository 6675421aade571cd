import { coerceArguments, type ToolDescriptor } from "indusagi/llm";
import type { ToolEffect } from "../contract/index.ts";

/**
 * The effect that a tool's annotations state. For a native tool it also has the paths in the input. Annotations of a
 * mounted tool are the claim of its server: check that the server is approved before a decision depends on them.
 */
export function annotatedEffect(descriptor: ToolDescriptor, input: unknown): ToolEffect {
  const { readOnlyHint, destructiveHint } = descriptor.annotations ?? {};
  const readOnly = readOnlyHint === true;
  const paths = descriptor.origin ? undefined : nativePaths(descriptor, input);
  return {
    readOnly,
    ...(readOnly || typeof destructiveHint !== "boolean" ? {} : { destructive: destructiveHint }),
    ...(paths ? { paths } : {}),
  };
}

/** A text stands for arguments as JSON, as the tool reads it. */
function nativePaths({ name, parameters }: ToolDescriptor, input: unknown): readonly string[] | undefined {
  return NATIVE_PATHS[name]?.(typeof input === "object" ? input : coerceArguments(parameters, input));
}

type PathsOf = (input: unknown) => readonly string[] | undefined;

/** The path that a tool cannot work without. A call that lacks it fails, and what it would use is not known. */
const required: PathsOf = (input) => {
  const path = pathOf(input);
  return path === undefined ? undefined : [path];
};

/** The path of a tool that otherwise uses the folder of the session. */
const optional: PathsOf = (input) => [pathOf(input) ?? "."];

const none: PathsOf = () => [];

/** `bash` and `process` are absent: a command can use any file. */
const NATIVE_PATHS: { readonly [name: string]: PathsOf } = Object.assign(Object.create(null) as object, {
  read: required,
  ls: optional,
  grep: optional,
  find: optional,
  websearch: none,
  webfetch: none,
  todo_read: none,
  write: required,
  edit: required,
  todo_set: none,
});

function pathOf(input: unknown): string | undefined {
  if (typeof input !== "object" || input === null || !("path" in input)) return undefined;
  return typeof input.path === "string" ? input.path : undefined;
}
