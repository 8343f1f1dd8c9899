import { afterAll, afterEach, beforeAll, describe } from "vitest";
import { describeCommands } from "./contract/commands.ts";
import { describeContainers } from "./contract/containers.ts";
import { ContractPods, type RuntimeContractSubject } from "./contract/contract-pods.ts";
import type { ContractRun } from "./contract/contract-run.ts";
import { describeEvents } from "./contract/events.ts";
import { describeImages } from "./contract/images.ts";
import { describeLogs } from "./contract/logs.ts";
import { describeRuntimeItself } from "./contract/runtime-itself.ts";
import { describeSandboxes } from "./contract/sandboxes.ts";
import { describeStreams } from "./contract/streams.ts";

export type { RuntimeContractSubject } from "./contract/contract-pods.ts";

/** Some of the contract's tests start half a dozen real containers on a busy machine. */
const testTimeoutMs = 60_000;

const parts: readonly ((contract: ContractRun) => void)[] = [
  describeRuntimeItself,
  describeSandboxes,
  describeContainers,
  describeLogs,
  describeCommands,
  describeStreams,
  describeEvents,
  describeImages,
];

/** The contract of every ContainerRuntime, with containerd or a fake behind it. */
export function describeRuntimeContract(name: string, open: () => Promise<RuntimeContractSubject>): void {
  describe(`${name} keeps the runtime contract`, { timeout: testTimeoutMs }, () => {
    let subject: RuntimeContractSubject;
    let pods: ContractPods;
    beforeAll(async () => {
      subject = await open();
      pods = new ContractPods(subject);
    }, testTimeoutMs);
    afterEach(async () => await pods.removeAll());
    afterAll(async () => await subject?.[Symbol.asyncDispose](), testTimeoutMs);

    const contract: ContractRun = {
      get subject() {
        return subject;
      },
      get runtime() {
        return subject.runtime;
      },
      get pods() {
        return pods;
      },
    };
    for (const describePart of parts) describePart(contract);
  });
}
