export const schemas = {
  "normalize-schema:types":
    "each node is read by its declared type; no type, several or an unknown one is a closed, empty object",
  "normalize-schema:keywords":
    "plumbing, annotations, samples and content metadata are stripped at every level, all else stays in order",
  "normalize-schema:objects":
    "properties are a record, required names exist, additionalProperties is a schema or a boolean",
  "normalize-schema:arrays": "tuple items collapse to their first element",
  "normalize-schema:laws": "the normaliser is total, idempotent and changes nothing it is given",
  "normalize-schema:depth":
    "a schema a million levels deep, or one that contains itself, is normalised without overflow",
  "normalize-schema:own-names":
    "properties called __proto__ or constructor are own keys and touch no prototype",
  "dialects:laws":
    "projecting is total, pure and idempotent: the second time returns the very object of the first, without losses",
  "dialects:identity": "a schema that is legal in a dialect comes back as the very object it was",
  "dialects:root": "the root is an object schema with properties, whatever was given",
  "dialects:references":
    "local references of every spelling are inlined with the words beside them; no reference is left",
  "dialects:recursion": "a reference to what is being described is cut with a word and a loss",
  "dialects:no-network": "a reference that leads elsewhere is opened with a loss and never fetched",
  "dialects:accepts":
    "what the given schema accepts the portable one accepts, and without losses nothing more",
  "dialects:keeps":
    "unions, nullables, boolean schemas and constraints stay as they are in the portable form",
  "dialects:old-drafts":
    "old keywords become today's, and values a keyword may not hold are left out as a loss",
  "dialects:anthropic":
    "for Anthropic a union at the root is folded and property names outside its grammar are told in words",
  "dialects:openai": "for OpenAI the root is a plain object and every array has items",
  "dialects:gemini":
    "for Gemini every node has one type and only keywords it takes; the others are told in words",
  "dialects:patterns":
    "a regular expression a provider refuses becomes words or goes with a loss; what was accepted stays so",
  "dialects:real-world": "schemas as typed code generates them keep their parameters",
  "dialects:budget":
    "a schema over 64 levels, 10,000 nodes or 256 KiB has a problem in words and is cut to fit",
  "dialects:hostile": "hostile schemas are projected within the time budget",
  "dialects:names": "a tool name is kept where legal, else cleaned with eight hex digits of its hash",
} as const;
