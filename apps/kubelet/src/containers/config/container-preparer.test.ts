import { pods, type PodSpec } from "@kintsugi/api";
import { expect, test } from "vitest";
import type { CreateContainerRequest } from "@kintsugi/cri";
import { scripted } from "../../testing/builders.ts";
import { withNode } from "../../testing/test-node.ts";

const second = 1000;

test("an ephemeral container waits for its target container", () =>
  withNode(async (node) => {
    await node.createPod("p", { containers: [scripted("c", "exit:1-after-5s")] });
    await node.clock.advance(12 * second);
    const pod = await node.pod("p");
    expect(pod.status?.containerStatuses?.[0]?.state).toMatchObject({ waiting: { reason: "CrashLoopBackOff" } });
    const ephemeralContainers = [{ ...scripted("debug", "run"), targetContainerName: "c" }];
    await node.client.update(pods, { ...pod, spec: { ...pod.spec, ephemeralContainers } as PodSpec });
    await node.clock.advance(1 * second);
    const debug = async () => (await node.pod("p")).status?.ephemeralContainerStatuses?.[0]?.state;
    const message = "unable to find target container c";
    expect(await debug()).toMatchObject({ waiting: { reason: "CreateContainerConfigError", message } });
    await node.clock.advance(10 * second);
    expect(await debug()).toHaveProperty("running");
    const [target] = await node.runtime.listContainers({ state: "running" });
    const requests = node.runtime.callsOf("createContainer").map(({ args }) => args[0] as CreateContainerRequest);
    expect(requests.at(-1)?.config.linux.security.namespaces).toMatchObject({ pid: "target", targetId: target?.id });
  }));
