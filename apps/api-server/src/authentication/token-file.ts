import { createHash } from "node:crypto";
import type { UserInfo } from "../authorization/authorization.ts";
import { authenticatedGroup } from "./authenticate.ts";
import type { FindBearer } from "./bootstrap-tokens.ts";

// Upstream's static token file. The groups are one quoted field and may be omitted:
//
//   31ada4fd-adec-460c-809a-9e56ceb75269,alice,u-1,"developers,admins"

/**
 * Parses a token file. @param source its name, for messages, which never show a token.
 * @throws Error with the number of the invalid line.
 */
export function parseTokenFile(text: string, source: string): FindBearer {
  const users = new Map<string, UserInfo>();
  text.split(/\r?\n/).forEach((line, index) => {
    if (line.trim() === "" || line.startsWith("#")) return;
    const at = `${source}:${index + 1}`;
    const fields = readFields(line);
    if (fields === undefined) throw new Error(`${at}: a quote is not closed, or is inside a field`);
    const [token = "", name = "", uid = "", groups = ""] = fields;
    if (fields.length < 3)
      throw new Error(`${at}: token file must have at least 3 columns (token, user name, user uid)`);
    if (token === "") throw new Error(`${at}: empty token has been found in token file`);
    if (name === "") throw new Error(`${at}: the user name is empty`);
    const key = digestOf(token);
    if (users.has(key)) throw new Error(`${at}: duplicate token has been found in token file`);
    const own = groups.split(",").map((group) => group.trim());
    users.set(key, {
      name,
      ...(uid === "" ? {} : { uid }),
      groups: [...new Set([...own.filter((group) => group !== ""), authenticatedGroup])],
    });
  });
  return (token) => users.get(digestOf(token));
}

/**
 * A token is looked up by its digest, so the time of the look-up does not reveal how many of its
 * characters match a known token.
 */
function digestOf(token: string): string {
  return createHash("sha256").update(token).digest("base64");
}

/** The fields of a CSV line; undefined where its quotes are invalid. */
function readFields(line: string): string[] | undefined {
  const fields: string[] = [];
  const pattern = /\s*(?:"((?:[^"]|"")*)"|([^",]*))\s*(,|$)/y;
  for (;;) {
    const match = pattern.exec(line);
    if (match === null) return undefined;
    fields.push(match[1]?.replaceAll('""', '"') ?? (match[2] ?? "").trim());
    if (match[3] === "") return fields;
  }
}
