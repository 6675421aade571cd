// An addon for sessions: put it into ~/.config/indusvx/addons. See docs/guide/addons.md.
// #region tools
export const tools = [
  {
    name: "dice",
    description: "Rolls a die.",
    parameters: { type: "object", properties: { sides: { type: "integer" } }, required: ["sides"] },
    readOnly: true,
    run: ({ sides }) => `rolled ${1 + Math.floor(Math.random() * sides)} of ${sides}`,
  },
];
// #endregion

// #region around
export async function around(call, next, signal) {
  signal.throwIfAborted();
  const begunMs = performance.now();
  const result = await next();
  if (call.origin === undefined) return result;
  const text = `${call.origin.server} took ${Math.round(performance.now() - begunMs)} ms`;
  return { ...result, content: [...result.content, { kind: "text", text }] };
}
// #endregion
