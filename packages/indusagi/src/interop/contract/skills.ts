/** One file of a skill. */
export interface SkillFile {
  readonly uri: string;
  /** `sha256:` and 64 hex digits, over the raw bytes. */
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
}

/** A skill as `skills/list` has it (SEP-2640). Other members are kept. */
export interface SkillEntry {
  /** Of its `SKILL.md`. */
  readonly uri: string;
  /** The YAML at the beginning of `SKILL.md`. */
  readonly frontmatter: {
    readonly name: string;
    readonly description: string;
    readonly [member: string]: unknown;
  };
  /** All files, `SKILL.md` included; `"dynamic"` if they are not known in advance. */
  readonly resources: readonly SkillFile[] | "dynamic";
  readonly [member: string]: unknown;
}

/** The most that a skill may have. Larger ones are neither published nor used. */
export const SKILL_LIMITS: { readonly files: number; readonly bytes: number } = {
  files: 512,
  bytes: 16 * 1024 * 1024,
};

/** A request of the Skills extension. */
export type SkillRequest =
  | { readonly method: "skills/list"; readonly cursor?: string }
  | { readonly method: "skills/get"; readonly uri: string }
  | { readonly method: "resources/directory/read"; readonly uri: string; readonly cursor?: string };
