import { type ContainerStory, containerStories, type Pod } from "@kintsugi/api";
import { lengthText } from "../../model/words.ts";
import type { DashboardPage } from "../../state/page.ts";
import { ObjectLink } from "../object-link.tsx";
import { Conditions } from "./conditions.tsx";

/** A pod: its node, its containers with their last terminations, its conditions. */
export function PodPanel({ page, pod }: { page: DashboardPage; pod: Pod }) {
  const { spec, status, metadata } = pod;
  const node = spec?.nodeName ?? "";
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  const namespace = metadata.namespace ?? "";
  return (
    <>
      <dl>
        <dt>Phase</dt>
        <dd>
          {status?.phase ?? "unknown"}
          {status?.reason !== undefined && ` (${status.reason})`}
          {metadata.deletionTimestamp !== undefined && ", is being deleted"}
        </dd>
        <dt>Node</dt>
        <dd>
          {node === "" ? "none yet" : <ObjectLink page={page} object={{ kind: "Node", namespace: "", name: node }} />}
        </dd>
        <dt>Address</dt>
        <dd>{status?.podIP ?? "none"}</dd>
        {owner !== undefined && (
          <>
            <dt>Owner</dt>
            <dd>
              <ObjectLink page={page} object={{ kind: owner.kind, namespace, name: owner.name }} />
            </dd>
          </>
        )}
      </dl>
      <h3>Containers</h3>
      {containerStories(pod).map((story) => (
        <Container key={story.container} story={story} />
      ))}
      {(status?.containerStatuses ?? []).length === 0 && <p class="quiet">No container has a state yet.</p>}
      <Conditions conditions={status?.conditions} />
    </>
  );
}

function Container({ story }: { story: ContainerStory }) {
  const { container, restarts, now, ends } = story;
  return (
    <section class="container" aria-label={`Container ${container}`}>
      <h4>
        {container} <small>{restarts === 1 ? "1 restart" : `${restarts} restarts`}</small>
      </h4>
      <p>{now}</p>
      {ends.length > 0 && (
        <ol class="ends">
          {ends.map((end) => (
            <li key={end.restart}>
              <time>{end.finishedAt}</time> {end.because}
              <span class="muted">
                {" "}
                after {lengthText(end.ranForMs)}
                {end.downMs !== undefined && `; not running for ${lengthText(end.downMs)}`}
                {end.downBecause !== undefined && ` (${end.downBecause})`}
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
