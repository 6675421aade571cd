/**
 * The longest tool name, the same in every command, so that `list`, `call` and `serve` use one name per tool. Clients put a
 * prefix of their own before the names of a gateway, and the whole must fit their limit of 64 characters.
 */
export const MAX_NAME_CHARS = 48;
