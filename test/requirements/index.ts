import { core } from "./core.ts";
import { files } from "./files.ts";
import { house } from "./house.ts";
import { interop } from "./interop.ts";
import { kernel } from "./kernel.ts";
import { schemas } from "./schemas.ts";
import { search } from "./search.ts";
import { shell } from "./shell.ts";
import { web } from "./web.ts";

/** Every behaviour we promise, as data: id → the sentence a test proves. */
export const requirements = {
  ...core,
  ...files,
  ...house,
  ...interop,
  ...kernel,
  ...schemas,
  ...search,
  ...shell,
  ...web,
} as const;

export type RequirementId = keyof typeof requirements;
