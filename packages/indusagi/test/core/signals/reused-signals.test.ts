import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { joinSignals, onAbort } from "indusagi/core";
import { expect } from "vitest";
import {
  giveBackController,
  releaseSignal,
  takeController,
} from "../../../src/core/signals/reused-signals.ts";

const EACH_USE = fc.record({
  isReleased: fc.boolean(),
  isJoined: fc.boolean(),
  isAborted: fc.boolean(),
  keepsListener: fc.boolean(),
});

verifies(
  "core:reused-signals",
  "a signal serves another call only if it was released, has not aborted, was not joined and has no listener",
  () => {
    fc.assert(
      fc.property(fc.array(EACH_USE, { minLength: 1, maxLength: 20 }), (uses) => {
        for (const { isReleased, isJoined, isAborted, keepsListener } of uses) {
          const controller = takeController();
          expect(controller.signal.aborted).toBe(false);
          const stop = onAbort(controller.signal, () => {});
          if (isJoined) joinSignals(controller.signal, new AbortController().signal);
          if (isAborted) controller.abort();
          if (isReleased) releaseSignal(controller.signal);
          if (!keepsListener) stop();
          giveBackController(controller);
          const next = takeController();
          const isReusable = isReleased && !isJoined && !isAborted && !keepsListener;
          expect(next === controller).toBe(isReusable);
          // Released only by the call before.
          giveBackController(next);
          expect(takeController()).not.toBe(next);
          stop();
        }
      }),
      { seed: 20261118 },
    );
  },
);
