import type { Deployment, Node, Pod } from "@kintsugi/api";

import { kubectl, shellWord, type Shown } from "./commands.ts";
import type { LabMachineState, LabActionRequest } from "./lab.ts";

/** An action on an object, with the equivalent command. */
export interface ActionChoice {
  readonly label: string;
  readonly action: LabActionRequest;
  readonly command: string;
  /** The reverse action, if there is one. */
  readonly undo?: { readonly label: string; readonly action: LabActionRequest };
}

/** Lists the possible actions on a machine and its node in their present state. */
export function actionsOnNode(name: string, machine: LabMachineState, node: Node | undefined): ActionChoice[] {
  const machineChoices =
    machine.power === "off"
      ? [choiceOf(name, "return")]
      : [
          choiceOf(name, "kill", "return"),
          machine.link === "up" ? choiceOf(name, "partition", "heal") : choiceOf(name, "heal", "partition"),
          machine.kubelet === "running"
            ? choiceOf(name, "stop-kubelet", "start-kubelet")
            : choiceOf(name, "start-kubelet", "stop-kubelet"),
          choiceOf(name, "reboot"),
        ];
  if (node === undefined) return machineChoices;
  const uncordon = { label: "Uncordon", action: { is: "uncordon", node: name } } as const;
  const cordoned = node.spec?.unschedulable === true;
  return [
    ...machineChoices,
    cordoned
      ? { ...uncordon, command: kubectl("", "uncordon", name) }
      : {
          label: "Cordon",
          action: { is: "cordon", node: name },
          command: kubectl("", "cordon", name),
          undo: uncordon,
        },
    {
      label: "Drain",
      action: { is: "drain", node: name },
      command: `kintsugi drain ${shellWord(name)}`,
      ...(cordoned ? {} : { undo: uncordon }),
    },
  ];
}

type MachineAction = Extract<LabActionRequest, { is: "node" }>["action"];

const machineLabels: Readonly<Record<MachineAction, string>> = {
  kill: "Kill the machine",
  return: "Switch it on again",
  reboot: "Reboot",
  partition: "Cut its cable",
  heal: "Mend its cable",
  "stop-kubelet": "Stop its kubelet",
  "start-kubelet": "Start its kubelet",
};

function choiceOf(node: string, action: MachineAction, back?: MachineAction): ActionChoice {
  return {
    label: machineLabels[action],
    action: { is: "node", node, action },
    command: `kintsugi node ${action} ${shellWord(node)}`,
    ...(back === undefined ? {} : { undo: { label: machineLabels[back], action: { is: "node", node, action: back } } }),
  };
}

/**
 * Running containers of a pod may crash, containers with a limit may reach their limit, and the pod
 * may be deleted.
 */
export function actionsOnPod({ metadata, spec, status }: Pod): ActionChoice[] {
  const { namespace = "", name = "" } = metadata;
  const limited = new Set(
    (spec?.containers ?? []).flatMap((each) => (each.resources?.limits?.["memory"] === undefined ? [] : [each.name])),
  );
  const crashes = (status?.containerStatuses ?? [])
    .filter(({ state }) => state?.running !== undefined)
    .flatMap(({ name: container }): ActionChoice[] => {
      const about = { namespace, pod: name, container };
      const inside = (...words: string[]) => kubectl(namespace, "exec", name, "-c", container, "--", ...words);
      // A signal from inside ends only a program that handles it, so this command kills from
      // outside.
      const crash: ActionChoice = {
        label: `Crash container ${container}`,
        action: { is: "crash", ...about },
        command: ["kintsugi", "crash", name, "-n", namespace, "-c", container].map(shellWord).join(" "),
      };
      if (!limited.has(container)) return [crash];
      return [
        crash,
        {
          label: `Fill the memory of container ${container}`,
          action: { is: "fill-memory", ...about },
          command: inside("tail", "/dev/zero"),
        },
      ];
    });
  return metadata.deletionTimestamp === undefined ? [...crashes, ...removals(namespace, name)] : crashes;
}

/** Both actions delete the pod; an eviction checks its budget first. */
function removals(namespace: string, pod: string): ActionChoice[] {
  return [
    { label: "Delete", action: { is: "delete", namespace, pod }, command: kubectl(namespace, "delete", "pod", pod) },
    {
      label: "Evict",
      action: { is: "evict", namespace, pod },
      command: evictCommand(namespace, pod),
    },
  ];
}

/** kubectl has no own command for an eviction, so the command posts the object. */
function evictCommand(namespace: string, pod: string): string {
  const path = `/api/v1/namespaces/${namespace}/pods/${pod}/eviction`;
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { namespace, name: pod } };
  return `${kubectl("", "create", "--raw", path, "-f", "-")} <<< '${JSON.stringify(body)}'`;
}

/** The actions that add or remove a pod of a workload. */
export function actionsOnWorkload(
  { kind, namespace, name }: Shown,
  { spec }: Pick<Deployment, "spec">,
): ActionChoice[] {
  const replicas = spec?.replicas ?? 1;
  const to = (wanted: number) => ({ is: "scale", kind, namespace, name, replicas: wanted }) as const;
  const choice = (label: string, wanted: number): ActionChoice => ({
    label,
    action: to(wanted),
    command: kubectl(namespace, "scale", `${kind.toLowerCase()}/${name}`, `--replicas=${wanted}`),
    undo: { label: `Back to ${replicas}`, action: to(replicas) },
  });
  return [choice("One pod more", replicas + 1), ...(replicas > 0 ? [choice("One pod less", replicas - 1)] : [])];
}
