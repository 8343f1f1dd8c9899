import { type Service, services } from "@kintsugi/api";
import { WorkloadIndex } from "../../model/workloads.ts";
import type { Answer, WorkloadAnswer } from "../../outcomes/summarize.ts";
import { objectsOf, type ClusterPicture } from "../../picture/picture.ts";
import { lastingText } from "../words.ts";
import { closedWebhooks, operatorsIn, podsBehind, serviceKey, servesNames } from "./depended-services.ts";

/** Resources of a webhook that a sentence names. */
const resourcesMax = 3;

/** A dependency, and the workloads that are all down while it does not answer. */
interface Dependency {
  readonly workloads: readonly string[];
  /** The sentence about its outage, which lasts "for 5m". */
  readonly outage: (lasting: string) => string;
}

/**
 * Sentences about the dependencies that are down in a question: name servers and webhooks first,
 * then operators, then other Services. The programs that depend on them are not modelled.
 */
export function dependencyOutages(picture: ClusterPicture, answers: readonly Answer[]): string[] {
  const dependencies = dependenciesIn(picture);
  return answers.flatMap(({ question, workloads }) => {
    const down = new Map(
      workloads.filter(({ downtime }) => downtime.worst > 0).map((workload) => [workload.workload, workload]),
    );
    return dependencies.flatMap(({ workloads: own, outage }) => {
      const lost = own.flatMap((name) => down.get(name) ?? []);
      if (lost.length === 0 || lost.length < own.length) return [];
      return [`if ${question.about}: ${outage(shortestOf(lost))}`];
    });
  });
}

/** A Service answers again when the first of its workloads answers again. */
function shortestOf(lost: readonly WorkloadAnswer[]): string {
  const [first] = lost.toSorted((a, b) => a.downAtEnd - b.downAtEnd || a.downtime.worst - b.downtime.worst);
  if (first === undefined) return "";
  const text = lastingText(first.downtime.worst, first.downAtEnd);
  return lost.length > 1 ? text.replace(/^for (?=\d|<)/, "for up to ") : text;
}

function dependenciesIn(picture: ClusterPicture): Dependency[] {
  const index = new WorkloadIndex(picture.objects);
  const webhooks = closedWebhooks(picture);
  const names: Dependency[] = [];
  const others: Dependency[] = [];
  const judges: Dependency[] = [];
  for (const service of objectsOf<Service>(picture, services)) {
    const behind = podsBehind(picture, service) ?? [];
    const workloads = [...new Set(behind.map((pod) => index.of(pod).name))];
    if (workloads.length === 0) continue;
    const key = serviceKey(service);
    const own = webhooks.filter((webhook) => webhook.service === key);
    for (const { name, resources } of own)
      judges.push({
        workloads,
        outage: (lasting) =>
          `webhook ${name} is down ${lasting}, and it fails closed: requests for ${judgedText(resources)} are rejected`,
      });
    if (servesNames(service)) {
      // Several Services may lead to the same name servers.
      if (names.some((other) => other.workloads.join() === workloads.join())) continue;
      names.push({
        workloads,
        outage: (lasting) =>
          `DNS (${key}) is down ${lasting}: names are not resolved, so programs do not find each other`,
      });
    } else if (own.length === 0)
      others.push({ workloads, outage: (lasting) => `service ${key} lacks endpoints ${lasting}` });
  }
  const operators = operatorsIn(picture).map(({ workload }): Dependency => {
    const outage = (lasting: string) =>
      `by its name, ${workload} is an operator, and it is down ${lasting}: its objects are not reconciled`;
    return { workloads: [workload], outage };
  });
  return [...names, ...judges, ...operators, ...others];
}

function judgedText(resources: readonly string[]): string {
  if (resources.length === 0 || resources.includes("*") || resources.includes("*/*")) return "all objects";
  const shown = resources.slice(0, resourcesMax).join(", ");
  return resources.length > resourcesMax ? `${shown} and ${resources.length - resourcesMax} more` : shown;
}
