import { type Node, nodes, type Taint } from "@kintsugi/api";
import { type KubectlCommand, UnusableCommand } from "../kubectl-command.ts";
import { type KubectlAnswer, type KubectlWorld, told } from "../kubectl-world.ts";

type TaintCommand = Extract<KubectlCommand, { is: "taint" }>;

/** @throws ApiError, UnusableCommand */
export async function taintNodes(command: TaintCommand, { client }: KubectlWorld): Promise<KubectlAnswer> {
  const lines: string[] = [];
  for (const name of command.nodes) {
    const key = { namespace: "", name };
    const node = await client.patch(nodes, key, { type: "merge", body: {} });
    const taints = changedTaints(node, command);
    const { resourceVersion } = node.metadata;
    await client.patch(nodes, key, { type: "merge", body: { metadata: { resourceVersion }, spec: { taints } } });
    lines.push(`node/${name} ${command.taints.added.length > 0 ? "tainted" : "untainted"}`);
  }
  return told(lines);
}

/** @throws UnusableCommand with kubectl's sentence. */
function changedTaints({ metadata, spec }: Node, { taints: { added, removed }, overwrite }: TaintCommand): Taint[] {
  const before = spec?.taints ?? [];
  const kept = before.filter((taint) => !removed.some((each) => isMeant(each, taint)));
  for (const each of removed)
    if (!before.some((taint) => isMeant(each, taint)))
      throw new UnusableCommand(`taint "${each.key}${each.effect === undefined ? "" : `:${each.effect}`}" not found`);
  const isReplaced = (taint: Taint) => added.some(({ key, effect }) => key === taint.key && effect === taint.effect);
  if (!overwrite && kept.some(isReplaced))
    throw new UnusableCommand(
      `node ${metadata.name} already has ${added.map(({ key }) => key).join(", ")} taint(s) with same effect(s) and --overwrite is false`,
    );
  return [...kept.filter((taint) => !isReplaced(taint)), ...added];
}

function isMeant({ key, effect }: TaintCommand["taints"]["removed"][number], taint: Taint): boolean {
  return taint.key === key && (effect === undefined || taint.effect === effect);
}
