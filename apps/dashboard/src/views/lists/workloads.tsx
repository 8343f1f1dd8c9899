import { lengthText } from "../../model/words.ts";
import { workloadKey } from "@kintsugi/story";
import type { WorkloadRow } from "../../state/workload-row.ts";
import type { DashboardPage } from "../../state/page.ts";
import { ObjectLink } from "../object-link.tsx";

/**
 * Limit on listed workloads. Workloads with the most downtime are first; the filters find other
 * workloads.
 */
const shownMax = 30;

/** The same terms as in `kintsugi simulate`, scenarios and the glossary. */
const meanings = {
  downtime: "no pod was available",
  degraded: "fewer pods than wanted were available",
  asKubernetes: "the degraded time with Kubernetes' default timers",
} as const;

/**
 * The downtime and the degraded time of each workload, next to the time that Kubernetes' own timers
 * would take.
 */
export function Workloads({ page }: { page: DashboardPage }) {
  const rows = page.rows.value;
  const isKubernetes = page.cluster.settings.profile === "kubernetes";
  return (
    <section class="card workloads" aria-labelledby="workloads-title">
      <h2 id="workloads-title">Downtime and degraded time</h2>
      {rows.length === 0 ? (
        <p class="quiet">
          {page.look.value === undefined ? "The cluster is being read." : "No workload has had a pod yet."}
        </p>
      ) : (
        <>
          <div class="scroll" tabIndex={0} role="group" aria-labelledby="workloads-title">
            <table>
              <thead>
                <tr>
                  <th scope="col">Workload</th>
                  <th scope="col">Ready</th>
                  <th scope="col" title={meanings.downtime}>
                    Downtime
                  </th>
                  <th scope="col" title={meanings.degraded}>
                    Degraded
                  </th>
                  {!isKubernetes && (
                    <th scope="col" title={meanings.asKubernetes}>
                      as Kubernetes
                    </th>
                  )}
                </tr>
              </thead>
              <tbody>
                {rows.slice(0, shownMax).map((row) => (
                  <Row key={workloadKey(row.workload)} page={page} row={row} isKubernetes={isKubernetes} />
                ))}
              </tbody>
            </table>
          </div>
          <p class="quiet">
            Downtime: {meanings.downtime}. Degraded: {meanings.degraded}.
            {!isKubernetes && ` As Kubernetes: ${meanings.asKubernetes}.`} All failures since the page's first step are
            added up.
          </p>
        </>
      )}
    </section>
  );
}

function Row({ page, row, isKubernetes }: { page: DashboardPage; row: WorkloadRow; isKubernetes: boolean }) {
  const { workload, wanted, downtime } = row;
  const isShort = downtime.shortages.length > 0 && downtime.shortages.at(-1)?.toMs === undefined;
  const isDown = isShort && downtime.ready === 0;
  return (
    <tr class={isShort ? "down" : ""}>
      <th scope="row">
        <ObjectLink page={page} object={workload} />
        <Seam downtime={downtime} />
      </th>
      <td>
        {downtime.ready} of {wanted}
      </td>
      <td class={downtime.downMs === 0 ? "number muted" : "number"}>
        {lengthText(downtime.downMs)}
        {isDown && <span class="badge">now</span>}
      </td>
      <td class="number">
        {lengthText(downtime.degradedMs)}
        {isShort && !isDown && <span class="badge">now</span>}
      </td>
      {!isKubernetes && <td class="number muted">{lengthText(downtime.degradedUnderKubernetesMs)}</td>}
    </tr>
  );
}

/** A workload that has recovered keeps its seam as long as the history exists. */
function Seam({ downtime: { shortages } }: { downtime: WorkloadRow["downtime"] }) {
  const mended = shortages.filter(({ toMs }) => toMs !== undefined).length;
  if (mended === 0) return null;
  return (
    <span
      class="mended"
      title={mended === 1 ? "The workload was mended once." : `The workload was mended ${mended} times.`}
    >
      {" "}
      mended{mended > 1 && ` ×${mended}`}
    </span>
  );
}
