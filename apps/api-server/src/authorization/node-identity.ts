import { nodeUserPrefix } from "@kintsugi/api";
import type { UserInfo } from "./authorization.ts";

const nodesGroup = "system:nodes";

/**
 * The name of the node that the user identifies; "" for a node without a name; undefined for any
 * other user.
 */
export function nodeNameOf(user: UserInfo): string | undefined {
  const isNode = user.name.startsWith(nodeUserPrefix) && user.groups.includes(nodesGroup);
  return isNode ? user.name.slice(nodeUserPrefix.length) : undefined;
}
