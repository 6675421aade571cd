// What a script with the library `ai` needs until its first request has left. The same prompt, without tools.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { streamText } from "ai";

const provider = createOpenAICompatible({
  name: "bench",
  baseURL: process.env.OPENAI_BASE_URL,
  apiKey: process.env.OPENAI_API_KEY,
});
const { textStream } = streamText({ model: provider("some-model"), prompt: "Hello" });
for await (const text of textStream) process.stdout.write(text);
