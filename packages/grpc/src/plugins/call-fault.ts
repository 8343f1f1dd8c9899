import type { Clock } from "@kintsugi/clock";
import { type RpcCode, RpcError } from "../rpc-error.ts";

/** A fault injected into one call of a plugin; absent parts have no effect. */
export interface CallFault {
  /** The call begins after this delay. */
  readonly delayMs?: number;
  /** The call does nothing and never ends. */
  readonly hangs?: boolean;
  /** The call does nothing and fails. */
  readonly error?: { readonly code: RpcCode; readonly message: string };
  /** The call does its work and then never ends. */
  readonly losesAnswer?: boolean;
}

/** Answers one call with its injected fault. A call that hangs ends when its caller cancels. */
export async function sufferFault<T>(
  { clock, fault = {}, signal }: { clock: Clock; fault: CallFault | undefined; signal: AbortSignal | undefined },
  answer: () => Promise<T>,
): Promise<T> {
  if (fault.delayMs !== undefined) await clock.sleep(fault.delayMs, signal);
  if (fault.hangs === true) return untilGivenUp(signal);
  if (fault.error !== undefined) throw new RpcError(fault.error.code, fault.error.message);
  const response = await answer();
  return fault.losesAnswer === true ? untilGivenUp(signal) : response;
}

function untilGivenUp(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const giveUp = () => reject(new RpcError("CANCELLED", "the caller aborted the call"));
    if (signal?.aborted === true) giveUp();
    else signal?.addEventListener("abort", giveUp, { once: true });
  });
}
