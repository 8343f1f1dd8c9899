import {
  type Node,
  nodes,
  type PersistentVolume,
  persistentVolumes,
  type Service,
  services,
  type StorageClass,
  storageClasses,
  zoneLabel,
} from "@kintsugi/api";
import type { Answer } from "../../outcomes/summarize.ts";
import { objectsOf, type ClusterPicture } from "../../picture/picture.ts";
import { lastingText } from "../words.ts";
import { closedWebhooks, findService, operatorsIn, podsBehind, serviceKey, servesNames } from "./depended-services.ts";

/**
 * A single point of failure: its loss takes down a workload, or disables the whole cluster's
 * recovery.
 */
export interface SinglePoint {
  readonly what: string;
  readonly because: string;
  /**
   * Sort key, highest first: the downtime of all workloads that this point takes down, in seconds.
   */
  readonly weight: number;
}

/** A webhook that fails closed blocks every replacement for which it is called. */
const webhookWeight = 1_000_000;
/** Nearly every program fails when names do not resolve. */
const namesWeight = 500_000;

/** Workloads continue without their operator, and are not repaired. */
const operatorWeight = 1_000;
const storageWeight = 500;
/** A single volume is not evidence about its class. */
const volumesMin = 2;
const zoneKeys = [zoneLabel, "failure-domain.beta.kubernetes.io/zone"];

const singlePointsMax = 10;

/**
 * Ranks the single points of failure: nodes by the downtime that they cause, and points that no
 * list shows.
 */
export function singlePoints(picture: ClusterPicture, answers: readonly Answer[]): SinglePoint[] {
  const ofNodes = answers
    .filter(({ question }) => question.kind === "nodes-off" && question.nodes.length === 1)
    .flatMap(({ question, workloads }) => {
      const down = workloads.filter(({ downtime }) => downtime.worst > 0);
      const seconds = down.reduce((sum, { downtime }) => sum + downtime.p50 / 1000, 0);
      if (down.length === 0 || question.kind !== "nodes-off") return [];
      const names = down
        .slice(0, 3)
        .map(({ workload, downtime, downAtEnd }) => `${workload} (${lastingText(downtime.p50, downAtEnd)})`);
      const more = down.length > 3 ? ` and ${down.length - 3} more` : "";
      return [
        { what: `node ${question.nodes[0]}`, because: `it takes down ${names.join(", ")}${more}`, weight: seconds },
      ];
    });
  return [...ofNodes, ...webhookPoints(picture), ...namePoints(picture), ...hiddenPoints(picture)]
    .toSorted((a, b) => b.weight - a.weight || (a.what < b.what ? -1 : 1))
    .slice(0, singlePointsMax);
}

function webhookPoints(picture: ClusterPicture): SinglePoint[] {
  return closedWebhooks(picture).flatMap(({ name, service, resources }) => {
    const judgesPods = resources.some((each) => each === "*" || each === "*/*" || each === "pods");
    const homes = judgesPods ? nodesBehind(picture, findService(picture, service)) : undefined;
    if (homes === undefined || homes.length > 1) return [];
    const where = homes.length === 0 ? "no pod serves it" : `all of its pods are on ${homes[0]}`;
    return [
      {
        what: `webhook ${name}`,
        because: `it fails closed and ${where}: while it is down, pods cannot be created or replaced`,
        weight: webhookWeight,
      },
    ];
  });
}

function namePoints(picture: ClusterPicture): SinglePoint[] {
  const points = objectsOf<Service>(picture, services)
    .filter(servesNames)
    .flatMap((service) => {
      const homes = nodesBehind(picture, service);
      if (homes === undefined || homes.length !== 1) return [];
      const because = `all pods of ${serviceKey(service)} are on ${homes[0]}: if this node fails, names do not resolve in the cluster`;
      return [{ what: "names (DNS)", because, weight: namesWeight }];
    });
  // Several Services may lead to the same name servers.
  return points.slice(0, 1);
}

function hiddenPoints(picture: ClusterPicture): SinglePoint[] {
  return [...operatorPoints(picture), ...storagePoints(picture)];
}

function operatorPoints(picture: ClusterPicture): SinglePoint[] {
  const because =
    "its name suggests an operator, and it has one replica: while it is down, its resources are not reconciled";
  return operatorsIn(picture).flatMap(({ workload, replicas }) =>
    replicas === 1 ? [{ what: workload, because, weight: operatorWeight }] : [],
  );
}

/** Classes whose volumes are bound to one zone, in a cluster with several zones. */
function storagePoints(picture: ClusterPicture): SinglePoint[] {
  const zones = new Set(objectsOf<Node>(picture, nodes).flatMap(({ metadata }) => zoneOf(metadata.labels ?? {}) ?? []));
  if (zones.size < 2) return [];
  const byClass = new Map<string, Set<string>[]>();
  for (const volume of objectsOf<PersistentVolume>(picture, persistentVolumes)) {
    const name = volume.spec?.storageClassName ?? "";
    byClass.set(name, [...(byClass.get(name) ?? []), zonesOf(volume)]);
  }
  const byVolumes = [...byClass].flatMap(([name, all]) => {
    const bound = new Set(all.flatMap((each) => [...each]));
    if (all.length < volumesMin || bound.size !== 1 || all.some(({ size }) => size !== 1)) return [];
    const because = `all of its ${all.length} volumes are in zone ${[...bound][0]}, so their pods cannot start in another zone`;
    return [storagePoint(name, because)];
  });
  const byTopology = objectsOf<StorageClass>(picture, storageClasses).flatMap(
    ({ metadata, allowedTopologies = [] }) => {
      const allowed = new Set(allowedTopologies.flatMap(zonesIn));
      if (allowed.size !== 1 || allowedTopologies.some((term) => zonesIn(term).length === 0)) return [];
      const because = `by its allowedTopologies, all of its volumes are in zone ${[...allowed][0]}, so their pods cannot start in another zone`;
      return [storagePoint(metadata.name ?? "", because)];
    },
  );
  const named = new Set(byVolumes.map(({ what }) => what));
  return [...byVolumes, ...byTopology.filter(({ what }) => !named.has(what))];
}

function storagePoint(name: string, because: string): SinglePoint {
  return { what: `storage class ${name === "" ? "(no name)" : name}`, because, weight: storageWeight };
}

function zonesIn({ matchLabelExpressions = [] }: NonNullable<StorageClass["allowedTopologies"]>[number]): string[] {
  return matchLabelExpressions.flatMap(({ key, values }) => (zoneKeys.includes(key) ? values : []));
}

function zoneOf(labels: Readonly<Record<string, string>>): string | undefined {
  return zoneKeys.flatMap((key) => labels[key] ?? [])[0];
}

function zonesOf({ spec }: PersistentVolume): Set<string> {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const rules = terms.flatMap(({ matchExpressions = [] }) => matchExpressions);
  return new Set(rules.flatMap(({ key, values = [] }) => (zoneKeys.includes(key) ? values : [])));
}

/** The nodes of the pods behind a Service; undefined if the source has no such Service. */
function nodesBehind(picture: ClusterPicture, service: Service | undefined): string[] | undefined {
  const behind = service && podsBehind(picture, service);
  return behind && [...new Set(behind.flatMap(({ spec }) => spec?.nodeName ?? []))];
}
