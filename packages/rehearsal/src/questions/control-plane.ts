import { type Pod, pods } from "@kintsugi/api";
import { objectsOf, type ClusterPicture } from "../picture/picture.ts";
import type { RehearsalQuestion, ScenarioStroke } from "./question.ts";

const services = ["api-server", "scheduler", "controller-manager"] as const;
/** Duration of an upgrade of a managed control plane. */
const awayMs = 600_000;
/** Time after the failure of the control plane at which the node fails too. */
const nodeGoesMs = 60_000;

/**
 * Questions in which the services of the control plane are down for ten minutes: each service
 * alone, all services, and all services while the node with the most pods fails.
 */
export function controlPlaneQuestions(picture: ClusterPicture, nodeNames: readonly string[]): RehearsalQuestion[] {
  const away = (target: string): ScenarioStroke => ({ fault: "kill-service", atMs: 0, forMs: awayMs, target });
  const alone = services.map((service) => question(`the ${service} is down for 10 min`, [away(service)]));
  const all = services.map(away);
  const busiest = busiestNode(picture, nodeNames);
  return [
    ...alone,
    question("the whole control plane is down for 10 min", all),
    ...(busiest === undefined
      ? []
      : [
          question(`the control plane is down for 10 min, and node ${busiest} fails after 1 min`, [
            ...all,
            { fault: "kill-node", atMs: nodeGoesMs, stays: true, target: busiest },
          ]),
        ]),
  ];
}

function question(about: string, faults: readonly ScenarioStroke[]): RehearsalQuestion {
  return { kind: "scenario", about, faults, runMs: awayMs };
}

/** The node is outside of the control plane, whose services are already down in this question. */
function busiestNode(picture: ClusterPicture, nodeNames: readonly string[]): string | undefined {
  const counts = new Map(nodeNames.map((name) => [name, 0]));
  for (const { spec } of objectsOf<Pod>(picture, pods)) {
    const count = counts.get(spec?.nodeName ?? "");
    if (count !== undefined) counts.set(spec?.nodeName ?? "", count + 1);
  }
  return [...counts].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]?.[0];
}
