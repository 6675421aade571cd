import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Environment } from "indusagi/core";
import type { GatewayReport } from "./hub/index.ts";
import { buildOf, dial, type GatewayPlace, gatewayPlaces, placeProblem } from "./link/index.ts";

/** A gateway that was looked for. */
export interface GatewayStatus {
  readonly place: GatewayPlace;
  /** Whether it is of this version of the program. */
  readonly isOurs: boolean;
  /** Absent: it left its files but does not answer. */
  readonly report?: GatewayReport | undefined;
  /** Why it does not answer. */
  readonly problem?: string | undefined;
}

/** Where this version's gateway of the user is or would be, the best place first. */
export function userPlaces(env: Environment): readonly GatewayPlace[] {
  return gatewayPlaces({ env, build: buildOf(commandFolder()) });
}

/** The folder of the built command. */
function commandFolder(): string {
  return fileURLToPath(new URL("../../dist/command", import.meta.url));
}

/** The user's gateways, this version's first. Never rejects. */
export async function findGateways(env: Environment): Promise<readonly GatewayStatus[]> {
  const own = userPlaces(env);
  const all = own.flatMap((place) => [place, ...siblings(place)]);
  const found = await Promise.all(
    all.filter(({ key }) => existsSync(key)).map((place) => hereIs(place, own)),
  );
  return found;
}

/** What a gateway says about itself. */
export async function hereIs(
  place: GatewayPlace,
  own: readonly GatewayPlace[] = [place],
): Promise<GatewayStatus> {
  const isOurs = own.some(({ key }) => key === place.key);
  const dialled = await dial(place, { kind: "status" });
  if (!("socket" in dialled)) return { place, isOurs, problem: dialled.message };
  dialled.socket.destroy();
  return { place, isOurs, report: dialled.answer["report"] as GatewayReport };
}

/** The places of the same user's gateways of other versions. */
function siblings({ folder, user, name, socket }: GatewayPlace): readonly GatewayPlace[] {
  if (placeProblem(folder) !== undefined) return [];
  const others = readdirSync(folder).flatMap((file) => {
    const [, other] = /^([0-9a-f]+-[0-9a-f]+)\.key$/.exec(file) ?? [];
    return other !== undefined && other !== name && other.startsWith(`${user}-`) ? [other] : [];
  });
  return others.map((other) => ({
    ...{ folder, user, name: other },
    socket: socket.replace(name, other),
    key: join(folder, `${other}.key`),
  }));
}
