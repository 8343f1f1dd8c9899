import { containerProcess, containersOfPods, type Ctr } from "@kintsugi/lab";
import type { Machines } from "./stage.ts";

/**
 * Runs a program on a node, as root, and returns its output.
 * @throws when the program fails, or the node is off.
 */
export type NodeShell = (node: string, command: readonly string[]) => Promise<string>;

/**
 * The actions that a shell on the nodes allows, on any kind of node: containerd's paths are
 * upstream's.
 */
export function machinesByShell(shell: NodeShell): Required<Pick<Machines, "killContainer" | "containersOfPods">> {
  const ctrOf =
    (node: string): Ctr =>
    (...args) =>
      shell(node, ["ctr", "--namespace", "k8s.io", ...args]);
  return {
    async killContainer(node, containerId) {
      const pid = await containerProcess(ctrOf(node), containerId);
      await shell(node, ["kill", "-KILL", String(pid)]);
    },
    containersOfPods: (node, podUids) => containersOfPods(ctrOf(node), podUids),
  };
}

/** One word of a line for a POSIX shell. */
export function quoted(word: string): string {
  return /^[\w./:=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
