export interface ScriptedServerOptions {
  readonly era?: "legacy" | "modern" | "both";
  readonly mute?: boolean;
  readonly pages?: number;
  readonly manyTools?: number;
  readonly repeatCursor?: boolean;
  readonly malformed?: boolean;
}
export function createServer(
  send: (message: never) => void,
  options?: ScriptedServerOptions,
): (message: unknown) => void;
export const BLOCKS: { readonly content: readonly unknown[]; readonly [member: string]: unknown };
