import type { Clock } from "@kintsugi/clock";
import { type CsiCallName, csiCallNames, type CsiDriver } from "./csi-driver.ts";
import { type CsiCode, CsiError } from "./csi-error.ts";

/** A fault injected into one call; absent parts have no effect. */
export interface CallFault {
  /** The call begins after this delay. */
  readonly delayMs?: number;
  /** The call does nothing and never ends. */
  readonly hangs?: boolean;
  /** The call does nothing and fails. */
  readonly error?: { readonly code: CsiCode; readonly message: string };
  /** The call does its work and then never ends. */
  readonly losesAnswer?: boolean;
}

export interface FaultDeps {
  readonly clock: Clock;
  /** Returns the fault of a call that arrives now. */
  readonly faultOf: (name: CsiCallName) => Promise<CallFault | undefined>;
}

/** The same driver with injected faults. Calls that hang end when their caller cancels. */
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

/** Answers one call with its injected fault. */
export async function sufferFault<T>(
  { clock, fault = {}, signal }: { clock: Clock; fault: CallFault | undefined; signal: AbortSignal | undefined },
  answer: () => Promise<T>,
): Promise<T> {
  if (fault.delayMs !== undefined) await clock.sleep(fault.delayMs, signal);
  if (fault.hangs === true) return untilGivenUp(signal);
  if (fault.error !== undefined) throw new CsiError(fault.error.code, fault.error.message);
  const response = await answer();
  return fault.losesAnswer === true ? untilGivenUp(signal) : response;
}

function untilGivenUp(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const giveUp = () => reject(new CsiError("CANCELLED", "the caller aborted the call"));
    if (signal?.aborted === true) giveUp();
    else signal?.addEventListener("abort", giveUp, { once: true });
  });
}
