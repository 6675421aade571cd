// Notes that are kept in memory. `review` is slow and reports progress.
import { speakMcp } from "./speak-mcp.mjs";

const notes = ["Indus joins native tools and MCP servers.", "A broken server does not affect the others."];
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const object = (properties, required = Object.keys(properties)) => ({ type: "object", properties, required });
const numbered = (list) => list.map((note, at) => `${at + 1}. ${note}`).join("\n") || "no notes";

speakMcp(
  { name: "notes", version: "1.0.0" },
  {
    add: {
      description: "Adds a note.",
      inputSchema: object({ text: { type: "string", minLength: 1 } }),
      run: ({ text }) => `added note ${notes.push(String(text))}`,
    },
    search: {
      description: "Shows the notes that contain a word, or all of them.",
      inputSchema: object({ word: { type: "string" } }, []),
      annotations: { readOnlyHint: true },
      run: ({ word = "" }) =>
        numbered(notes.filter((note) => note.toLowerCase().includes(word.toLowerCase()))),
    },
    review: {
      description: "Reads the notes slowly, counts their words and reports progress.",
      inputSchema: object({ pauseMs: { type: "integer", minimum: 0, maximum: 5000, default: 300 } }, []),
      annotations: { readOnlyHint: true },
      run: async ({ pauseMs = 300 }, progress) => {
        let words = 0;
        for (const [at, note] of notes.entries()) {
          await pause(pauseMs);
          words += note.split(/\s+/).length;
          progress(at + 1, notes.length, `read: ${note.slice(0, 40)}`);
        }
        return `${notes.length} notes, ${words} words`;
      },
    },
  },
);
