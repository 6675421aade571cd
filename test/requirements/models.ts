/** Models of several vendors behind one port. */
export const models = {
  "models:scenario": "every wire format passes the same scenario with parallel calls and two turns",
  "models:failures": "a failure of a provider is one line with the remedy, and never shows a key",
  "models:abort": "an abort ends a running request",
  "models:limits": "requests stay within the limits of the vendor; losses are reported",
  "models:fallback": "a passing failure is tried again, and an overloaded model is replaced",
  "models:thinking":
    "how much a model reasons is asked for in the words of its vendor and within its published limits",
  "models:proxy": "requests to models use the proxies and certificates of the environment",
  "models:accounts": "keys come from a private account file or the environment",
  "models:list": "the models of every provider are listed; one that fails does not disturb the others",
} as const;
