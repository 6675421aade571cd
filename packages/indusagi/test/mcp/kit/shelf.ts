import type { HostProviders } from "indusagi/interop";

/** Two resources on two pages, a template, a prompt that greets, and a completion; it can be changed by hand. */
export class Shelf implements HostProviders {
  readonly watching: string[] = [];
  #updated: (uri: string) => void = () => {};
  #resourcesChanged: () => void = () => {};
  #promptsChanged: () => void = () => {};

  readonly resources = {
    list: ({ cursor }: { readonly cursor?: string }) =>
      cursor === "2"
        ? { resources: [{ uri: "test://b", name: "b" }] }
        : { resources: [{ uri: "test://a", name: "a" }], nextCursor: "2" },
    templates: () => ({ resourceTemplates: [{ uriTemplate: "test://{id}", name: "any" }] }),
    read: (uri: string) => (uri === "test://a" ? { contents: [{ uri, text: "A" }] } : undefined),
    onUpdated: (listener: (uri: string) => void) => {
      this.#updated = listener;
      return () => {};
    },
    onListChanged: (listener: () => void) => {
      this.#resourcesChanged = listener;
      return () => {};
    },
  };

  readonly prompts = {
    list: () => ({ prompts: [{ name: "greet", arguments: [{ name: "how", required: true }] }] }),
    get: (name: string, args: { readonly [argument: string]: string }) =>
      name === "greet"
        ? {
            description: "A greeting.",
            messages: [{ role: "user", content: { type: "text", text: `${args["how"]}!` } }],
          }
        : undefined,
    onListChanged: (listener: () => void) => {
      this.#promptsChanged = listener;
      return () => {};
    },
  };

  complete({ argument }: { readonly argument: { readonly value: string } }) {
    return { completion: { values: [`${argument.value}lo`], hasMore: false, total: 1 } };
  }

  update(uri: string): void {
    this.#updated(uri);
  }

  changeLists(): void {
    this.#resourcesChanged();
    this.#promptsChanged();
  }
}
