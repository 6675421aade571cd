import type { Gateway } from "./gateway.ts";

/** A gateway that someone else has started in front of one server. Its server keeps its state from cell to cell. */
export function givenGateway(url: string, prefix: string): Gateway {
  return {
    name: url,
    reaches: ["stdio", "http", "sse"],
    doors: [
      {
        name: new URL(url).pathname,
        isOwn: prefix === "",
        names: {
          spell: (own) => `${prefix}${own}`,
          own: (spelt) => (spelt.startsWith(prefix) ? spelt.slice(prefix.length) : undefined),
          isGateways: () => false,
        },
        open: async () => ({ target: { kind: "http", url }, [Symbol.asyncDispose]: async () => {} }),
      },
    ],
  };
}
