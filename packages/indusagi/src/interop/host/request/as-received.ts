/** A schema for the SDK that accepts everything and copies nothing. */
export const AS_RECEIVED = {
  "~standard": {
    version: 1,
    vendor: "indusagi",
    validate: (value: unknown): { readonly value: unknown } => ({ value }),
  },
} as const;
