import type { Service } from "@kintsugi/api";
import type { DashboardPage } from "../../state/page.ts";
import { ObjectLink } from "../object-link.tsx";

/** A Service: its address, its ports, and the endpoints behind it. */
export function ServicePanel({ page, service }: { page: DashboardPage; service: Service }) {
  const { metadata, spec } = service;
  const endpoints = page.cluster
    .list("endpointslices")
    .filter(
      (slice) =>
        slice.metadata.namespace === metadata.namespace &&
        slice.metadata.labels?.["kubernetes.io/service-name"] === metadata.name,
    )
    .flatMap((slice) => slice.endpoints ?? []);
  return (
    <>
      <dl>
        <dt>Address</dt>
        <dd>{spec?.clusterIP ?? "none"}</dd>
        <dt>Ports</dt>
        <dd>{(spec?.ports ?? []).map(({ port, protocol = "TCP" }) => `${port}/${protocol}`).join(", ")}</dd>
      </dl>
      <h3>Endpoints</h3>
      {endpoints.length === 0 && <p class="quiet">No pod is behind it.</p>}
      <ul class="plain">
        {endpoints.map(({ addresses, conditions, targetRef }) => (
          <li key={addresses.join()}>
            {addresses.join(", ")} {conditions?.ready === false ? "not ready" : "ready"}{" "}
            {targetRef?.kind === "Pod" && targetRef.name !== undefined && (
              <ObjectLink
                page={page}
                object={{ kind: "Pod", namespace: targetRef.namespace ?? "", name: targetRef.name }}
              />
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
