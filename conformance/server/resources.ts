import type { RawResult, ResourceProvider } from "indusagi/interop";
import { PNG } from "./samples.ts";

const RESOURCES = [
  {
    uri: "test://static-text",
    name: "static-text",
    description: "A text that never changes",
    mimeType: "text/plain",
    text: "This is the content of the static text resource.",
  },
  {
    uri: "test://static-binary",
    name: "static-binary",
    description: "An image that never changes",
    mimeType: "image/png",
    blob: PNG,
  },
  {
    uri: "test://watched-resource",
    name: "watched-resource",
    description: "A text to be watched",
    mimeType: "text/plain",
    text: "Watched resource content",
  },
] as const;

/** The resources of the conformance surface. */
export const fixtureResources: ResourceProvider = {
  list: () => ({
    resources: RESOURCES.map(({ uri, name, description, mimeType }) => ({
      uri,
      name,
      description,
      mimeType,
    })),
  }),
  templates: () => ({
    resourceTemplates: [
      {
        uriTemplate: "test://template/{id}/data",
        name: "template",
        description: "Data of one id",
        mimeType: "application/json",
      },
    ],
  }),
  read: (uri) => {
    const found = RESOURCES.find((resource) => resource.uri === uri);
    if (!found) return readTemplate(uri);
    const { name: _name, description: _description, ...content } = found;
    return { contents: [content] };
  },
  // Clients may watch; nothing here ever changes.
  watch: () => {},
  unwatch: () => {},
};

function readTemplate(uri: string): RawResult | undefined {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) return undefined;
  const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { contents: [{ uri, mimeType: "application/json", text }] };
}
