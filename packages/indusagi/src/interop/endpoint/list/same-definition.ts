import { canonicalJson } from "../../../core/index.ts";
import { sameJson } from "../../../core/internal.ts";

/**
 * Whether two tool definitions have the same content; the order of object members does not matter. A definition that is
 * nested too deeply to compare counts as different: it must not make a listing fail.
 */
export function isSameDefinition(a: unknown, b: unknown): boolean {
  try {
    // A member without a value counts as absent, as in JSON text. To compare texts takes ten times as long, and few tools change.
    return sameJson(a, b) || canonicalJson(a) === canonicalJson(b);
  } catch {
    return false;
  }
}
