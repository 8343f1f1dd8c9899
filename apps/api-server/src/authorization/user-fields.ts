import type { UserInfo } from "./authorization.ts";

/** The user in the form that API objects have for a user. */
export function userFieldsOf({ name, uid, groups, extra }: UserInfo) {
  const lists = Object.entries(extra ?? {}).map(([key, values]): [string, string[]] => [key, [...values]]);
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups: [...groups],
    ...(extra === undefined ? {} : { extra: Object.fromEntries(lists) }),
  };
}
