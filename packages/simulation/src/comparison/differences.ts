import type { Count, EndState } from "./census.ts";

/**
 * Lists the differences between the end of a run with faults and the end of the same run without
 * faults. Objects that were lost with a node may be replaced one for one; other objects may not be
 * created or deleted more often.
 */
export function differences(reference: EndState, run: EndState): string[] {
  return [...differentObjects(reference, run), ...differentCounts(reference, run)];
}

function differentObjects(reference: EndState, run: EndState): string[] {
  const wrong: string[] = [];
  for (const name of new Set([...reference.objects.keys(), ...run.objects.keys()])) {
    const [wanted = [], got = []] = [reference.objects.get(name), run.objects.get(name)];
    if (wanted.length !== got.length)
      wrong.push(`${name}: there are ${got.length} objects, and without faults ${wanted.length}`);
    const odd = got.findIndex((text, index) => text !== wanted[index]);
    if (wanted.length === got.length && odd >= 0)
      wrong.push(`${name} is ${got[odd]}, and without faults ${wanted[odd]}`);
  }
  return wrong;
}

const nothing: Count = { created: 0, deleted: 0, disrupted: 0 };

function differentCounts(reference: EndState, run: EndState): string[] {
  const wrong: string[] = [];
  const autoscaled = autoscaledOwners(reference);
  for (const name of new Set([...reference.counts.keys(), ...run.counts.keys()])) {
    const [wanted = nothing, got = nothing] = [reference.counts.get(name), run.counts.get(name)];
    // Missing pods leave their load to the other pods, so an autoscaler may add pods in the
    // meantime. Each added pod has to be removed again.
    const extra = got.created - got.disrupted - (wanted.created - wanted.disrupted);
    const isSwing = extra > 0 && extra === got.deleted - got.disrupted - (wanted.deleted - wanted.disrupted);
    if (isSwing && autoscaled.some((owner) => name.includes(owner))) continue;
    for (const what of ["created", "deleted"] as const) {
      const explained = wanted[what] - wanted.disrupted + got.disrupted;
      if (got[what] !== explained)
        wrong.push(
          `${name}: ${got[what]} were ${what}, and ${explained} are explained by the run without faults and by ${got.disrupted} disruptions`,
        );
    }
  }
  return wrong;
}

/** Returns " default/web" for each owner whose replicas an autoscaler sets. */
function autoscaledOwners({ objects }: EndState): string[] {
  return [...objects].flatMap(([name, texts]) => {
    const [, resource, namespace] = name.split("/");
    if (resource !== "horizontalpodautoscalers") return [];
    return texts.map((text) => {
      const { spec } = JSON.parse(text) as { spec: { scaleTargetRef: { name: string } } };
      return ` ${namespace}/${spec.scaleTargetRef.name}`;
    });
  });
}
