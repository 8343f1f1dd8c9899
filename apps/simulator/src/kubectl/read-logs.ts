import {
  type ApiObject,
  controllerOf,
  formatSelector,
  type LabelSelector,
  type Pod,
  pods,
  objectPath,
  toSelector,
} from "@kintsugi/api";
import { findType } from "./find-type.ts";
import { type KubectlCommand, UnusableCommand } from "./kubectl-command.ts";
import { type KubectlAnswer, type KubectlWorld, told } from "./kubectl-world.ts";
import { call, readObjects } from "./read-objects.ts";

type LogsCommand = Extract<KubectlCommand, { is: "logs" }>;

/** Prints the logs of a pod, or a workload's first pod. @throws ApiError, UnusableCommand */
export async function readLogs(command: LogsCommand, world: KubectlWorld): Promise<KubectlAnswer> {
  const { lines: notes, pod } = await podOf(command, world);
  const names = command.allContainers
    ? [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].map(({ name }) => name)
    : [command.container];
  const lines: string[] = [];
  for (const name of names) lines.push(...(await logLines(name, { command, pod }, world)));
  return told([...notes, ...(lines.length === 0 ? ["(the container has written nothing)"] : lines)]);
}

async function logLines(
  container: string,
  { command, pod }: { command: LogsCommand; pod: Pod },
  world: KubectlWorld,
): Promise<string[]> {
  const query = new URLSearchParams({
    ...(container === "" ? {} : { container }),
    ...(command.tailLines === undefined ? {} : { tailLines: String(command.tailLines) }),
    ...(command.previous ? { previous: "true" } : {}),
  });
  const { namespace = "", name = "" } = pod.metadata;
  const text = await call(world, `${objectPath(pods, { namespace, name })}/log?${query.toString()}`, "*/*");
  const lines = typeof text === "string" ? text.trimEnd() : "";
  return lines === "" ? [] : lines.split("\n");
}

type Selecting = ApiObject & { readonly spec?: { readonly selector?: LabelSelector } };

/** Finds the pod. If the command names another object, the lines tell which pod was chosen. */
async function podOf(
  { namespace, owner }: LogsCommand,
  world: KubectlWorld,
): Promise<{ readonly pod: Pod; readonly lines: readonly string[] }> {
  const type = findType(owner.type, world.types);
  const place = { namespace, allNamespaces: false };
  const [object] = await readObjects(world, type, { type: type.resource, names: [owner.name], ...place });
  if (type.resource === pods.resource) return { pod: object as Pod, lines: [] };
  const { spec } = object as Selecting;
  if (spec?.selector?.matchLabels === undefined && spec?.selector?.matchExpressions === undefined)
    throw new UnusableCommand(`${owner.type} ${owner.name} selects no pods: write logs POD`);
  const selector = formatSelector(toSelector(spec.selector));
  const found = (await readObjects(world, findType(pods.resource, world.types), {
    type: pods.resource,
    names: [],
    ...place,
    selector,
  })) as Pod[];
  const pod = found.find((each) => controllerOf(each)?.name === owner.name) ?? found[0];
  if (pod === undefined) throw new UnusableCommand(`${owner.type} ${owner.name} has no pods`);
  return { pod, lines: found.length === 1 ? [] : [`Found ${found.length} pods, using pod/${pod.metadata.name}`] };
}
