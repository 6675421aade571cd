import type { CommandTable } from "../../command-spec.ts";
import type { Flag } from "../../flag-spec.ts";
import { cardNamed } from "../../tool-names.ts";
import { CWD, JSON_OUTPUT } from "../common-flags.ts";
import { readToolsWords, TOOLS, type ToolsListing } from "../tools-words.ts";

export interface AddTokenRequest {
  readonly name: string;
  /** What the token allows. An absent member is no limit. */
  readonly grant: {
    readonly servers?: readonly string[];
    readonly tools?: readonly string[];
    readonly calls?: number;
    readonly listing?: ToolsListing;
  };
  readonly json: boolean;
}

export interface ListTokensRequest {
  readonly json: boolean;
}

export interface RevokeTokensRequest {
  /** Names or ids. */
  readonly names: readonly string[];
  readonly json: boolean;
}

export interface TokenRequests {
  readonly "token add": AddTokenRequest;
  readonly "token list": ListTokensRequest;
  readonly "token revoke": RevokeTokensRequest;
}

const SERVERS: Flag = {
  name: "--servers",
  aliases: [],
  kind: "list",
  value: "SERVERS",
  describe: "Allow only these servers, separated by commas: their tools, prompts and resources.",
};

const CALLS: Flag = {
  name: "--calls",
  aliases: [],
  kind: "number",
  value: "COUNT",
  describe: "Allow at most this many calls at the same time.",
  accepts: {
    describe: "a whole number from 1 to 10000",
    isValid: (text) => /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 10_000,
  },
};

const TOKEN_TOOLS: Flag = {
  ...TOOLS,
  describe:
    "Allow only these tools: names of our own, and patterns such as notes__* for tools of servers. One of the words all, search and auto says how tools are listed to this client.",
};

/** The tokens of the clients of `indus serve`. */
export const TOKEN_COMMANDS: CommandTable<TokenRequests> = {
  "token add": {
    operands: "NAME",
    summary:
      "Make a token for a client of indus serve --port in this folder, and print it. It is shown once: only its hash is kept. Running gateways accept it at once.",
    flags: [SERVERS, TOKEN_TOOLS, CALLS, JSON_OUTPUT, CWD],
    examples: [
      "indus token add alice",
      "indus token add ci --servers github,notes --tools search --calls 4",
      "indus token add reader --tools 'read,notes__list*'",
    ],
    read: (flags) => {
      const [name, surplus] = [...flags.operands, ...flags.afterEnd];
      if (name === undefined) return { problem: "token add needs a name: who the token is for" };
      if (surplus !== undefined)
        return { problem: `token add takes one name, not also ${JSON.stringify(surplus)}` };
      const words = readToolsWords(flags.list("--tools"));
      if ("problem" in words) return words;
      const [servers, calls] = [flags.list("--servers"), flags.number("--calls")];
      return {
        name,
        grant: {
          ...(servers.length > 0 ? { servers } : {}),
          ...(words.names.length > 0 ? { tools: words.names.map(cardNamed) } : {}),
          ...(calls === undefined ? {} : { calls }),
          ...(words.listing === undefined ? {} : { listing: words.listing }),
        },
        json: flags.has("--json"),
      };
    },
  },
  "token list": {
    summary: "Show the tokens of this folder and what each allows. The tokens themselves are not kept.",
    flags: [JSON_OUTPUT, CWD],
    examples: ["indus token list"],
    read: (flags) => ({ json: flags.has("--json") }),
  },
  "token revoke": {
    operands: "NAME …",
    summary: "Refuse tokens from now on. Running gateways end their streams and calls within a few seconds.",
    flags: [JSON_OUTPUT, CWD],
    examples: ["indus token revoke alice"],
    read: (flags) => {
      const names = [...flags.operands, ...flags.afterEnd];
      if (names.length === 0) return { problem: "token revoke needs the name or the id of a token" };
      return { names, json: flags.has("--json") };
    },
  },
};
