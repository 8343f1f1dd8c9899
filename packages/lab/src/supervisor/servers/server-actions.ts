import { healthyServer, type ServerState } from "../../cluster/component.ts";

/** The user's actions on a server of the control plane. */
export const serverActions = [
  "kill",
  "return",
  "partition",
  "partition-etcd",
  "partition-nats",
  "partition-servers",
  "heal",
] as const;
export type ServerAction = (typeof serverActions)[number];

/** The state that comes of it, and whether every process of the server ends on the way there. */
export type ServerActionPlan = { to: ServerState; losesPower?: true } | { refused: string };

/**
 * The state a server is in after an action, or why the action makes no sense now. Repeating an
 * action is harmless.
 */
export function planServerAction(server: string, state: ServerState, action: ServerAction): ServerActionPlan {
  if (action === "kill") return { to: { power: "off", link: "down" }, losesPower: true };
  if (action === "return") return { to: healthyServer };
  if (state.power === "off") {
    return { refused: `${server} is off: bring it back first with \`kintsugi server return ${server}\`` };
  }
  switch (action) {
    case "partition":
      return { to: { ...state, link: "down" } };
    case "partition-etcd":
      return { to: { ...state, cut: "etcd" } };
    case "partition-nats":
      return { to: { ...state, cut: "nats" } };
    case "partition-servers":
      return { to: { ...state, cut: "servers" } };
    case "heal":
      return { to: healthyServer };
  }
}
