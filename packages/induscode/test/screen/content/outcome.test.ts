import { verifies } from "@indus/testkit";
import type { ToolContentBlock } from "indusagi/llm";
import { answeredOutcome, type ToolResult } from "indusagi/runtime";
import { expect } from "vitest";
import {
  type ContentView,
  printOutcome,
  showMessages,
  showResourceContents,
} from "../../../src/screen/index.ts";

function view(isScreen: boolean): ContentView & { readonly saved: string[] } {
  const saved: string[] = [];
  return {
    isScreen,
    look: {},
    saved,
    save: (bytes, mimeType) => `file-${saved.push(`${mimeType} ${Buffer.from(bytes).toString()}`)}`,
  };
}

function showAnswer(result: ToolResult, { isScreen, look, save }: ContentView): string {
  let shown = "";
  const target = {
    out: (text: string) => void (shown += text),
    err: () => expect.unreachable(),
    outIsScreen: isScreen,
    outLook: look,
  };
  printOutcome(target, answeredOutcome("1", result), { json: false, save });
  return shown;
}

const mcp = (value: object): ToolContentBlock => ({ kind: "json", value, mcp: true });
const data = Buffer.from("pixels").toString("base64");

verifies("mcp-content:blocks", "each kind of block has its form", () => {
  const target = view(true);
  const content = [
    { kind: "text", text: "plain\u001b[2J" } as const,
    mcp({ type: "text", text: "# Notes\n\n**bold**", annotations: { priority: 1 } }),
    mcp({ type: "image", data, mimeType: "image/png" }),
    mcp({ type: "audio", data, mimeType: "audio/\u202ewav" }),
    mcp({ type: "resource", resource: { uri: "test://a", text: "inside" } }),
    mcp({ type: "resource", resource: { uri: "test://b", blob: data } }),
    mcp({ type: "resource_link", uri: "test://c", name: "c", description: "a\nlink" }),
    mcp({ type: "hologram", depth: 3 }),
    { kind: "json", value: null } as const,
  ];
  expect(showAnswer({ content }, target)).toBe(`plain\\x1b[2J
Notes

bold
image/png, 6 bytes: file-1
audio/\\u{202e}wav, 6 bytes: file-2
inside
binary data, 6 bytes: file-3
c: test://c (a link)
{
  "type": "hologram",
  "depth": 3
}
null
`);
  expect(target.saved).toEqual(["image/png pixels", "audio/\u202ewav pixels", "undefined pixels"]);
});

verifies("mcp-content:blocks", "a pipe gets the text of a server unchanged", () => {
  const text = "# Notes\n\n**bold** \u001b[1m";
  expect(showAnswer({ content: [{ kind: "text", text }] }, view(false))).toBe(`${text}\n`);
  expect(showAnswer({ content: [] }, view(true))).toBe("");
});

verifies("mcp-content:structured", "structured content is shown only if there is no text", () => {
  const structured = { city: "Oslo", degrees: [1, 2] };
  for (const text of ['{ "degrees": [1, 2], "city": "Oslo" }', "It is cold in Oslo."])
    expect(showAnswer({ content: [{ kind: "text", text }], structured }, view(false))).toBe(`${text}\n`);
  expect(JSON.parse(showAnswer({ content: [], structured: [5] }, view(false)))).toEqual([5]);
  const empty = { content: [{ kind: "text", text: " " } as const], structured };
  expect(JSON.parse(showAnswer(empty, view(false)))).toEqual(structured);
});

verifies("mcp-content:blocks", "resources and prompts use the same forms", () => {
  const target = view(true);
  const markdown = { uri: "test://a", mimeType: "text/markdown", text: "* item" };
  expect(showResourceContents(markdown, target)).toBe("• item");
  expect(showResourceContents({ uri: "test://a" }, target)).toContain('"uri"');
  const messages = [
    { role: "user", content: { type: "text", text: "hello" } },
    {
      role: "assistant",
      content: [
        { type: "text", text: "one" },
        { type: "text", text: "two" },
      ],
    },
    "nonsense",
  ];
  expect(showMessages(messages, target)).toBe("user:\nhello\n\nassistant:\none\ntwo\n\nmessage:\nnull");
});
