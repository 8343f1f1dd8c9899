import {
  findCondition,
  formatMicroTime,
  formatTimestamp,
  isPodReady,
  leases,
  nodes,
  type Pod,
  pods,
} from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { VirtualClock } from "@kintsugi/clock/simulated";

const second = 1000;

interface KubeletDeps {
  client: Client;
  clock: VirtualClock;
  silenced: ReadonlySet<string>;
}

/**
 * A kubelet reduced to its effects on the API: Lease, Ready, pods that run immediately and end on
 * deletion.
 */
export function runKubelet({ client, clock, silenced }: KubeletDeps, name: string) {
  const stop = new AbortController();
  const key = { namespace: "", name };
  const registered = (async () => {
    const node = await client.create(nodes, { metadata: { name } });
    await client.patch(nodes, key, { type: "merge", body: { spec: { taints: null } } });
    await client.create(leases, {
      metadata: {
        name,
        namespace: "kube-node-lease",
        ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid: node.metadata.uid ?? "" }],
      },
      spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: formatMicroTime(clock.nowMs()) },
    });
    await postReady();
  })();

  async function postReady(): Promise<void> {
    const node = await client.get(nodes, key);
    if (findCondition(node.status?.conditions, "Ready")?.status === "True") return;
    const time = formatTimestamp(clock.nowMs());
    const condition = {
      type: "Ready",
      status: "True",
      lastHeartbeatTime: time,
      lastTransitionTime: time,
      reason: "KubeletReady",
    };
    await client.patch(
      nodes,
      key,
      { type: "strategic", body: { status: { conditions: [condition] } } },
      { subresource: "status" },
    );
  }

  async function syncPod(pod: Pod): Promise<void> {
    const podKey = { namespace: pod.metadata.namespace ?? "", name: pod.metadata.name ?? "" };
    if (pod.metadata.deletionTimestamp !== undefined) {
      await client.delete(pods, podKey, { gracePeriodSeconds: 0 });
    } else if (!isPodReady(pod)) {
      const lastTransitionTime = formatTimestamp(clock.nowMs());
      const conditions = [{ type: "Ready", status: "True", lastTransitionTime }];
      const body = { status: { phase: "Running", conditions } };
      await client.patch(pods, podKey, { type: "strategic", body }, { subresource: "status" });
    }
  }

  const done = (async () => {
    await registered;
    for (let tick = 1; !stop.signal.aborted; tick++) {
      await clock.sleep(second, stop.signal).catch(() => {});
      if (stop.signal.aborted || silenced.has(name)) continue;
      const { items } = await client.list(pods, { fieldSelector: `spec.nodeName=${name}` });
      for (const pod of items) await syncPod(pod);
      await postReady();
      if (tick % 10 !== 0) continue;
      const spec = { renewTime: formatMicroTime(clock.nowMs()) };
      await client.patch(leases, { namespace: "kube-node-lease", name }, { type: "merge", body: { spec } });
    }
  })();
  return { registered, done, stop: () => stop.abort(new Error("the test is over")) };
}
