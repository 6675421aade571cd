export { AddressPolicy, UnsafeUrlError } from "./address-policy.ts";
export { guardedFetch } from "./guarded-fetch.ts";
export { networkFetch } from "./network-fetch.ts";
