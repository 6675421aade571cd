import { core } from "./core.ts";
import { house } from "./house.ts";
import { kernel } from "./kernel.ts";

/** Every behaviour we promise, as data: id → the sentence a test proves. */
export const requirements = {
  ...core,
  ...house,
  ...kernel,
} as const;

export type RequirementId = keyof typeof requirements;
