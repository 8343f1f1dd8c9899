import {
  countedNoun,
  isPodReady,
  isPodTerminal,
  mapSelector,
  matchesLabels,
  type Pod,
  type Service,
  serviceNameLabel,
} from "@kintsugi/api";
import type { ExplainedReason } from "../explanation.ts";
import { kubectlCommand } from "../words/commands.ts";
import { listed, singleLine, aboutObject } from "../words/phrases.ts";
import { reasonsOfPods } from "../workloads/pods-of.ts";
import { listOf, type World } from "../world.ts";

export function serviceReasons(service: Service, world: World): ExplainedReason[] {
  const about = aboutObject("Service", service);
  const { spec } = service;
  if (spec?.type === "ExternalName") return [];
  const selector = spec?.selector ?? {};
  if (Object.keys(selector).length === 0) {
    if (endpointCount(service, world) > 0) return [];
    const because = "It has no selector, so no controller creates endpoints for it, and it has no endpoints.";
    return [{ code: "NoSelector", about, because, awaits: "a client to write EndpointSlices for it, or a selector" }];
  }
  const pods = selectedBy(service, world);
  const text = Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
  if (pods.length === 0) return [noMatch(service, text, world)];
  if (pods.some(isPodReady) || spec?.publishNotReadyAddresses === true) return portReasons(service, pods);
  return [
    {
      code: "NoPodsReady",
      about,
      because: `It selects ${countedNoun(pods.length, "pod")}, but no selected pod is ready, so it has no ready endpoint.`,
      awaits: "one of these pods to be ready",
      next: "Its endpoints include the pod within a second.",
      remedies: [
        { does: "See the pods that it selects", command: kubectlCommand(about.namespace, "get", "pods", "-l", text) },
      ],
    },
    ...reasonsOfPods(pods, world),
  ];
}

export function serviceState(service: Service, world: World): string {
  if (service.spec?.type === "ExternalName") return `a name for ${singleLine(service.spec.externalName)}`;
  const pods = selectedBy(service, world);
  return `${countedNoun(endpointCount(service, world), "endpoint")} ready, ${countedNoun(pods.length, "pod")} selected`;
}

function selectedBy({ metadata, spec }: Service, world: World): Pod[] {
  const selector = spec?.selector ?? {};
  if (Object.keys(selector).length === 0) return [];
  const wanted = mapSelector(selector);
  return listOf(world, "pods").filter(
    (pod) =>
      pod.metadata.namespace === metadata.namespace &&
      !isPodTerminal(pod) &&
      matchesLabels(wanted, pod.metadata.labels),
  );
}

function endpointCount({ metadata }: Service, world: World): number {
  return listOf(world, "endpointslices")
    .filter(
      (slice) =>
        slice.metadata.namespace === metadata.namespace && slice.metadata.labels?.[serviceNameLabel] === metadata.name,
    )
    .flatMap(({ endpoints = [] }) => endpoints)
    .filter(({ conditions }) => conditions?.ready !== false).length;
}

/** Pods that have all labels of the selector except one are likely to be the intended pods. */
function noMatch(service: Service, text: string, world: World): ExplainedReason {
  const about = aboutObject("Service", service);
  const selector = Object.entries(service.spec?.selector ?? {});
  const near = listOf(world, "pods").filter(
    ({ metadata }) =>
      metadata.namespace === about.namespace &&
      selector.filter(([key, value]) => metadata.labels?.[key] !== value).length === 1 &&
      selector.some(([key]) => metadata.labels?.[key] !== undefined),
  );
  const details = near.slice(0, 3).map(({ metadata }) => {
    const [key = ""] = selector.find(([name, value]) => metadata.labels?.[name] !== value) ?? [];
    return `${metadata.name} has ${singleLine(key)}=${singleLine(metadata.labels?.[key] ?? "(none)")} instead`;
  });
  return {
    code: "NoPodsMatch",
    about,
    because: `No pod of its namespace has the labels that it selects: ${singleLine(text)}.`,
    ...(details.length === 0 ? {} : { details }),
    awaits: "a pod with these labels",
    remedies: [
      {
        does: "Compare the labels of the pods",
        command: kubectlCommand(about.namespace, "get", "pods", "--show-labels"),
      },
      { does: "Change the selector", command: kubectlCommand(about.namespace, "edit", `service/${about.name}`) },
    ],
  };
}

/**
 * A port that refers to a named container port which the selected pods lack does not have a target.
 */
function portReasons(service: Service, pods: readonly Pod[]): ExplainedReason[] {
  const about = aboutObject("Service", service);
  const declared = new Set(
    pods.flatMap(({ spec }) =>
      (spec?.containers ?? []).flatMap(({ ports = [] }) => ports.map(({ name }) => name ?? "")),
    ),
  );
  const missing = (service.spec?.ports ?? []).flatMap(({ targetPort }) =>
    typeof targetPort === "string" && !declared.has(targetPort) ? [targetPort] : [],
  );
  if (missing.length === 0) return [];
  const because = `Its target ${missing.length === 1 ? "port" : "ports"} ${listed(missing.map(singleLine))} ${missing.length === 1 ? "is not a port name" : "are not port names"} of any container of its pods.`;
  return [{ code: "NoPodsReady", about, because, awaits: "a container port of this name, or a number in the Service" }];
}
