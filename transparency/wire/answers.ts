/** What the user, the model and the folder of every client of the harness answer. Always the same. */
const ANSWERS: { readonly [method: string]: (params: unknown) => object } = {
  "elicitation/create": (params) =>
    (params as { readonly mode?: unknown } | undefined)?.mode === "url"
      ? { action: "accept" }
      : { action: "accept", content: { name: "Ada Lovelace" } },
  "sampling/createMessage": () => ({
    role: "assistant",
    content: { type: "text", text: "A fixed answer 東京." },
    model: "fixed-model",
    stopReason: "endTurn",
  }),
  "roots/list": () => ({ roots: [{ uri: "file:///fixed/root", name: "the root" }] }),
  ping: () => ({}),
};

/** What every client of the harness can do. */
export const CLIENT_CAPABILITIES = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: { listChanged: true },
};

export const CLIENT_INFO = { name: "indus-transparency", version: "1.0.0" };

/** The fixed answer to a question of a server. Undefined if no client of the harness knows the method. */
export function answerTo(method: string, params: unknown): object | undefined {
  return ANSWERS[method]?.(params);
}
