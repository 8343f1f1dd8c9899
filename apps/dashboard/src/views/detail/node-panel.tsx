import type { Node } from "@kintsugi/api";
import { memoryText } from "../../model/words.ts";
import type { DashboardPage } from "../../state/page.ts";
import { ObjectLink } from "../object-link.tsx";
import { Conditions } from "./conditions.tsx";

/** A node: its resources, the reasons that repel pods, its pods. */
export function NodePanel({ page, node }: { page: DashboardPage; node: Node }) {
  const { spec, status, metadata } = node;
  const pods = page.cluster.list("pods").filter((pod) => pod.spec?.nodeName === metadata.name);
  const taints = spec?.taints ?? [];
  const { cpu = "", memory = "" } = status?.allocatable ?? {};
  return (
    <>
      <dl>
        <dt>Offers</dt>
        <dd>
          {String(cpu)} processors, {memoryText(String(memory))} of memory
        </dd>
        <dt>Scheduling</dt>
        <dd>{spec?.unschedulable === true ? "cordoned: does not accept new pods" : "accepts new pods"}</dd>
        <dt>Taints</dt>
        <dd>
          {taints.length === 0 && "none"}
          {taints.map(({ key, effect }) => (
            <div key={`${key}:${effect}`}>
              {key}
              {/* A long taint breaks before its effect. */}
              <wbr />:{effect}
            </div>
          ))}
        </dd>
      </dl>
      <h3>Pods</h3>
      {pods.length === 0 && <p class="quiet">The node has no pod.</p>}
      <ul class="plain">
        {pods.map(({ metadata: { namespace = "", name = "" } }) => (
          <li key={`${namespace}/${name}`}>
            <ObjectLink page={page} object={{ kind: "Pod", namespace, name }} label={`${namespace}/${name}`} />
          </li>
        ))}
      </ul>
      <Conditions conditions={status?.conditions} />
    </>
  );
}
