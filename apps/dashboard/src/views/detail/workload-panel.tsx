import type { Deployment } from "@kintsugi/api";
import { matchesSelector } from "../../model/selectors.ts";
import type { Shown } from "../../model/commands.ts";
import { workloadKey } from "@kintsugi/story";
import type { DashboardPage } from "../../state/page.ts";
import { ObjectLink } from "../object-link.tsx";
import { Conditions } from "./conditions.tsx";

/** A workload: its numbers, its rollout, its budget, its Services and its pods. */
export function WorkloadPanel({ page, object, found }: { page: DashboardPage; object: Shown; found: Deployment }) {
  const { cluster } = page;
  const { status } = found;
  const key = workloadKey(object);
  const bars = [...cluster.story.bars()].filter(
    (bar) => bar.toMs === undefined && workloadKey(cluster.workloadOfBar(bar)) === key,
  );
  const pods = bars.flatMap((bar) => cluster.find("pods", bar) ?? []);
  const labels = pods[0]?.metadata.labels ?? {};
  const inNamespace = ({ metadata }: { metadata: { namespace?: string | undefined } }) =>
    metadata.namespace === object.namespace;
  const budgets = cluster
    .list("poddisruptionbudgets")
    .filter(
      (budget) => inNamespace(budget) && pods.length > 0 && matchesSelector(budget.spec?.selector?.matchLabels, labels),
    );
  const services = cluster
    .list("services")
    .filter((service) => inNamespace(service) && pods.length > 0 && matchesSelector(service.spec?.selector, labels));
  return (
    <>
      <dl>
        {numbersOf(found).map(([name, value]) => (
          <>
            <dt key={name}>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
        <dt>Budget</dt>
        <dd>
          {budgets.length === 0
            ? "none: any number of pods may be evicted simultaneously"
            : budgets
                .map(
                  (budget) =>
                    `${budget.metadata.name ?? ""}: ${budget.status?.disruptionsAllowed ?? 0} evictions allowed now, ` +
                    `${budget.status?.currentHealthy ?? 0} of ${budget.status?.expectedPods ?? 0} pods healthy`,
                )
                .join("; ")}
        </dd>
        <dt>Services</dt>
        <dd>
          {services.length === 0
            ? "none"
            : services.map(({ metadata: { namespace = "", name = "" } }) => (
                <ObjectLink key={name} page={page} object={{ kind: "Service", namespace, name }} />
              ))}
        </dd>
      </dl>
      <h3>Pods</h3>
      {bars.length === 0 && <p class="quiet">The workload has no pod.</p>}
      <ul class="plain">
        {bars.map(({ namespace, name, node }) => (
          <li key={name}>
            <ObjectLink page={page} object={{ kind: "Pod", namespace, name }} />
            <span class="muted"> on {node === "" ? "no node yet" : node}</span>
          </li>
        ))}
      </ul>
      <Conditions conditions={status?.conditions} />
    </>
  );
}

/** The numbers of any workload that has them. */
function numbersOf({ spec, status }: Deployment): [string, string][] {
  const numbers: [string, number | undefined][] = [
    ["Wanted", spec?.replicas],
    ["Ready", status?.readyReplicas],
    ["Of the newest template", status?.updatedReplicas],
    ["Available", status?.availableReplicas],
  ];
  return numbers.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
}
