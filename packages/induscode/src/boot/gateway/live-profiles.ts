import { Listeners } from "indusagi/core";
import type { ServeProfile } from "../../launch/internal.ts";
import { builtinProfiles, type Profile } from "./profiles.ts";

/** The profiles of a gateway, which change with its configuration. */
export class LiveProfiles {
  readonly #builtin: readonly Profile[];
  readonly #changes = new Listeners();
  #configured: readonly Profile[];

  /** `offered`: which of our own tools the gateway offers at all. */
  constructor(offered: ServeProfile, configured: readonly Profile[]) {
    this.#builtin = builtinProfiles(offered);
    this.#configured = configured;
  }

  all(): readonly Profile[] {
    return [...this.#builtin, ...this.#configured];
  }

  find(name: string): Profile | undefined {
    return this.all().find((profile) => profile.name === name);
  }

  replace(configured: readonly Profile[]): void {
    this.#configured = configured;
    this.#changes.emit();
  }

  /** Calls the listener when a profile may have changed, as long as the gateway serves. */
  onChange(listener: () => void): void {
    this.#changes.add(listener);
  }
}
