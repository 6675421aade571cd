import { verifies } from "@indus/testkit";
import { createSingleFlight } from "indusagi/core";
import { expect } from "vitest";

verifies("core:single-flight", "callers of one key share an attempt, callers of another do not", async () => {
  const flights = createSingleFlight<string>();
  let started = 0;
  const attempt = async (): Promise<number> => {
    started++;
    await new Promise((resolve) => setTimeout(resolve, 1));
    return started;
  };
  const [a, b, c] = [flights.run("x", attempt), flights.run("x", attempt), flights.run("y", attempt)];
  expect(flights.has("x")).toBe(true);
  expect(a).toBe(b);
  await Promise.all([a, b, c]);
  expect(started).toBe(2);
  expect(flights.has("x")).toBe(false);
  await flights.run("x", attempt);
  expect(started).toBe(3);
});

verifies(
  "core:single-flight",
  "a failed attempt rejects for all callers that share it and is forgotten",
  async () => {
    const flights = createSingleFlight<string>();
    const failing = (): Promise<never> => {
      throw new Error("thrown at once");
    };
    const outcomes = await Promise.allSettled([flights.run("x", failing), flights.run("x", failing)]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(["rejected", "rejected"]);
    await expect(flights.run("x", async () => "again")).resolves.toBe("again");
  },
);
