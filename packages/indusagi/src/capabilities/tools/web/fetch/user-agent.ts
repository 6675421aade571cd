/** What every request of ours says it is. */
export const USER_AGENT = "indusagi/0.1.0";
