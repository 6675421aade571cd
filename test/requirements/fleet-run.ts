/** `npm run fleet`: public servers with the official client and with us. */
export const fleetRun = {
  "fleet-run:list": "the list has at least 40 public servers at exact versions, with what they need to start",
  "fleet-run:verdict":
    "what we pass on is equal, or differs between two runs of the official client too, or is different with the place of the first difference",
  "fleet-run:page":
    "docs/fleet.md shows what is mounted, equal and different and why, with figures, their targets and misses",
  "fleet-run:ways":
    "each server is used directly, mounted and through `indus serve`, and no process of it is left",
} as const;
