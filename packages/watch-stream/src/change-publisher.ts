import type { Bus } from "./bus.ts";
import { encodeMessage, markKey } from "./envelope.ts";
import { changeSubject, marksSubject, resourceRoot } from "./subjects.ts";

/**
 * The api-server's relay publishes changes through this port. Publish in revision order; after any
 * error start again at head.
 */
export interface ChangePublisher {
  /** @throws BusUnavailable while the bus is not connected. */
  publish(change: PublishedChange): void;
  /**
   * Publishes, for each resource, the last revision that changed it.
   * @throws BusUnavailable while the bus is not connected.
   */
  publishMarks(marks: readonly PublishedMark[]): void;
  /**
   * Resolves when the bus has accepted all messages that were published before the call.
   * @throws BusUnavailable.
   */
  flush(): Promise<void>;
}

export interface PublishedChange {
  /** "" for core. */
  readonly group: string;
  readonly resource: string;
  /** "" for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
  /** spec.nodeName for pods, its own name for nodes and node Leases, else "". */
  readonly nodeName: string;
  readonly type: "put" | "delete";
  readonly revision: number;
  /** The revision of the previous change of the resource; 0 if it is unknown. */
  readonly previousOfResource: number;
  /**
   * The revision of the previous change of the resource with the same nodeName; 0 if it is unknown.
   */
  readonly previousOfNode: number;
  /**
   * The encoded object, which may lack the managers of its fields. It is not sent when it is secret
   * or over 256 KiB; in both cases the reader fetches the object.
   */
  readonly object: Uint8Array;
  /** The object is sent only to callers that the API server has authorized. */
  readonly isSecret: boolean;
}

export interface PublishedMark {
  readonly group: string;
  readonly resource: string;
  readonly revision: number;
}

export interface ChangePublisherOptions {
  cluster: string;
  historyId: string;
}

/**
 * Every subscriber would receive larger objects, which few of them read; the server accepts up to 1
 * MiB per message.
 */
export const objectBytesMax = 256 * 1024;

export function createChangePublisher(deps: { bus: Bus }, options: ChangePublisherOptions): ChangePublisher {
  const { bus } = deps;
  const { cluster, historyId } = options;
  const subjectOfMarks = marksSubject(cluster);
  let said: { marks: readonly PublishedMark[]; payload: Uint8Array } | undefined;
  const roots = new Map<string, string>();
  const rootOf = (group: string, resource: string) => {
    const key = `${group}/${resource}`;
    let root = roots.get(key);
    if (root === undefined) {
      root = resourceRoot({ cluster, group, resource });
      roots.set(key, root);
    }
    return root;
  };
  return {
    publish(change) {
      const { type, revision, previousOfResource, previousOfNode, namespace, name, object } = change;
      const travels = object.byteLength <= objectBytesMax && !change.isSecret;
      const payload = encodeMessage({
        type,
        historyId,
        revision,
        previousOfResource,
        previousOfNode,
        namespace,
        name,
        ...(travels && { object }),
      });
      bus.publish(changeSubject(rootOf(change.group, change.resource), change), payload);
    },
    publishMarks(marks) {
      // The marks of a quiet cluster are mostly unchanged.
      if (said === undefined || !areSame(marks, said.marks)) {
        const revisions: Record<string, number> = {};
        for (const { group, resource, revision } of marks) revisions[markKey(group, resource)] = revision;
        said = { marks: [...marks], payload: encodeMessage({ type: "marks", historyId, revisions }) };
      }
      bus.publish(subjectOfMarks, said.payload);
    },
    flush: () => bus.flush(),
  };
}

function areSame(a: readonly PublishedMark[], b: readonly PublishedMark[]): boolean {
  return a.length === b.length && a.every((mark, index) => isSame(mark, b[index]));
}

function isSame(a: PublishedMark, b: PublishedMark | undefined): boolean {
  return a.revision === b?.revision && a.resource === b.resource && a.group === b.group;
}
