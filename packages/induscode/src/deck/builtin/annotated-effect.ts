import { coerceArguments, type ToolDescriptor } from "indusagi/llm";
import type { ToolEffect } from "../contract/index.ts";

/**
 * The effect that a tool's annotations state, and for a native tool the paths in the input. Annotations of a mounted tool are
 * only its server's claim: check that the server is approved before relying on them.
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

/** The tool parses a string input as JSON arguments, so this does too. */
function nativePaths({ name, parameters }: ToolDescriptor, input: unknown): readonly string[] | undefined {
  return NATIVE_PATHS[name]?.(typeof input === "object" ? input : coerceArguments(parameters, input));
}

type PathsOf = (input: unknown) => readonly string[] | undefined;

/** For a tool with a required path. A call without it fails, so what it would use is unknown. */
const required: PathsOf = (input) => {
  const path = pathOf(input);
  return path === undefined ? undefined : [path];
};

/** For a tool that defaults to the session's folder. */
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
