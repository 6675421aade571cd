// What the feature servers offer: something of every part of the protocol, with answers that are the same in each run.
// It imports nothing and knows no transport, so that two servers can offer exactly the same.

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
const UNICODE = "Grüße 東京 🎏 e\u0301 \u202Eabc\u202C \u0000\u001B[31m \uD83D\uDE00 \u2028 </script>";
const ICONS = [{ src: "https://example.test/icon.png", mimeType: "image/png", sizes: ["48x48"] }];
const OBJECT = { type: "object" };

export const INFO = {
  name: "features",
  title: "Every feature",
  version: "1.2.3",
  websiteUrl: "https://example.test/",
  icons: ICONS,
};
export const INSTRUCTIONS = `Use \`echo\` first. Then read feature://text. ${"This server has some more to say. ".repeat(20)}`;
export const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
};

const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

const FORM = {
  mode: "form",
  message: "What is your name? 東京",
  requestedSchema: {
    type: "object",
    properties: {
      name: { type: "string", title: "Name", minLength: 1 },
      color: { type: "string", enum: ["red", "green"], default: "green" },
      old: { type: "boolean", default: false },
    },
    required: ["name"],
  },
};

/** The questions. Each is the content of a tool of the same name. */
export const QUESTIONS = {
  ask: { method: "elicitation/create", params: FORM },
  visit: {
    method: "elicitation/create",
    params: {
      mode: "url",
      message: "Please log in.",
      url: "https://example.test/login?next=%2F",
      elicitationId: "visit-1",
    },
  },
  sample: {
    method: "sampling/createMessage",
    params: {
      messages: [{ role: "user", content: { type: "text", text: "Say hi" } }],
      systemPrompt: "Be short.",
      maxTokens: 10,
      temperature: 0.5,
      stopSequences: ["."],
      modelPreferences: { hints: [{ name: "small" }], costPriority: 1 },
    },
  },
  roots: { method: "roots/list", params: {} },
};

const text = (value) => ({
  content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }],
});

const BLOCKS = {
  content: [
    {
      type: "text",
      text: UNICODE,
      annotations: { audience: ["user"], priority: 0.5, lastModified: "2025-01-12T15:00:58Z" },
      _meta: { "example.test/block": 1 },
    },
    { type: "image", data: PNG, mimeType: "image/png", annotations: { audience: ["assistant"] } },
    { type: "audio", data: WAV, mimeType: "audio/wav" },
    {
      type: "resource",
      resource: { uri: "feature://text", mimeType: "text/plain", text: "embedded", _meta: { a: [1] } },
      annotations: { priority: 1 },
    },
    { type: "resource", resource: { uri: "feature://blob", mimeType: "image/png", blob: PNG } },
    {
      type: "resource_link",
      uri: "feature://linked/only",
      name: "linked",
      title: "A link",
      description: "It is in no list.",
      mimeType: "text/plain",
      size: 12,
      icons: ICONS,
      annotations: { audience: ["user", "assistant"] },
      _meta: { "example.test/link": true },
    },
  ],
  _meta: { "example.test/result": { deep: ["x", null, 1.5] } },
};

/** `run(args, call)` returns the result. `call` has `meta`, `signal`, `progress`, `log`, `ask` and `offer`. */
const TOOLS = {
  echo: {
    definition: {
      title: "Echo",
      description: `Returns its text. ${UNICODE}`,
      inputSchema: { ...OBJECT, properties: { text: { type: "string" } }, required: ["text"] },
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false, title: "The echo" },
      icons: ICONS,
      _meta: { "example.test/tool": { rank: 1 } },
    },
    run: ({ text: given }) => text(String(given)),
  },
  strict: {
    definition: {
      description: "Has a schema with definitions and a union.",
      inputSchema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        $defs: { point: { type: "object", properties: { x: { type: "number" }, y: { type: "number" } } } },
        properties: {
          at: { $ref: "#/$defs/point" },
          size: { anyOf: [{ type: "integer" }, { type: "null" }] },
          kind: { enum: ["a", 1, null] },
          nested: { type: "array", items: { type: "array", items: { type: ["string", "number"] } } },
        },
        additionalProperties: false,
      },
    },
    run: (args) => text(args),
  },
  content: { run: () => BLOCKS },
  structured: {
    definition: {
      outputSchema: {
        type: "object",
        properties: { sum: { type: "number" }, words: { type: "array", items: { type: "string" } } },
        required: ["sum"],
      },
    },
    run: ({ a = 1, b = 2 }) => ({
      ...text({ sum: a + b }),
      structuredContent: {
        sum: a + b,
        words: [UNICODE],
        more: { big: 9007199254740991, tiny: 1e-7, none: null },
      },
    }),
  },
  empty: { run: () => ({ content: [] }) },
  fail: { run: () => ({ ...text("it went wrong"), isError: true, _meta: { why: "on purpose" } }) },
  refuse: {
    run: () => {
      throw { code: -32050, message: "refused: 東京", data: { retry: false, list: [1, 2] } };
    },
  },
  large: { run: ({ kb = 1 }) => text("0123456789abcdef".repeat(kb * 64)) },
  many: {
    run: ({ count = 1 }) => ({
      content: Array.from({ length: count }, (_, at) => ({ type: "text", text: `block ${at}` })),
    }),
  },
  meta: {
    run: (_args, { meta = {} }) =>
      text(Object.fromEntries(Object.entries(meta).filter(([key]) => key.startsWith("example.test/")))),
  },
  progress: {
    run: async ({ steps = 3 }, { progress }) => {
      for (let step = 1; step <= steps; step++) {
        await progress({ progress: step, total: steps, message: `step ${step} 東京` });
        await new Promise((resolve) => setTimeout(resolve, 15));
      }
      return text("all steps");
    },
  },
  hang: {
    run: (_args, { signal, offer, progress }) =>
      new Promise((resolve) => {
        // The client cancels when it has seen this.
        void progress({ progress: 1, message: "hanging" });
        const end = () => {
          offer.cancelled += 1;
          resolve(text("cancelled"));
        };
        if (signal.aborted) end();
        else signal.addEventListener("abort", end, { once: true });
      }),
  },
  cancelled: { run: (_args, { offer }) => text({ cancelled: offer.cancelled }) },
  log: {
    run: async (_args, { log }) => {
      for (const level of LEVELS)
        await log({ level, logger: "features", data: { said: level, with: UNICODE } });
      return text("logged");
    },
  },
  toggle: {
    run: async ({ kind }, { offer }) => {
      offer.extra[kind] = !offer.extra[kind];
      await offer.changed(kind);
      return text({ kind, isThere: offer.extra[kind] });
    },
  },
  touch: {
    run: async ({ uri }, { offer }) => {
      await offer.updated(uri);
      return text({ touched: uri });
    },
  },
  ...Object.fromEntries(
    Object.entries(QUESTIONS).map(([name, question]) => [
      name,
      { run: async (_args, { ask }) => text({ answered: await ask(name, question) }) },
    ]),
  ),
  // Says its secret in every way a server has. A client that hears a secret of another one shows that they were mixed up.
  whisper: {
    run: async ({ secret = "", waitMs = 0, asks = false }, { progress, log, ask }) => {
      await progress({ progress: 1, message: secret });
      await log({ level: "info", data: secret });
      const params = { ...FORM, message: secret };
      const answered = asks ? await ask("answer", { method: "elicitation/create", params }) : null;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      await progress({ progress: 2, message: secret });
      return text({ secret, answered });
    },
  },
  twice: {
    run: async (_args, { ask }) => {
      const roots = await ask("first", QUESTIONS.roots);
      return text([roots, await ask("second", QUESTIONS.ask)]);
    },
  },
};

const RESOURCES = [
  {
    uri: "feature://text",
    name: "text",
    title: "A text",
    description: UNICODE,
    mimeType: "text/plain",
    size: 20,
    annotations: { audience: ["user"], priority: 0.1, lastModified: "2025-01-12T15:00:58Z" },
    icons: ICONS,
    _meta: { "example.test/resource": "kept" },
  },
  { uri: "feature://blob", name: "blob", mimeType: "image/png" },
  { uri: "feature://ünï/東京?q=a%20b#part", name: "odd" },
];
const CONTENTS = {
  "feature://text": [
    { uri: "feature://text", mimeType: "text/plain", text: UNICODE, _meta: { "example.test/content": 1 } },
    { uri: "feature://text#2", text: "a second content" },
  ],
  "feature://blob": [{ uri: "feature://blob", mimeType: "image/png", blob: PNG }],
  "feature://ünï/東京?q=a%20b#part": [{ uri: "feature://ünï/東京?q=a%20b#part", text: "odd" }],
  "feature://linked/only": [{ uri: "feature://linked/only", text: "linked" }],
  "feature://extra": [{ uri: "feature://extra", text: "extra" }],
};
const TEMPLATES = [
  {
    uriTemplate: "feature://item/{id}",
    name: "item",
    title: "An item",
    description: "One per id.",
    mimeType: "text/plain",
    annotations: { priority: 0.3 },
    icons: ICONS,
    _meta: { "example.test/template": true },
  },
];
const PROMPTS = {
  greet: {
    title: "Greet",
    description: "Greets somebody.",
    arguments: [
      { name: "who", title: "Who", description: "Whom to greet", required: true },
      { name: "tone", required: false },
    ],
    icons: ICONS,
    _meta: { "example.test/prompt": 1 },
    get: ({ who, tone = "warm" }) => ({
      description: `A ${tone} greeting`,
      messages: [
        {
          role: "user",
          content: { type: "text", text: `Hello ${who} ${UNICODE}`, annotations: { priority: 1 } },
        },
        { role: "assistant", content: { type: "image", data: PNG, mimeType: "image/png" } },
        { role: "user", content: BLOCKS.content[3] },
      ],
      _meta: { "example.test/got": true },
    }),
  },
  plain: { get: () => ({ messages: [{ role: "user", content: { type: "text", text: "Plain." } }] }) },
};
const WORDS = ["paris", "park", "party", "tokyo"];

/** One offer. `changed(kind)` and `updated(uri)` are set by the server that has it. */
export function createOffer() {
  const offer = {
    cancelled: 0,
    extra: { tools: false, prompts: false, resources: false },
    changed: async () => {},
    updated: async () => {},

    lists: {
      "tools/list": () => ({
        tools: [
          ...Object.entries(TOOLS).map(([name, { definition }]) => ({
            name,
            inputSchema: { ...OBJECT, properties: {} },
            ...definition,
          })),
          ...(offer.extra.tools ? [{ name: "extra", inputSchema: OBJECT }] : []),
        ],
      }),
      "resources/list": () => ({
        resources: [
          ...RESOURCES,
          ...(offer.extra.resources ? [{ uri: "feature://extra", name: "extra" }] : []),
        ],
      }),
      "resources/templates/list": () => ({ resourceTemplates: TEMPLATES }),
      "prompts/list": () => ({
        prompts: [
          ...Object.entries(PROMPTS).map(([name, definition]) => ({ name, ...definition, get: undefined })),
          ...(offer.extra.prompts ? [{ name: "extra" }] : []),
        ],
      }),
    },

    call: async (name, args, call) => {
      const tool = TOOLS[name];
      if (!tool) throw { code: -32602, message: `Unknown tool: ${name}` };
      return tool.run(args ?? {}, { ...call, offer });
    },
    read: (uri) => {
      const item = /^feature:\/\/item\/([^/]+)$/.exec(uri)?.[1];
      const contents =
        item === undefined ? CONTENTS[uri] : [{ uri, mimeType: "text/plain", text: `item ${item}` }];
      if (!contents) throw { code: -32002, message: "Resource not found", data: { uri } };
      return { contents };
    },
    prompt: (name, args = {}) => {
      const prompt = PROMPTS[name];
      if (!prompt) throw { code: -32602, message: `Unknown prompt: ${name}` };
      for (const argument of prompt.arguments ?? [])
        if (argument.required && args[argument.name] === undefined)
          throw { code: -32602, message: `Missing argument: ${argument.name}` };
      return prompt.get(args);
    },
    complete: ({ ref, argument, context }) => {
      const known = ref.type === "ref/prompt" ? PROMPTS[ref.name] : ref.uri === TEMPLATES[0].uriTemplate;
      if (!known) throw { code: -32602, message: `Unknown reference: ${ref.name ?? ref.uri}` };
      const values = WORDS.filter((word) => word.startsWith(argument.value));
      const hints = Object.values(context?.arguments ?? {});
      return { completion: { values: [...values, ...hints], total: values.length, hasMore: false } };
    },
  };
  return offer;
}
