export { AddressPolicy, UnsafeUrlError } from "./address-policy.ts";
export { guardedFetch, type NetworkFetchOptions, networkFetch } from "./network-fetch.ts";
