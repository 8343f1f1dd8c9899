import { isApiError } from "@kintsugi/api";
import { ConnectionError } from "@kintsugi/client";
import { applyDocuments, deleteTargets, editObject, markNode, scaleObjects } from "./changes/change-objects.ts";
import { type Completion, completionsMax, planCompletion } from "./line/complete-command.ts";
import { createJob } from "./changes/create-job.ts";
import { describeObjects } from "./describe-object.ts";
import { drainLikeKubectl } from "./changes/drain-node.ts";
import { explainFields } from "./explain-fields.ts";
import { type KubectlCommand, UnusableCommand } from "./kubectl-command.ts";
import { type KubectlWorld, nameOf, type KubectlAnswer, told } from "./kubectl-world.ts";
import { markObjects, patchObjects, setImages } from "./changes/patch-objects.ts";
import { readLogs } from "./read-logs.ts";
import { getObjects, listEvents, readObjects } from "./read-objects.ts";
import { rollOut } from "./changes/roll-out.ts";
import { taintNodes } from "./changes/taint-nodes.ts";

/** Runs a command, and returns kubectl's output; an API error is output too. */
export async function runKubectl(
  command: KubectlCommand,
  world: KubectlWorld,
  options: { readonly yaml: string; readonly drainForMs: number },
): Promise<KubectlAnswer> {
  try {
    return await run(command, world, options);
  } catch (error) {
    if (isApiError(error)) return told([`Error from server${reasonText(error.reason)}: ${error.message}`]);
    if (error instanceof UnusableCommand) return told([`error: ${error.message}`]);
    if (error instanceof ConnectionError) return told([`The connection to the server was refused: ${error.message}`]);
    throw error;
  }
}

/** kubectl names no reason of a rejection that has none. */
function reasonText(reason: string): string {
  return reason === "Unknown" ? "" : ` (${reason})`;
}

async function run(
  command: KubectlCommand,
  world: KubectlWorld,
  { yaml, drainForMs }: { yaml: string; drainForMs: number },
): Promise<KubectlAnswer> {
  switch (command.is) {
    case "get":
      return getObjects(command, world);
    case "describe":
      return describeObjects(command, world);
    case "edit":
      return editObject(command, world);
    case "logs":
      return readLogs(command, world);
    case "explain":
      return explainFields(command.path, world);
    case "events":
      return listEvents(command, world);
    case "scale":
      return scaleObjects(command, world);
    case "cordon":
    case "uncordon":
      return told([await markNode(command.node, { unschedulable: command.is === "cordon" }, world)]);
    case "drain":
      return drainLikeKubectl(command, world, { forMs: drainForMs });
    case "delete":
      return deleteTargets(command, world);
    case "apply":
      return applyDocuments(yaml, command, world);
    case "taint":
      return taintNodes(command, world);
    case "rollout":
      return rollOut(command, world);
    case "patch":
      return patchObjects(command, world);
    case "set":
      return setImages(command, world);
    case "label":
    case "annotate":
      return markObjects(command, world);
    case "create":
      return createJob(command, world);
  }
}

/** The words that can complete a line, each as the whole last word. */
export async function completeLine(line: string, world: KubectlWorld): Promise<string[]> {
  const plan: Completion = planCompletion(line, world.types);
  if (plan.is === "words") return [...plan.words];
  try {
    const target = { type: plan.type.resource, names: [], namespace: namespaceIn(line), allNamespaces: false };
    const objects = await readObjects(world, plan.type, target);
    return objects
      .map(nameOf)
      .filter((name) => name.startsWith(plan.from))
      .slice(0, completionsMax)
      .map((name) => plan.before + name);
  } catch (error) {
    if (isApiError(error) || error instanceof ConnectionError) return [];
    throw error;
  }
}

function namespaceIn(line: string): string {
  return /(?:^|\s)(?:-n[ =]?|--namespace[ =])(\S+)\s/.exec(line)?.[1] ?? "default";
}
