import { parseObjectPath, type Pod } from "@kintsugi/api";
import type { HandlerRequest } from "@kintsugi/client";
import { type Check, hearsayMs, type Invariant, type Seen } from "./invariant.ts";
import type { InvariantContext } from "./invariant-list.ts";
import type { Known } from "./known.ts";

const nodeUser = "system:node:";

/** A pod that has left its node: what is decided by an older picture may still count it. */
interface Gone {
  readonly pod: Pod;
  /** On the clock of `Known.awakeMs`. */
  readonly atMs: number;
}

/** S19, the half about reading: of pods a node sees its own, of Secrets and ConfigMaps those that its pods name. */
export class NodesReadTheirs implements Invariant {
  readonly name = "S19";
  readonly never = "a node that reads another's pods, or a Secret or ConfigMap that none of its pods names";
  readonly #known: Known;
  #gone: Gone[] = [];

  constructor({ known }: InvariantContext) {
    this.#known = known;
  }

  pod({ type, object }: Seen<Pod>): void {
    if (type === "delete") this.#gone.push({ pod: object, atMs: this.#known.awakeMs });
  }

  tick(): void {
    this.#gone = this.#gone.filter(({ atMs }) => this.#known.awakeMs - atMs <= hearsayMs);
  }

  reading({ identity, path }: HandlerRequest, check: Check): void {
    if (!identity.name.startsWith(nodeUser)) return;
    const node = identity.name.slice(nodeUser.length);
    const url = new URL(path, "http://api");
    const object = parseObjectPath(url.pathname);
    if (!object) return;
    const { resource, namespace } = object;
    const chosen = new URLSearchParams((url.searchParams.get("fieldSelector") ?? "").replaceAll(",", "&"));
    const name = object.name || (chosen.get("metadata.name") ?? "");
    if (resource === "pods") check(this.#isTheirs(node, { namespace, name, chosen }) ? undefined : broken(node, path));
    if (resource === "secrets" || resource === "configmaps")
      check(name !== "" && this.#isNamed(node, { namespace, name }) ? undefined : broken(node, path));
  }

  #isTheirs(node: string, asked: { namespace: string; name: string; chosen: URLSearchParams }): boolean {
    if (asked.chosen.get("spec.nodeName") === node) return true;
    const { namespace, name } = asked;
    const pod = this.#known.pods.get(`core/pods/${namespace}/${name}`);
    // One that is gone can be asked for by whoever had it.
    return name !== "" && (pod === undefined || pod.spec?.nodeName === node);
  }

  /** However a pod names it, the name stands somewhere in what the pod wants: a reading that shares nothing with the authorizer's. */
  #isNamed(node: string, { namespace, name }: { namespace: string; name: string }): boolean {
    const wants = (pod: Pod) =>
      pod.spec?.nodeName === node &&
      pod.metadata.namespace === namespace &&
      JSON.stringify(pod.spec).includes(JSON.stringify(name));
    return [...this.#known.pods.values()].some(wants) || this.#gone.some(({ pod }) => wants(pod));
  }
}

function broken(node: string, path: string): string {
  return `${node} was granted GET ${path}`;
}
