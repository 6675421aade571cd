import { REDACTED, redactText, SECRET_OPTION } from "../../core/internal.ts";

const MAX_DEPTH = 6;
const MAX_MEMBERS = 50;

/** Members that hold secrets: only the names of their entries are kept. */
const SECRET_CONTAINER = /^(headers|env|environment|cookies?)$/i;

/** Members whose value is a secret. */
const SECRET = /authorization|cookie|token|secret|passw|api[-_]?key|credential|private[-_]?key/i;

/** Members that match `SECRET` but are not secret. */
const HARMLESS = /^(progresstoken|max_?tokens|\w*tokens)$/i;

/**
 * Copies any value for a log. Secrets are removed by the name of their member and by their form; cycles and deep values
 * are cut. Never throws, even if a getter or a proxy does.
 */
export function redact(value: unknown, secrets: readonly string[] = []): unknown {
  try {
    return copy(value, { secrets, within: new Set() });
  } catch {
    return "[unreadable]";
  }
}

interface Walk {
  readonly secrets: readonly string[];
  /** The objects around the one being copied. */
  readonly within: Set<object>;
}

function copy(value: unknown, walk: Walk): unknown {
  if (typeof value === "string") return redactText(value, walk.secrets);
  if (typeof value === "bigint" || typeof value === "symbol") return redactText(String(value), walk.secrets);
  if (typeof value === "function") return "[function]";
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof URL) return redactText(value.href, walk.secrets);
  if (value instanceof Date) return value.toJSON();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (walk.within.has(value)) return "[circular]";
  if (walk.within.size >= MAX_DEPTH) return "[…]";
  walk.within.add(value);
  const copied = copyObject(value, walk);
  walk.within.delete(value);
  return copied;
}

function copyObject(value: object, walk: Walk): unknown {
  if (Array.isArray(value)) return copyList(value, walk);
  if (value instanceof Set) return copyList([...value], walk);
  if (value instanceof Error)
    return copyMembers(
      [
        ["name", value.name],
        ["message", value.message],
      ],
      walk,
    );
  const entries = isPairs(value)
    ? [...value].map(([name, member]) => [String(name), member] as const)
    : undefined;
  return copyMembers(entries ?? Object.entries(value), walk);
}

/** `Map` and `Headers` do not have their entries as properties. */
function isPairs(value: object): value is Iterable<readonly [unknown, unknown]> {
  return value instanceof Map || (typeof Headers === "function" && value instanceof Headers);
}

function copyMembers(entries: readonly (readonly [string, unknown])[], walk: Walk): unknown {
  const kept = entries.slice(0, MAX_MEMBERS).map(([name, member]) => [name, copyMember(name, member, walk)]);
  return Object.fromEntries(
    entries.length > MAX_MEMBERS ? [...kept, ["…", entries.length - MAX_MEMBERS]] : kept,
  );
}

function copyMember(name: string, member: unknown, walk: Walk): unknown {
  if (member === null || member === undefined) return member;
  if (SECRET_CONTAINER.test(name)) return namesOnly(member);
  return SECRET.test(name) && !HARMLESS.test(name) ? REDACTED : copy(member, walk);
}

function namesOnly(container: unknown): unknown {
  if (typeof container !== "object" || container === null || Array.isArray(container)) return REDACTED;
  const names = isPairs(container) ? [...container].map(([name]) => String(name)) : Object.keys(container);
  return Object.fromEntries(names.slice(0, MAX_MEMBERS).map((name) => [name, REDACTED]));
}

/** A list may be a command line, where an option is followed by its secret. */
function copyList(list: readonly unknown[], walk: Walk): unknown[] {
  const kept = list.slice(0, MAX_MEMBERS).map((item, index) => {
    if (typeof item !== "string") return copy(item, walk);
    const before = list[index - 1];
    const [, option, isJoined] = SECRET_OPTION.exec(item) ?? [];
    if (option !== undefined) return isJoined ? `${option}=${REDACTED}` : item;
    const isNamed = typeof before === "string" && SECRET_OPTION.exec(before)?.[2] === "";
    return isNamed ? REDACTED : copy(item, walk);
  });
  return list.length > MAX_MEMBERS ? [...kept, `… ${list.length - MAX_MEMBERS} more`] : kept;
}
