import { type Bar, type Lane, stateOf } from "@kintsugi/story";
import { nodeTextInFull, podText, stateMeaning } from "../../model/words.ts";
import type { DashboardPage } from "../../state/page.ts";
import { BreakLink } from "../break-button.tsx";
import { ObjectLink } from "../object-link.tsx";

/** Longer lists are narrowed by the filters. */
const podsMax = 200;
const nodesMax = 200;

/** Nodes and pods as a table: the picture for screen readers and for the keyboard. */
export function Things({ page }: { page: DashboardPage }) {
  // A table of a large cluster is rebuilt when its data is computed, not with each tick.
  void page.rows.value;
  const lanes = page.cluster.story.lanes.filter(
    ({ node, bars }) =>
      (node !== "" || bars.length > 0) && (page.filter.value.node === "" || page.filter.value.node === node),
  );
  const nodes = lanes.filter(({ node }) => node !== "");
  // Nodes with problems are shown even if not all nodes are shown.
  const first = nodes.length > nodesMax ? nodes.toSorted((a, b) => Number(isWell(a)) - Number(isWell(b))) : nodes;
  const pods = lanes.flatMap((lane) => lane.bars.filter((bar) => bar.toMs === undefined && page.shownBar(bar)));
  return (
    <section class="card wide things" aria-labelledby="things-title">
      <h2 id="things-title">Nodes and pods</h2>
      <div class="scroll" tabIndex={0} role="group" aria-labelledby="things-title">
        <table>
          <thead>
            <tr>
              <th scope="col">Object</th>
              <th scope="col">State</th>
              <th scope="col">Node</th>
            </tr>
          </thead>
          <tbody>
            {first.slice(0, nodesMax).map(({ node, spans }) => (
              <tr key={node}>
                <th scope="row">
                  <ObjectLink page={page} object={{ kind: "Node", namespace: "", name: node }} />{" "}
                  <BreakLink page={page} object={{ kind: "Node", namespace: "", name: node }} />
                </th>
                <td>
                  {nodeTextInFull(spans.at(-1)?.state ?? "ready")}
                  {spans.at(-1)?.isCordoned === true && ", SchedulingDisabled (cordoned)"}
                </td>
                <td />
              </tr>
            ))}
            {pods.slice(0, podsMax).map((bar) => (
              <PodRow key={bar.number} page={page} bar={bar} />
            ))}
          </tbody>
        </table>
      </div>
      {nodes.length > nodesMax && (
        <p class="muted">and {nodes.length - nodesMax} more nodes that are ready; choose one above</p>
      )}
      {pods.length > podsMax && (
        <p class="muted">and {pods.length - podsMax} more pods; choose a namespace or a node</p>
      )}
    </section>
  );
}

function isWell({ spans }: Lane): boolean {
  return spans.at(-1)?.state === "ready";
}

function PodRow({ page, bar }: { page: DashboardPage; bar: Bar }) {
  const { namespace, name, node } = bar;
  return (
    <tr>
      <th scope="row">
        <ObjectLink page={page} object={{ kind: "Pod", namespace, name }} label={`${namespace}/${name}`} />{" "}
        <BreakLink page={page} object={{ kind: "Pod", namespace, name }} />
      </th>
      <td title={stateMeaning(stateOf(bar))}>
        <span class={`dot ${stateOf(bar)}`} aria-hidden="true" /> {podText(bar)}
      </td>
      <td>{node === "" ? "none yet" : node}</td>
    </tr>
  );
}
