import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { readDocument } from "./kit/documents.ts";
import { sdkSeams } from "./requirements/sdk-seams.ts";

verifies("sdk-seams:page", "the page has one section for each seam", () => {
  const page = readDocument("docs/sdk-seams.md");
  const sections = [...page.matchAll(/^Test: `(sdk-seams:[a-z-]+)`$/gm)].map((match) => match[1]);
  const seams = Object.keys(sdkSeams).filter((id) => id !== "sdk-seams:page");
  expect(sections.toSorted()).toEqual(seams.toSorted());
});
