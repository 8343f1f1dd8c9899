import { expect, test } from "vitest";
import { scripted } from "../../testing/builders.ts";
import { withNode } from "../../testing/test-node.ts";

const second = 1000;

test("the hosts file of a pod on the node's network consists of the node's entries and the pod's aliases", () =>
  withNode(async (node) => {
    await node.files.write("/etc/hosts", "127.0.0.1 localhost machine\n");
    const pod = await node.createPod("p", {
      hostNetwork: true,
      hostAliases: [{ ip: "10.1.2.3", hostnames: ["db", "db.local"] }],
      containers: [scripted("c", "run")],
    });
    await node.clock.advance(second);
    const bytes = node.files.readTail(`/kubelet/pods/${pod.metadata.uid}/etc-hosts`, 10_000);
    expect(Buffer.from(bytes ?? []).toString()).toBe(
      "# Kubernetes-managed hosts file (host network).\n127.0.0.1 localhost machine\n\n# Entries added by HostAliases.\n10.1.2.3\tdb\tdb.local\n",
    );
  }));
