import type { Clock } from "@kintsugi/clock";
import { type CallFault, sufferFault } from "@kintsugi/grpc";
import { type CsiCallName, csiCallNames, type CsiDriver } from "./csi-driver.ts";

export interface FaultDeps {
  readonly clock: Clock;
  /** Returns the fault of a call that arrives now. */
  readonly faultOf: (name: CsiCallName) => Promise<CallFault | undefined>;
}

/** Returns the driver with injected faults. Calls that hang end when their caller cancels. */
export function withFaults<Driver extends Partial<CsiDriver>>(driver: Driver, deps: FaultDeps): Driver {
  const faulty = csiCallNames.flatMap(({ name }) => {
    const answer = driver[name] as Answer | undefined;
    return answer === undefined ? [] : [[name, faultyCall(name, answer, deps)] as const];
  });
  return { ...driver, ...Object.fromEntries(faulty) };
}

type Answer = (request: object, signal?: AbortSignal) => Promise<object>;

function faultyCall(name: CsiCallName, answer: Answer, { clock, faultOf }: FaultDeps): Answer {
  return async (request, signal) =>
    sufferFault({ clock, fault: await faultOf(name), signal }, () => answer(request, signal));
}
