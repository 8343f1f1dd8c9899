import type { Clock } from "@kintsugi/clock";
import { z } from "zod";
import { CloudError, cloudCodes } from "./cloud-error.ts";
import {
  type CloudAnswer,
  type CloudCallName,
  cloudCallNames,
  type CloudProvider,
  type CloudRequest,
} from "./cloud-provider.ts";

/** A fault injected into one call; absent parts have no effect. */
export const CloudFault = z.strictObject({
  /** The call begins after this delay. */
  delayMs: z.int().min(0).max(600_000).optional(),
  /** The call does nothing and never ends. */
  hangs: z.boolean().optional(),
  /** The call does nothing and fails. */
  error: z.strictObject({ code: z.enum(cloudCodes), message: z.string().max(1000) }).optional(),
  /** The call does its work and then never ends. */
  losesAnswer: z.boolean().optional(),
  /** Machines that are missing in the answers of findInstance and listInstances. */
  hides: z.array(z.string().max(256)).max(1000).optional(),
});
export type CloudFault = z.infer<typeof CloudFault>;

/** Injected faults by call; "*" applies to calls without an entry of their own. */
export const CloudFaults = z.partialRecord(z.enum([...cloudCallNames, "*"]), CloudFault);
export type CloudFaults = z.infer<typeof CloudFaults>;

export interface CloudFaultDeps {
  readonly clock: Clock;
  /** Returns the fault of a call that arrives now. */
  readonly faultOf: (name: CloudCallName) => CloudFault | undefined;
}

/** Returns the cloud with injected faults. Calls that hang end when their caller cancels. */
export function withCloudFaults(cloud: CloudProvider, { clock, faultOf }: CloudFaultDeps): CloudProvider {
  const faulty =
    <Name extends CloudCallName>(name: Name) =>
    async (request: CloudRequest<Name>, signal?: AbortSignal): Promise<CloudAnswer<Name>> => {
      const fault = faultOf(name) ?? {};
      if (fault.delayMs !== undefined) await clock.sleep(fault.delayMs, signal);
      if (fault.hangs === true) return untilGivenUp(signal);
      if (fault.error !== undefined) throw new CloudError(fault.error.code, fault.error.message);
      const call = cloud[name] as (
        request: CloudRequest<Name>,
        signal?: AbortSignal,
      ) => Promise<CloudAnswer<CloudCallName>>;
      const answer = await call(request, signal);
      if (fault.losesAnswer === true) return untilGivenUp(signal);
      return withoutHidden(answer, new Set(fault.hides ?? [])) as CloudAnswer<Name>;
    };
  return Object.fromEntries(cloudCallNames.map((name) => [name, faulty(name)])) as unknown as CloudProvider;
}

function withoutHidden(answer: CloudAnswer<CloudCallName>, hidden: ReadonlySet<string>): CloudAnswer<CloudCallName> {
  if (hidden.size === 0) return answer;
  if ("instances" in answer) return { instances: answer.instances.filter(({ name }) => !hidden.has(name)) };
  if ("instance" in answer && answer.instance !== undefined && hidden.has(answer.instance.name)) return {};
  return answer;
}

function untilGivenUp(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const giveUp = () => reject(new CloudError("Unavailable", "the cloud did not answer"));
    if (signal?.aborted === true) giveUp();
    else signal?.addEventListener("abort", giveUp, { once: true });
  });
}
