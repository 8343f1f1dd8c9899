import type { UserInfo } from "./authorization.ts";

/** The user in the fields that API objects have for one. */
export function userFieldsOf({ name, uid, groups, extra }: UserInfo) {
  const lists = Object.entries(extra ?? {}).map(([key, values]): [string, string[]] => [key, [...values]]);
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups: [...groups],
    ...(extra === undefined ? {} : { extra: Object.fromEntries(lists) }),
  };
}
