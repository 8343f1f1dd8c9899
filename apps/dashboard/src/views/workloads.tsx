import { lengthText } from "../model/words.ts";
import { workloadKey } from "@kintsugi/story";
import type { DashboardPage } from "../state/page.ts";
import { ObjectLink } from "./object-link.tsx";

/** Workloads with the most downtime stand first; more are reached by the filters. */
const shownMax = 30;

/** The downtime of each workload, beside the time that Kubernetes' own timers would take. */
export function Workloads({ page }: { page: DashboardPage }) {
  const rows = page.rows.value;
  const isKubernetes = page.cluster.settings.profile === "kubernetes";
  return (
    <section class="card" aria-labelledby="workloads-title">
      <h2 id="workloads-title">Downtime</h2>
      {rows.length === 0 ? (
        <p class="calm">No workload has had a pod yet.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">Workload</th>
              <th scope="col">Ready</th>
              <th scope="col">Downtime</th>
              {!isKubernetes && (
                <th scope="col" title="The same outages with the timers of Kubernetes' defaults">
                  by Kubernetes' timers
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shownMax).map(({ workload, wanted, downtime }) => {
              const isDown = downtime.outages.at(-1)?.toMs === undefined && downtime.outages.length > 0;
              return (
                <tr key={workloadKey(workload)} class={isDown ? "down" : ""}>
                  <th scope="row">
                    <ObjectLink page={page} object={workload} />
                  </th>
                  <td>
                    {downtime.ready} of {wanted}
                  </td>
                  <td class="number">
                    {downtime.outages.length === 0 ? "none" : lengthText(downtime.totalMs)}
                    {isDown && <span class="badge">now</span>}
                  </td>
                  {!isKubernetes && (
                    <td class="number muted">
                      {downtime.outages.length === 0 ? "none" : lengthText(downtime.underKubernetesMs)}
                    </td>
                  )}
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </section>
  );
}
