import type { CapabilityCard } from "../contract/index.ts";
import { daemonCard } from "./bg-process/daemon-card.ts";
import { memoryCard } from "./memory-card.ts";
import { enterPlanModeCard, exitPlanModeCard } from "./plan-mode-cards.ts";
import { saasCard } from "./saas-card.ts";
import { taskCard } from "./task-card.ts";
import { todoCard } from "./todo-card.ts";

/** The seven cards that the framework lacks, in catalog order. */
export function appNovelCards(): CapabilityCard[] {
  return [
    todoCard(),
    daemonCard(),
    taskCard(),
    saasCard(),
    memoryCard(),
    enterPlanModeCard(),
    exitPlanModeCard(),
  ];
}
