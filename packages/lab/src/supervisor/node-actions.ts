import type { NodeState } from "../cluster/component.ts";

/** The user's actions on a node. */
export const nodeActions = [
  "kill",
  "fence",
  "return",
  "reboot",
  "stop-kubelet",
  "start-kubelet",
  "partition",
  "heal",
] as const;
export type NodeAction = (typeof nodeActions)[number];

/** The resulting state, and whether the action ends every process of the node. */
export type NodeActionPlan = { to: NodeState; losesPower?: true } | { refused: string };

/** A machine, and its cluster. */
export interface MachineName {
  readonly name: string;
  readonly cluster: string;
}

/**
 * The state of a node after an action, or why the action is invalid now. Repeating an action is
 * harmless.
 */
export function planNodeAction(
  { name: node, cluster }: MachineName,
  state: NodeState,
  action: NodeAction,
): NodeActionPlan {
  const off = state.power === "off";
  switch (action) {
    case "kill":
      return { to: { ...state, power: "off", link: "down" }, losesPower: true };
    case "fence":
      // The pods of a fenced node are deleted and replaced, and on a machine with power they would
      // run twice.
      return off ? { to: { ...state, fenced: true } } : refusedWhileOn(node);
    case "return":
      return { to: { power: "on", link: "up", kubelet: "running" } };
    case "reboot":
      // A cut cable stays cut; a stopped kubelet starts with its machine.
      return off ? refusedWhileOff(node, cluster) : { to: { ...state, kubelet: "running" }, losesPower: true };
    case "stop-kubelet":
      return off ? refusedWhileOff(node, cluster) : { to: { ...state, kubelet: "stopped" } };
    case "start-kubelet":
      return off ? refusedWhileOff(node, cluster) : { to: { ...state, kubelet: "running" } };
    case "partition":
      return off ? refusedWhileOff(node, cluster) : { to: { ...state, link: "down" } };
    case "heal":
      return off ? refusedWhileOff(node, cluster) : { to: { ...state, link: "up" } };
  }
}

function refusedWhileOn(node: string): NodeActionPlan {
  return {
    refused: `${node} is on: its pods can be replaced only when the machine is off and its containers have certainly ended`,
  };
}

function refusedWhileOff(node: string, cluster: string): NodeActionPlan {
  return { refused: `${node} is off: bring it back first with \`kintsugi node return ${node} --name ${cluster}\`` };
}
