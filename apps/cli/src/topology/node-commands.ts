import { isApiError, nodes as nodeType, zoneLabel } from "@kintsugi/api";
import {
  collectArg,
  createControlClient,
  findLabelProblem,
  findNode,
  findTaintProblem,
  kubelet,
  type NewNode,
} from "@kintsugi/lab";
import { InvalidArgumentError } from "commander";
import { clusterNamed, supervisorAway, wayTo, withAdmin } from "../base/cluster-access.ts";
import { type CommandContext, CommandError } from "../base/command.ts";
import { stepUntilUsable } from "../base/wait-for-cluster.ts";
import { drainNode } from "../drain/drain-node.ts";
import { loadImages } from "../images/image-command.ts";
import { parseOne } from "../base/option-values.ts";

export interface AddOptions {
  name: string;
  zone?: string;
  label?: Record<string, string>;
  taint?: string[];
  kubeletArg?: string[];
  wait: number;
}

/**
 * Adds one node to a running cluster, loads the cluster's images into the node, and waits until it
 * is Ready.
 */
export async function addNode(
  context: CommandContext,
  nodeName: string | undefined,
  options: AddOptions,
): Promise<void> {
  const cluster = await clusterNamed(options.name);
  const labels = { ...options.label, ...(options.zone === undefined ? {} : { [zoneLabel]: options.zone }) };
  const wanted: NewNode = {
    ...(nodeName === undefined ? {} : { name: nodeName }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(options.taint === undefined ? {} : { taints: options.taint }),
    ...(options.kubeletArg === undefined ? {} : { kubeletArgs: options.kubeletArg }),
  };
  const name = await context.terminal.step(`Adding ${nodeName ?? "a node"}`, async (update) => {
    const added = await createControlClient(cluster.paths.supervisorSocket).addNode(wanted);
    if (added === undefined) throw supervisorAway(options.name);
    update(`${added} added`);
    return added;
  });
  await loadImages(context, cluster.spec.images ?? [], { name: options.name, node: [name] });
  if (options.wait === 0) return;
  await withAdmin(context, cluster, (client) =>
    stepUntilUsable({ ...context, cluster: options.name }, client, { names: [name], waitMs: options.wait }),
  );
}

export interface RemoveOptions {
  name: string;
  force?: true;
  timeout: number;
}

/**
 * Drains a node within the budgets of its pods, removes it from this host, and deletes its Node. A
 * node that is off is not drained.
 */
export async function removeNode(context: CommandContext, name: string, options: RemoveOptions): Promise<void> {
  const { terminal, clock, signal } = context;
  const cluster = await clusterNamed(options.name);
  findNode(cluster.spec, name);
  const control = createControlClient(cluster.paths.supervisorSocket);
  const state = (await control.status())?.nodes[name];
  if (state === undefined) throw supervisorAway(options.name);
  if (cluster.spec.nodes.length === 1)
    throw new CommandError(`${name} is the last node; \`kintsugi down --name ${options.name}\` removes the cluster`);
  await withAdmin(context, cluster, async (client) => {
    if (options.force === undefined && state.power === "on" && state.link === "up")
      await drainNode(
        { client, clock, signal, say: (line) => terminal.say(line), way: wayTo({ name: options.name }) },
        name,
        {
          ignoreDaemonSets: true,
          deleteEmptyDirData: true,
          force: true,
          gracePeriodSeconds: undefined,
          timeoutMs: options.timeout === 0 ? undefined : options.timeout,
          podSelector: undefined,
          dryRun: "none",
          reportConditions: true,
        },
      );
    await terminal.step({ doing: `Removing ${name}`, done: `${name} removed` }, async () => {
      if ((await control.removeNode(name)) === undefined) throw supervisorAway(options.name);
      // The node's pods become garbage, which the pod garbage collector removes.
      await client.delete(nodeType, { namespace: "", name }).catch((error: unknown) => {
        if (!isApiError(error, "NotFound")) throw error;
      });
    });
  });
}

/** Collects labels, "disk=ssd". */
export function collectLabel(text: string, before: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf("=");
  if (at <= 0) throw new InvalidArgumentError(`"${text}" is not key=value.`);
  const [key, value] = [text.slice(0, at), text.slice(at + 1)];
  refuse(findLabelProblem(key, value));
  return { ...before, [key]: value };
}

/** Collects taints, "dedicated=database:NoSchedule". */
export function collectTaint(text: string, before: string[] = []): string[] {
  refuse(findTaintProblem(text));
  return [...before, text];
}

/** Collects flags of the kubelet, "max-pods=20". */
export function collectKubeletArg(text: string, before?: string[]): string[] {
  return parseOne((each) => collectArg(kubelet, { text: each, before }))(text);
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw new InvalidArgumentError(`${problem}.`);
}
