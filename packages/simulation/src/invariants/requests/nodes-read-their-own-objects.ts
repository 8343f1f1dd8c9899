import { parseObjectPath, type Pod, pods, nodeUserPrefix } from "@kintsugi/api";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { staleViewMs } from "../observed/stale-view.ts";

/**
 * A pod that is no longer on its node, although a decision with an older cache may still count the
 * pod.
 */
interface Gone {
  readonly pod: Pod;
  /** The time on the clock of `Known.activeMs`. */
  readonly atMs: number;
}

/** A node reads only its own pods, and only the Secrets and ConfigMaps that these pods name. */
export function nodesReadTheirOwnObjects({ known }: InvariantContext): Invariant {
  let gone: Gone[] = [];

  return {
    name: "nodes-read-their-own-objects",
    never: "a node that reads pods of another node, or a Secret or ConfigMap that none of its own pods names",
    observes: [
      onKind(pods, ({ type, object }) => {
        if (type === "delete") gone.push({ pod: object, atMs: known.activeMs });
      }),
    ],
    tick() {
      gone = gone.filter(({ atMs }) => known.activeMs - atMs <= staleViewMs);
    },
    reading({ identity, path }, check) {
      if (!identity.name.startsWith(nodeUserPrefix)) return;
      const node = identity.name.slice(nodeUserPrefix.length);
      const url = new URL(path, "http://api");
      const object = parseObjectPath(url.pathname);
      if (!object) return;
      const { resource, namespace } = object;
      const chosen = new URLSearchParams((url.searchParams.get("fieldSelector") ?? "").replaceAll(",", "&"));
      const name = object.name || (chosen.get("metadata.name") ?? "");
      if (resource === "pods") check(isTheirs(node, { namespace, name, chosen }) ? undefined : broken(node, path));
      if (resource === "secrets" || resource === "configmaps")
        check(name !== "" && isNamed(node, { namespace, name }) ? undefined : broken(node, path));
    },
  };

  function isTheirs(node: string, request: { namespace: string; name: string; chosen: URLSearchParams }): boolean {
    if (request.chosen.get("spec.nodeName") === node) return true;
    const { namespace, name } = request;
    const pod = known.of(pods).get(`core/pods/${namespace}/${name}`);
    // The node of a deleted pod may still read the pod.
    return name !== "" && (pod === undefined || pod.spec?.nodeName === node);
  }

  /**
   * A name to which a pod refers is a text in its spec. The check therefore does not share code
   * with the authorizer.
   */
  function isNamed(node: string, { namespace, name }: { namespace: string; name: string }): boolean {
    const wants = (pod: Pod) =>
      pod.spec?.nodeName === node &&
      pod.metadata.namespace === namespace &&
      JSON.stringify(pod.spec).includes(JSON.stringify(name));
    return [...known.of(pods).values()].some(wants) || gone.some(({ pod }) => wants(pod));
  }
}

function broken(node: string, path: string): string {
  return `${node} was granted GET ${path}`;
}
