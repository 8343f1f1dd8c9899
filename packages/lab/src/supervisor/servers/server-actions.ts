import type { MachineName } from "../node-actions.ts";
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
  "restart",
] as const;
export type ServerAction = (typeof serverActions)[number];

/**
 * The resulting state, and the course of the action: either every process ends at the same time, or
 * the stateless processes end in order and are restarted.
 */
export type ServerActionPlan = { to: ServerState; losesPower?: true; restarts?: true } | { refused: string };

/**
 * The state of a server after an action, or why the action is invalid now. Repeating an action is
 * harmless.
 */
export function planServerAction(
  { name: server, cluster }: MachineName,
  state: ServerState,
  action: ServerAction,
): ServerActionPlan {
  if (action === "kill") return { to: { power: "off", link: "down" }, losesPower: true };
  if (action === "return") return { to: healthyServer };
  if (state.power === "off") {
    return {
      refused: `${server} is off: bring it back first with \`kintsugi server return ${server} --name ${cluster}\``,
    };
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
    case "restart":
      return { to: state, restarts: true };
  }
}
