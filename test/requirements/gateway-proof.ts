/** The proofs of `indus serve`: nothing is lost on the way, and servers and clients do not disturb each other. */
export const gatewayProof = {
  "gateway-proof:killed": "when `indus serve` is killed, none of its servers is left",
  "gateway-proof:isolation":
    "servers that are dead, mute, flooding or dying delay neither the start nor the calls of the others",
  "gateway-proof:cross-talk":
    "clients with equal ids, whatever they cancel and whenever they leave, receive no byte of another client",
  "transparency:compare":
    "what arrives through a gateway is compared member by member with what arrives without it, in every pair of eras",
  "transparency:doors":
    "through `indus serve` a client receives what a client of the server's own era receives from the server alone",
  "transparency:extensions":
    "what the harness sees of tasks, apps and skills of a server alone is the same for clients of both eras, and a lost part of it is a difference",
  "transparency:page":
    "docs/transparency.md shows the share of identical answers, each justified difference with its reason, and all others",
} as const;
