import { Listeners } from "indusagi/core";
import type { ServeProfile } from "../../launch/internal.ts";
import { type GatewayProfile, standardProfiles } from "./profiles.ts";

/** A gateway's profiles, which change with its configuration. */
export class LiveProfiles {
  readonly #builtin: readonly GatewayProfile[];
  readonly #changes = new Listeners();
  #configured: readonly GatewayProfile[];

  /** `offered`: which native tools the gateway offers. */
  constructor(offered: ServeProfile, configured: readonly GatewayProfile[]) {
    this.#builtin = standardProfiles(offered);
    this.#configured = configured;
  }

  all(): readonly GatewayProfile[] {
    return [...this.#builtin, ...this.#configured];
  }

  find(name: string): GatewayProfile | undefined {
    return this.all().find((profile) => profile.name === name);
  }

  replace(configured: readonly GatewayProfile[]): void {
    this.#configured = configured;
    this.#changes.emit();
  }

  /** Calls the listener when a profile may have changed, for as long as the gateway serves. */
  onChange(listener: () => void): void {
    this.#changes.add(listener);
  }
}
