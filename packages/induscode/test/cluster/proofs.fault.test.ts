import { atSize, natsServer, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { crossTalk } from "../../../../cluster/cross-talk.ts";
import { whyNoMachines } from "../../../../cluster/machines.ts";
import { killNats, restartAll } from "../../../../cluster/nats.ts";
import { cutApart } from "../../../../cluster/partitions.ts";
import { missesOf, type Proof } from "../../../../cluster/proof.ts";
import { killWorkers } from "../../../../cluster/workers.ts";

// The same proofs as `npm run cluster`, which runs them at full size.

const options = { when: natsServer !== undefined, timeoutMs: 600_000 } as const;
const print = (): void => {};
const NODES = atSize({ quick: 1, full: 3 });
const isFull = atSize({ quick: false, full: true });

function holds(proof: Proof): void {
  expect(missesOf(proof), proof.texts?.join("\n")).toEqual([]);
}

verifies(
  "cluster:proofs",
  "workers are killed while clients call",
  async () =>
    holds(
      await killWorkers({
        ...atSize({ quick: { kills: 1, count: 2 }, full: { kills: 20 } }),
        isPaced: false,
        nats: NODES,
        print,
      }),
    ),
  options,
);

// In `npm test` the tests of this folder stand for these.
const full = { ...options, when: options.when && isFull };

verifies(
  "cluster:proofs",
  "answers and questions of clients at several gateways are not confused",
  async () => holds(await crossTalk({ calls: 2_000, clientsPerEra: 2, nats: NODES, print })),
  full,
);

verifies(
  "cluster:proofs",
  "NATS servers are killed in every role while clients call",
  async () => holds(await killNats({ kills: 12, print })),
  full,
);

verifies(
  "cluster:proofs",
  "everything is restarted in turn while clients call",
  async () => holds(await restartAll({ rounds: 2, print })),
  full,
);

verifies(
  "cluster:still",
  "machines are cut apart and a worker is stopped while clients call",
  async () => holds(await cutApart({ rounds: 1, leaseS: 8, leases: 2, print })),
  { ...full, when: full.when && whyNoMachines() === undefined },
);
