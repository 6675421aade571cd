export { AddressPolicy, UnsafeUrlError } from "./address-policy.ts";
export { guardedFetch } from "./guarded-fetch.ts";
export { type NetworkFetchOptions, networkFetch } from "./network-fetch.ts";
