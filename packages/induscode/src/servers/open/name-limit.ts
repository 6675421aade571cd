/**
 * The longest tool name, the same in every command, so `list`, `call` and `serve` use one name per tool. Clients add a prefix
 * to the names of a gateway, and the result must fit their limit of 64 characters.
 */
export const MAX_NAME_CHARS = 48;
